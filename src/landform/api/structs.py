"""What all kinds are made of: `Kind` for whole objects, `Part` for what is nested in them, and their metadata.

Conventions that every struct here follows, and that the CRDs are generated from:

- Fields are named in Python's way and written in camel case; irregular names (`jobID`) are given explicitly.
- A field without a default is required by the CRD. So is one with a `default_factory`: it is always written.
- Every other default means "absent" and is never written. JSON `null` reads as absent.
- Structs are frozen, because caches share them; lists are tuples. A change is a new struct (`msgspec.structs.replace`)
  or, towards a cluster, a patch. Fields that a struct does not know are not kept.
- The string below a field is its documentation, in the CRD and in `docs/kinds.md`.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional, TypeAlias, TypeVar, dataclass_transform

import msgspec
from msgspec import Meta

from landform.api.anyjson import AnyJSON
from landform.api.sharing import share, share_texts

T = TypeVar("T")

GROUP = "landscaper.gardener.cloud"
"""The API group of all kinds."""

VERSION = "v1alpha1"
"""The only version."""

API_VERSION: Literal["landscaper.gardener.cloud/v1alpha1"] = "landscaper.gardener.cloud/v1alpha1"
"""What `apiVersion` says in every object."""

if TYPE_CHECKING:
    OrDefault: TypeAlias = Annotated[T, "null reads as the default"]
else:
    OrDefault = Optional
    """The type of a struct-valued field that is never None: `use_defaults` replaces the None that null decodes to."""

Time: TypeAlias = Annotated[datetime, Meta(tz=True)]
"""A moment with its zone; whole seconds in UTC are written as Kubernetes does (``2026-01-31T12:00:00Z``)."""

Int32: TypeAlias = Annotated[int, Meta(extra_json_schema={"format": "int32"})]
Int64: TypeAlias = Annotated[int, Meta(extra_json_schema={"format": "int64"})]
Base64: TypeAlias = Annotated[str, Meta(extra_json_schema={"format": "byte"})]
"""Bytes, as base64 text."""

Duration: TypeAlias = str
"""A length of time in Go's syntax (``1h2m3s``), or ``none`` for zero; read it with `landform.kit.durations`."""

ObjectJSON: TypeAlias = Annotated[AnyJSON, Meta(extra_json_schema={"type": "object"})]
"""A JSON object with any content."""

EmbeddedResource: TypeAlias = Annotated[
    AnyJSON, Meta(extra_json_schema={"type": "object", "x-kubernetes-embedded-resource": True})
]
"""A JSON object with any content that has an `apiVersion` and a `kind`."""


class _KeywordsOnly(msgspec.StructMeta):
    """Lets every struct take its fields by keyword only, in any order: msgspec does not inherit that setting."""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **config: Any) -> _KeywordsOnly:
        return super().__new__(mcls, name, bases, namespace, **{"kw_only": True, **config})


# gc=False: objects are trees without cycles, so the garbage collector need not visit them.
@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(msgspec.field,))
class Part(msgspec.Struct, metaclass=_KeywordsOnly, frozen=True, omit_defaults=True, rename="camel", gc=False):
    """Something nested in an object."""


class OwnerReference(Part):
    """An object that this one belongs to; when the owner goes, this one goes too."""

    api_version: str
    """API group and version of the owner."""

    kind: str
    """Kind of the owner."""

    name: str
    """Name of the owner, in the same namespace or cluster-scoped."""

    uid: str
    """Uid of the owner, so that a new object of the same name does not count."""

    controller: bool | None = None
    """Whether the owner is the one controller of this object."""

    block_owner_deletion: bool | None = None
    """Whether a foreground deletion of the owner waits for this object."""


class ObjectMeta(Part):
    """What every object says of itself; `managedFields` are not kept."""

    name: str | None = None
    """Name, unique per kind and namespace."""

    generate_name: str | None = None
    """Beginning of the name when the API server is to complete it."""

    namespace: str | None = None
    """Namespace; absent for cluster-scoped objects."""

    uid: str | None = None
    """Identity of this very object, never used again."""

    resource_version: str | None = None
    """Opaque version of the stored object, for conflict detection."""

    generation: Int64 | None = None
    """Counts the changes of the specification."""

    creation_timestamp: Time | None = None
    """When the object was created."""

    deletion_timestamp: Time | None = None
    """When its deletion was asked for; it stays until no finalizer is left."""

    labels: dict[str, str] | None = None
    """Short texts that objects can be selected by."""

    annotations: dict[str, str] | None = None
    """Texts that are not selected by."""

    owner_references: tuple[OwnerReference, ...] | None = None
    """The objects that this one belongs to."""

    finalizers: tuple[str, ...] | None = None
    """Who must still do something before the object may go."""

    def __post_init__(self) -> None:
        share(self, "namespace", "generate_name", "owner_references", "finalizers")
        share_texts(self, "labels", "annotations")


class Kind(Part, tag=True, tag_field="kind"):
    """A whole object; the class is named like the kind."""

    api_version: Literal["landscaper.gardener.cloud/v1alpha1"] = msgspec.field(default_factory=lambda: API_VERSION)
    """Version of the schema that this object follows."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    """Name, namespace, labels and the like."""

    @property
    def kind(self) -> str:
        """The object's kind, such as ``DeployItem``."""
        return type(self).__name__


def use_defaults(owner: msgspec.Struct, **defaults: Any) -> None:
    """Replace None by the default in fields of type `OrDefault`, which null decodes to."""
    for field, default in defaults.items():
        if getattr(owner, field) is None:
            msgspec.structs.force_setattr(owner, field, default)
