"""How objects name other objects."""

from __future__ import annotations

from landform.api.structs import Part


class ObjectReference(Part):
    """An object of a kind that the place of the reference implies."""

    name: str
    """Name of the object."""

    namespace: str | None = None
    """Namespace of the object."""


class LocalObjectReference(Part):
    """An object in the same namespace."""

    name: str | None = None
    """Name of the object."""


class LocalSecretReference(Part):
    """A Secret in the same namespace, or one of its keys."""

    name: str
    """Name of the Secret."""

    key: str | None = None
    """Key in the Secret; absent means all of it."""


class LocalConfigMapReference(Part):
    """A ConfigMap in the same namespace, or one of its keys."""

    name: str
    """Name of the ConfigMap."""

    key: str | None = None
    """Key in the ConfigMap; absent means all of it."""


class SecretReference(Part):
    """A Secret in any namespace, or one of its keys."""

    name: str
    """Name of the Secret."""

    namespace: str | None = None
    """Namespace of the Secret."""

    key: str | None = None
    """Key in the Secret; absent means all of it."""
