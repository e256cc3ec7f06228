"""Target: where something is deployed to, and how to get there."""

from __future__ import annotations

from landform.api import anyjson
from landform.api.anyjson import ABSENT, AnyJSON
from landform.api.references import LocalSecretReference, ObjectReference
from landform.api.structs import Kind, Part


class TargetSpec(Part):
    """How to get there: at most one of `config` and `secretRef`."""

    type: str
    """What kind of place it is, such as ``landscaper.gardener.cloud/kubernetes-cluster``."""

    config: AnyJSON = ABSENT
    """The access data itself, in the format of the type."""

    secret_ref: LocalSecretReference | None = None
    """Secret in the Target's namespace with the access data."""

    def __post_init__(self) -> None:
        anyjson.detach(self, "config")


class Target(Kind):
    """Where something is deployed to, most often a Kubernetes cluster."""

    spec: TargetSpec
    """How to get there."""


class TargetTemplate(Part):
    """A Target that is still to be created."""

    type: str
    """What kind of place it is, such as ``landscaper.gardener.cloud/kubernetes-cluster``."""

    config: AnyJSON = ABSENT
    """The access data itself, in the format of the type."""

    secret_ref: LocalSecretReference | None = None
    """Secret in the Target's namespace with the access data."""

    labels: dict[str, str] | None = None
    """Labels for the Target."""

    annotations: dict[str, str] | None = None
    """Annotations for the Target."""

    def __post_init__(self) -> None:
        anyjson.detach(self, "config")


class Requirement(Part):
    """One condition on a label or an annotation."""

    key: str
    """Key of the label or annotation."""

    operator: str
    """How it relates to the values: ``=``, ``==``, ``!=``, ``in``, ``notin``, ``exists``, ``!``, ``gt`` or ``lt``."""

    values: tuple[str, ...] | None = None
    """The values."""


class TargetSelector(Part):
    """Which Targets: those that satisfy every given part."""

    targets: tuple[ObjectReference, ...] | None = None
    """Any of these; a namespace is compared only if given."""

    annotations: tuple[Requirement, ...] | None = None
    """All of these conditions on annotations."""

    labels: tuple[Requirement, ...] | None = None
    """All of these conditions on labels."""
