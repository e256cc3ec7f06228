"""What surrounds the landscapes: Contexts of namespaces, and in time environments, registrations and agents.

| Room     | What is in it                                                     |
|----------|-------------------------------------------------------------------|
| contexts | `controller`: every namespace has a Context for those who name none |
"""
