"""JSON and YAML, written and read byte for byte as encoding/json and sigs.k8s.io/yaml do."""
