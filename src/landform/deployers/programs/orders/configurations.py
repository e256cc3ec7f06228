"""What the configurations of container and script items have in common, and how they are read; pure."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from landform.api.errors import ErrorCode, OperationFailed
from landform.cluster.resources import ObjectKey
from landform.deployers.library import continuous

if TYPE_CHECKING:
    from collections.abc import Mapping

KIND: Final = "ProviderConfiguration"

Words = list[str] | str | None
"""A command line: a list, or a text as a shell would split it."""

_HEAD: Final = ("apiVersion", "kind")
_NAME: Final = re.compile(r"[^=\0]+")
_SETTINGS: Final = ("resources", "nodeSelector", "tolerations", "network", "readOnlyRoot")


class SecretName(msgspec.Struct, forbid_unknown_fields=True):
    """A Secret, wherever it is."""

    name: str = ""
    namespace: str = ""


class Resources(msgspec.Struct, forbid_unknown_fields=True):
    """What a container may use, as Kubernetes has it."""

    limits: dict[str, str | int | float] = {}
    requests: dict[str, str | int | float] = {}


class ComponentReference(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    component_name: str = ""
    version: str = ""
    repository_context: dict[str, Any] | None = None


class ComponentDescriptor(msgspec.Struct, forbid_unknown_fields=True):
    """A component version, by reference or as it is."""

    ref: ComponentReference | None = None
    inline: dict[str, Any] | None = None


class ResourceReference(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    resource_name: str = ""


class InlineBlueprint(msgspec.Struct, forbid_unknown_fields=True):
    filesystem: dict[str, Any] | None = None


class Blueprint(msgspec.Struct, forbid_unknown_fields=True):
    """A blueprint, as a resource of the component version or as it is."""

    ref: ResourceReference | None = None
    inline: InlineBlueprint | None = None


class CommonConfiguration(msgspec.Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """What both kinds of items may say.

    Fields that are not known are refused, here and below: a schedule or a limit with a misspelt name would silently do
    nothing.
    """

    image: str = ""
    """The image that is run, or in which a script is run; the deployer's default one if a container item says none."""

    args: Words = None
    """What the program is given on its command line."""

    env: dict[str, str | int | float | bool] = {}
    """Further environment variables; those of the contract cannot be replaced."""

    import_values: Any = None
    """What the program finds in the file at IMPORTS_PATH."""

    component_descriptor: ComponentDescriptor | None = None
    blueprint: Blueprint | None = None
    registry_pull_secrets: list[SecretName] = []
    """Secrets with credentials for the image and the components, besides those of the Context."""

    continuous_reconcile: Any = None
    """When the program is run again by itself: `every` or `cron`."""

    resources: Resources | None = None
    node_selector: dict[str, str] | None = None
    tolerations: list[dict[str, Any]] | None = None
    network: bool | None = None
    """False: a container of an engine has no network."""

    read_only_root: bool | None = None
    """Whether the container can write nothing but its own files."""


C = TypeVar("C", bound=CommonConfiguration)


def read(config: Mapping[str, Any], kind: type[C], api_version: str, operation: str) -> C:
    """The configuration; OperationFailed, for good, if it makes no sense: the message names the field.

    Its head may be missing, as under the older name `spec.providerConfig`.
    """
    head = (config.get("apiVersion"), config.get("kind"))
    if head not in ((api_version, KIND), (None, None)):
        found = f"a {config.get('kind')} of {config.get('apiVersion')}"
        raise undecodable(operation, f"spec.config is {found}; such an item needs a {KIND} of {api_version}")
    try:
        given = {name: value for name, value in config.items() if value is not None and name not in _HEAD}
        found_ = msgspec.convert(given, kind)
    except msgspec.ValidationError as fault:
        # The message names the place and the types, and no value.
        text = str(fault).replace("`$.", "`spec.config.").replace("`$[", "`spec.config[")
        raise undecodable(operation, text if "spec.config" in text else f"spec.config: {text}") from None
    _check(found_, operation)
    return found_


def words(given: Words) -> tuple[str, ...]:
    """The words of a command line."""
    if given is None:
        return ()
    return tuple(shlex.split(given)) if isinstance(given, str) else tuple(given)


