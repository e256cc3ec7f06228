"""What can go wrong with component versions, split by what the caller does next.

ComponentError                  everything below; itself a LandformError (landform.kit.errors)
├── InvalidReference            a `cd://` URI or an OCI reference is malformed: correct it where it is written
├── DescriptorError             a component descriptor breaks its schema: `path` says where
├── NotFound                    the component version, resource or reference is not there; lookups try the next place
│   └── Ambiguous               a name fits several resources: give one of them another name, or an identity
├── Unsupported                 a type of repository, access or media that nothing here can read
├── ConfigurationError          an OCM or docker configuration, or a key, cannot be used
├── RepositoryError             a repository answered, but not usefully: it ends a lookup
│   ├── AccessDenied            credentials are missing or were refused
│   ├── Corrupt                 content does not match its digest, its size or its format
│   └── TooLarge                content is over a limit
├── Unavailable                 no answer, or the repository is in trouble: try again later
└── SignatureError              a signature is missing or does not fit: do not use the component
"""

from __future__ import annotations

from landform.kit.errors import LandformError


class ComponentError(LandformError):
    """The root of everything that can go wrong with component versions."""


class InvalidReference(ComponentError):
    """A `cd://` URI or an OCI reference that cannot be read."""


class DescriptorError(ComponentError):
    """A component descriptor that breaks its schema."""

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(f"the component descriptor is invalid at {path}: {message}" if path else message)
        self.path = path


class NotFound(ComponentError):
    """A component version, resource or reference that is not there."""


class Ambiguous(NotFound):
    """A name that fits several resources."""


class Unsupported(ComponentError):
    """A type of repository, access or media that nothing here can read."""


class ConfigurationError(ComponentError):
    """An OCM configuration, a docker configuration or a key that cannot be used."""


class RepositoryError(ComponentError):
    """A repository that answered, but not usefully."""


class AccessDenied(RepositoryError):
    """Credentials that are missing or were refused."""


class Corrupt(RepositoryError):
    """Content that does not match its digest, its size or its format."""


class TooLarge(RepositoryError):
    """Content that is over a limit."""


class Unavailable(ComponentError):
    """A repository that did not answer or is in trouble; the same may work later."""


class SignatureError(ComponentError):
    """A signature that is missing or does not fit."""
