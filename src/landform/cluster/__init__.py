"""The door to any cluster: interface, errors, selectors, informer caches, kubeconfigs and the HTTP client.

Controllers, deployers and commands hold a `Cluster` and cannot tell which home it has. Nothing here knows
Landform's phases or controllers, and nothing here knows the embedded store.
"""

from landform.cluster.interface import Cluster, Reader, Writer
from landform.cluster.resources import ObjectKey, Resource, Unstructured

__all__ = ["Cluster", "ObjectKey", "Reader", "Resource", "Unstructured", "Writer"]
