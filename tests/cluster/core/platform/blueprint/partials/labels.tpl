app: {{ .app }}
number: {{ .n | quote }}
