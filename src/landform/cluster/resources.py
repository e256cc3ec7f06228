"""Names of things in a cluster: which resource, which object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

Unstructured: TypeAlias = dict[str, Any]
"""An object as plain JSON data: every field kept, nothing typed."""

T = TypeVar("T")


class ObjectKey(NamedTuple):
    """Which object of a resource; `namespace` is empty for cluster-scoped ones."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


@dataclass(frozen=True)
class Resource(Generic[T]):
    """One resource of an API, and the type its objects are decoded to.

    `model` is either a msgspec Struct, then answers are decoded straight into it and unknown fields are not kept
    (so such an object may be created and read, but is changed with a patch, never replaced); or `dict`, then objects
    are plain JSON data with every field.
    """

    group: str
    """API group; empty for the core group."""

    version: str
    """API version within the group, such as ``v1alpha1``."""

    kind: str
    """Kind of the objects, such as ``DeployItem``."""

    plural: str
    """Name in URLs, such as ``deployitems``."""

    namespaced: bool
    """Whether objects live in namespaces."""

    model: type[T]
    """What objects are decoded to."""

    @property
    def api_version(self) -> str:
        """``group/version``, or just the version in the core group."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def untyped(self) -> Resource[Unstructured]:
        """The same resource with objects as plain JSON data."""
        return Resource(self.group, self.version, self.kind, self.plural, self.namespaced, dict)

    def __str__(self) -> str:
        return f"{self.plural}.{self.group}" if self.group else self.plural


def untyped(api_version: str, kind: str, plural: str, *, namespaced: bool = True) -> Resource[Unstructured]:
    """A resource whose objects are plain JSON data: ``untyped("apps/v1", "Deployment", "deployments")``."""
    group, _, version = api_version.rpartition("/")
    return Resource(group, version, kind, plural, namespaced, dict)


NAMESPACES = untyped("v1", "Namespace", "namespaces", namespaced=False)
CONFIG_MAPS = untyped("v1", "ConfigMap", "configmaps")
SECRETS = untyped("v1", "Secret", "secrets")
SERVICE_ACCOUNTS = untyped("v1", "ServiceAccount", "serviceaccounts")
EVENTS = untyped("v1", "Event", "events")
LEASES = untyped("coordination.k8s.io/v1", "Lease", "leases")
PROGRAM_STATE = "programs.landscaper.gardener.cloud/state"
PROGRAM_LOG = "programs.landscaper.gardener.cloud/log"
PROGRAM_RUN = "programs.landscaper.gardener.cloud/run"
"""Types of Secrets that hold what programs get and leave: much, often written, and of interest to nobody else."""

CUSTOM_RESOURCE_DEFINITIONS = untyped(
    "apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", namespaced=False
)
