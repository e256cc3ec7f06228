"""Queue, controller, manager, leases, events, metrics and the webhook server: what every controller runs on.

Knows the cluster interface and the kinds, but no phase machine: what a reconcile does is told to it from above.
"""
