"""Context: what the Installations of a namespace share."""

from __future__ import annotations

from landform.api import anyjson
from landform.api.anyjson import ABSENT, AnyJSON
from landform.api.references import LocalObjectReference, SecretReference
from landform.api.structs import Kind, ObjectJSON, Part


class VerificationSignature(Part):
    """The key that belongs to a signature: a public key, a CA certificate, or both."""

    public_key_secret_reference: SecretReference | None = None
    """Secret with a public key in PEM format."""

    ca_certificate_secret_reference: SecretReference | None = None
    """Secret with one or more CA certificates in PEM format."""


class Context(Kind):
    """What the Installations of a namespace share: repositories, credentials, configuration."""

    repository_context: ObjectJSON = ABSENT
    """The component repository, with its `type`, for references that name none."""

    ocm_config: LocalObjectReference | None = None
    """ConfigMap of the namespace with an OCM configuration under the key ``.ocmconfig``."""

    registry_pull_secrets: tuple[LocalObjectReference, ...] | None = None
    """Secrets of the namespace with registry credentials."""

    configurations: dict[str, AnyJSON] | None = None
    """Configuration for dedicated purposes, by a name that looks like a domain."""

    component_version_overwrites: str | None = None
    """Name of a ComponentVersionOverwrites object of the namespace."""

    verification_signatures: dict[str, VerificationSignature] | None = None
    """Trusted keys, by name of the signature."""

    def __post_init__(self) -> None:
        anyjson.detach(self, "repository_context", "configurations")
