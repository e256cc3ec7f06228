"""OCM configurations (`.ocmconfig`): where components are looked up, and with which credentials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import yaml

from landform.components import credentials
from landform.components.credentials import Consumer, Credentials, Identity
from landform.components.errors import ConfigurationError
from landform.kit import yamls

if TYPE_CHECKING:
    from collections.abc import Iterable

_GENERIC = "generic.config.ocm.software"
_RESOLVERS = "ocm.config.ocm.software"
_CREDENTIALS = "credentials.config.ocm.software"
_IGNORED = frozenset(
    f"{name}config.ocm.software"
    for name in (
        "attributes.", "blobLimits.ocireg.ocm.", "cli.ocm.", "downloader.ocm.", "gpg.", "hasher.", "http.", "keys.",
        "logging.", "memory.credentials.", "merge.", "oci.", "oci.uploader.", "ocm.cmd.", "plugin.", "rootcerts.",
        "scripts.ocm.", "transport.ocm.", "uploader.ocm.",
    )
) | {"http.config.ocm.software/v1alpha1"}  # fmt: skip
"""Configuration of other parts of OCM, which says nothing about reading component versions."""

DEFAULT_PRIORITY = 10


@dataclass(frozen=True)
class Rule:
    """Where to look for components whose name begins in a certain way."""

    repository: Mapping[str, Any]
    """The repository, with its type."""

    prefix: str = ""
    """What the name begins with, in whole segments; empty fits every name."""

    priority: int = DEFAULT_PRIORITY
    """Rules with a greater one are asked first."""

    def matches(self, name: str) -> bool:
        """Whether a component may be found by this rule."""
        return not self.prefix or name == self.prefix or name.startswith(f"{self.prefix}/")


@dataclass(frozen=True)
class OcmConfig:
    """What a configuration says, as far as reading component versions needs it."""

    rules: tuple[Rule, ...] = ()
    """Where to look, in the order in which they are written."""

    consumers: tuple[Consumer, ...] = field(default=(), repr=False)
    """Credentials."""

    docker_files: tuple[str, ...] = ()
    """Docker configuration files with further credentials, still to be read."""

    def joined(self, other: OcmConfig) -> OcmConfig:
        """Both together; what the other one says comes later."""
        return OcmConfig(
            self.rules + other.rules, self.consumers + other.consumers, self.docker_files + other.docker_files
        )


EMPTY = OcmConfig()


def parse(text: str) -> OcmConfig:
    """The meaning of a configuration; empty text is an empty one."""
    value = _load(text)
    return EMPTY if value is None else _configuration(value)


def parse_credentials(text: str) -> OcmConfig:
    """The credentials of a pull secret; a configuration of another type means nothing there."""
    value = _load(text)
    if not isinstance(value, Mapping) or _kind(value) != _CREDENTIALS:
        return EMPTY
    return _configuration(value)


def lookup_order(rules: Iterable[Rule], name: str) -> list[Rule]:
    """The rules for a component: by priority, then longer prefixes, then greater ones, then as they are written."""
    matching = [rule for rule in rules if rule.matches(name)]
    # Sorting in reverse keeps those that are equal in their order.
    return sorted(matching, key=lambda rule: (rule.priority, *_weight(rule.prefix)), reverse=True)


def with_docker(config: OcmConfig, documents: Iterable[tuple[str, str | bytes]]) -> OcmConfig:
    """The configuration with the credentials of docker configurations, given by their names."""
    found = tuple(consumer for where, document in documents for consumer in credentials.from_docker(document, where))
    return replace(config, consumers=config.consumers + found)


def _weight(prefix: str) -> tuple[int, list[str]]:
    segments = [part for part in prefix.split("/") if part]
    return len(segments), segments


def _load(text: str) -> Any:
    try:
        return yamls.load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        # Not the error itself: it quotes the text, which may hold a password.
        raise ConfigurationError("the OCM configuration is not readable as YAML") from None


def _configuration(value: Any) -> OcmConfig:
    if not isinstance(value, Mapping):
        raise ConfigurationError("an OCM configuration must be a map with a type")
    match _kind(value):
        case kind if kind == _GENERIC:
            config = EMPTY
            for inner in _maps(value, "configurations"):
                config = config.joined(_configuration(inner))
            return config
        case kind if kind == _RESOLVERS:
            return OcmConfig(rules=tuple(map(_rule, _maps(value, "resolvers"))))
        case kind if kind == _CREDENTIALS:
            return _credentials(value)
        case kind if kind in _IGNORED:
            return EMPTY
    raise ConfigurationError(f'config type "{value.get("type")}" is unknown in the OCM configuration')


def _kind(value: Mapping[str, Any]) -> str:
    return str(value.get("type", "")).removesuffix("/v1")


def _maps(value: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found = value.get(key) or []
    if not isinstance(found, list) or not all(isinstance(entry, Mapping) for entry in found):
        raise ConfigurationError(f"{key} of the OCM configuration must be a list of maps")
    return found


def _rule(value: Mapping[str, Any]) -> Rule:
    repository, priority = value.get("repository"), value.get("priority")
    if not isinstance(repository, Mapping) or "type" not in repository:
        raise ConfigurationError("a resolver of the OCM configuration has no repository with a type")
    if priority is not None and not isinstance(priority, int):
        raise ConfigurationError(f"a resolver of the OCM configuration has the priority {priority!r}, not a number")
    return Rule(repository, str(value.get("prefix") or ""), DEFAULT_PRIORITY if priority is None else priority)


def _credentials(value: Mapping[str, Any]) -> OcmConfig:
    config = OcmConfig(consumers=tuple(map(_consumer, _maps(value, "consumers"))))
    for entry in _maps(value, "repositories"):
        repository = entry.get("repository")
        if isinstance(repository, Mapping):
            config = config.joined(_docker(repository))
    return config


def _docker(repository: Mapping[str, Any]) -> OcmConfig:
    """A docker configuration, given in place or as a file; other stores of credentials are not read."""
    if _kind(repository) != "DockerConfig":
        raise ConfigurationError(f'credential repository type "{repository.get("type")}" is unknown')
    if repository.get("propagateConsumerIdentity") is False:
        return EMPTY
    config = EMPTY
    if repository.get("dockerConfig"):
        consumers = credentials.from_docker(repository["dockerConfig"], "dockerConfig of the OCM configuration")
        config = OcmConfig(consumers=tuple(consumers))
    if repository.get("dockerConfigFile"):
        config = config.joined(OcmConfig(docker_files=(str(repository["dockerConfigFile"]),)))
    return config


def _consumer(value: Mapping[str, Any]) -> Consumer:
    identity = value.get("identity")
    if not isinstance(identity, Mapping):
        raise ConfigurationError("a consumer of the OCM configuration has no identity")
    properties: dict[str, Any] = {}
    for entry in _maps(value, "credentials"):
        if _kind(entry) == "Credentials" and isinstance(entry.get("properties"), Mapping):
            properties = {**entry["properties"], **properties}
    return Consumer(_identity(identity), _properties(properties))


def _identity(value: Mapping[str, Any]) -> Identity:
    def text(key: str) -> str:
        return str(value.get(key) or "")

    return Identity(text("type"), text("hostname"), text("port"), text("scheme"), text("pathprefix").removeprefix("/"))


def _properties(value: Mapping[str, Any]) -> Credentials:
    def text(key: str) -> str:
        return str(value.get(key) or "")

    return Credentials(text("username"), text("password"), text("identityToken"), text("certificateAuthority"))
