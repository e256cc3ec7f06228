"""Programs as pods of a host cluster, which may be another one than that of the items.

One pod per run: its init container stages, its main container is the user's program and has no credentials, its wait
container collects. Inputs reach the pod as mounted Secrets; what it leaves comes back in Secrets that were made for it
before it began, and its credentials open nothing else.

As in the package above nothing is imported here: init and wait start from few modules.
"""