def environment(config: CommonConfiguration) -> dict[str, str]:
    """The further variables as texts."""
    return {name: _text(value) for name, value in config.env.items()}


def settings(config: CommonConfiguration) -> dict[str, Any]:
    """What the item says to its sandbox."""
    plain = msgspec.to_builtins(config)
    return {name: plain[name] for name in _SETTINGS if plain[name] is not None}


def component_descriptor(config: CommonConfiguration) -> dict[str, Any] | None:
    """The component version as plain data."""
    return _plain(config.component_descriptor)


def blueprint(config: CommonConfiguration) -> dict[str, Any] | None:
    """The blueprint as plain data."""
    return _plain(config.blueprint)


def pull_secrets(config: CommonConfiguration) -> tuple[ObjectKey, ...]:
    """The Secrets with credentials."""
    return tuple(ObjectKey(each.namespace, each.name) for each in config.registry_pull_secrets)


def undecodable(operation: str, message: str) -> OperationFailed:
    """The configuration is not one."""
    return _wrong(operation, "DecodeProviderConfiguration", message)


def invalid(operation: str, message: str) -> OperationFailed:
    """The configuration makes no sense."""
    return _wrong(operation, "ValidateProviderConfiguration", message)


def _check(config: CommonConfiguration, operation: str) -> None:
    for number, secret in enumerate(config.registry_pull_secrets):
        if not secret.name or not secret.namespace:
            raise invalid(operation, f"spec.config.registryPullSecrets[{number}] needs a name and a namespace")
    for name, value in config.env.items():
        if not _NAME.fullmatch(name):
            raise invalid(operation, f"spec.config.env: {name!r} is no name of a variable")
        if "\0" in _text(value):
            raise invalid(operation, f"spec.config.env: the value of {name} has a NUL byte, which no variable can have")
    for field in ("command", "interpreter", "args"):
        _check_words(field, getattr(config, field, None), operation)
    _check_sources(config, operation)
    continuous.parse(config.continuous_reconcile)


def _check_words(field: str, given: Words, operation: str) -> None:
    try:
        found = words(given)
    except ValueError as fault:
        raise invalid(operation, f"spec.config.{field}: {fault}; write a list") from None
    for number, word in enumerate(found):
        if "\0" in word:
            raise invalid(operation, f"spec.config.{field}[{number}] has a NUL byte, which no command line can have")
    if field != "args" and found and not found[0]:
        raise invalid(operation, f"spec.config.{field}[0] is empty; it is what is run, so name it")


def _check_sources(config: CommonConfiguration, operation: str) -> None:
    component, blueprint_ = config.component_descriptor, config.blueprint
    if component is not None and (component.ref is None) is (component.inline is None):
        raise invalid(operation, "spec.config.componentDescriptor needs either ref or inline")
    if component is not None and component.ref is not None:
        for field, value in (("componentName", component.ref.component_name), ("version", component.ref.version)):
            if not value:
                raise invalid(operation, f"spec.config.componentDescriptor.ref.{field} is missing")
    if blueprint_ is not None and (blueprint_.ref is None) is (blueprint_.inline is None):
        raise invalid(operation, "spec.config.blueprint needs either ref or inline")
    if blueprint_ is not None and blueprint_.ref is not None:
        if not blueprint_.ref.resource_name:
            raise invalid(operation, "spec.config.blueprint.ref.resourceName is missing")
        if component is None:
            raise invalid(operation, "spec.config.blueprint.ref needs spec.config.componentDescriptor")


def _text(value: str | int | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _plain(given: msgspec.Struct | None) -> dict[str, Any] | None:
    if given is None:
        return None
    plain: dict[str, Any] = msgspec.to_builtins(given)
    if isinstance(plain.get("ref"), dict):
        plain["ref"] = {name: value for name, value in plain["ref"].items() if value is not None}
    return {name: value for name, value in plain.items() if value is not None}


def _wrong(operation: str, reason: str, message: str) -> OperationFailed:
    return OperationFailed(operation, reason, message, codes=(ErrorCode.CONFIGURATION_PROBLEM,))
