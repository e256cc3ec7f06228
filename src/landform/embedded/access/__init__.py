"""Who may do what in the embedded home: identities, certificates, tokens, RBAC, reviews.

Nothing here knows the store or the HTTP server. Decisions are pure functions over plain objects and the given time;
only `private_files` touches the disk, on behalf of `certificates` and `tokens`. The server asks `authentication` who
is calling, `rbac` whether he may, `escalation` before it stores a role or a binding, and `reviews` and
`token_requests` for the kinds that are answered and never stored. Secrets never appear in a repr or in an error.
"""
