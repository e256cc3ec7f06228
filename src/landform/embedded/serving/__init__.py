"""The embedded home over HTTPS: from a request to a verb, and from its outcome to bytes.

`urls`, `queries`, `bodies` and `media` read a request and are pure; `answers` and `watches` write; `handler` is the
walk of one request; `server` holds the socket. What a request means is decided in `landform.embedded.verbs`.
"""
