"""Functions that give kubeconfigs. Those that need a cluster ask a question; the one for OIDC only needs a Target."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import yaml

from landform.blueprints.templating.errors import FunctionError
from landform.gotemplate import YAML
from landform.kit import yamls

if TYPE_CHECKING:
    from landform.blueprints.questions import Answers

SHOOT_KUBECONFIG: Final = "admin kubeconfig of a shoot"
"""Kind of a question: shoot name, its namespace, seconds of validity, `TargetArgument` of the garden project."""

SERVICE_ACCOUNT_KUBECONFIG: Final = "kubeconfig of a service account"
"""Kind of a question: name, namespace, seconds of validity, `TargetArgument` of the cluster."""

TARGET_CONTENT: Final = "content of a Target"
"""Kind of a question for the text behind the secretRef of a `TargetArgument`."""

_OIDC_SCOPES = ("email", "profile", "offline_access")


@dataclass(frozen=True)
class TargetArgument:
    """A Target that a template handed over. Its content is part of it, but never of a message."""

    name: str
    namespace: str
    document: str = field(repr=False)
    """The whole object, as JSON text with sorted keys."""

    def __str__(self) -> str:
        return f"Target {self.namespace}/{self.name}" if self.namespace else f"Target {self.name}"


@dataclass(frozen=True)
class IssuedKubeconfig:
    """The answer to a question for a kubeconfig."""

    kubeconfig: str = field(repr=False)
    """The kubeconfig in base64."""
    expiration: datetime
    """When it ceases to be valid."""


class KubeconfigFunctions:
    """The functions, with the answers that are known."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers

    def shoot_admin(self, *arguments: Any) -> str:
        """The admin kubeconfig of a shoot, in base64."""
        return self._issued(SHOOT_KUBECONFIG, "shoot", arguments).kubeconfig

    def shoot_admin_with_expiration(self, *arguments: Any) -> dict[str, Any]:
        """The admin kubeconfig of a shoot, and when it ends."""
        return _with_expiration(self._issued(SHOOT_KUBECONFIG, "shoot", arguments))

    def service_account(self, *arguments: Any) -> str:
        """The kubeconfig of a service account, in base64."""
        return self._issued(SERVICE_ACCOUNT_KUBECONFIG, "service account", arguments).kubeconfig

    def service_account_with_expiration(self, *arguments: Any) -> dict[str, Any]:
        """The kubeconfig of a service account, and when it ends."""
        return _with_expiration(self._issued(SERVICE_ACCOUNT_KUBECONFIG, "service account", arguments))

    def oidc(self, *arguments: Any) -> str:
        """A kubeconfig for the cluster of a Target whose user logs in with a browser, in base64."""
        if len(arguments) != 3:
            raise FunctionError("expects 3 arguments: issuer url, client id, and target")
        issuer, client = _text(arguments, 0, "the issuer url"), _text(arguments, 1, "the client id")
        config = _kubeconfig(self._content(_target(arguments[2])))
        return base64.b64encode(YAML["toYaml"].call(_for_oidc(config, issuer, client)).encode()).decode()

    def _issued(self, kind: str, what: str, arguments: tuple[Any, ...]) -> IssuedKubeconfig:
        if len(arguments) != 4:
            raise FunctionError(f"expects 4 arguments: {what} name, its namespace, expiration seconds, and target")
        name, namespace = _text(arguments, 0, f"the {what} name"), _text(arguments, 1, f"the {what} namespace")
        seconds = arguments[2]
        if isinstance(seconds, bool) or not isinstance(seconds, int | float):
            raise FunctionError("expects an integer as argument 3, namely the expiration seconds")
        issued: IssuedKubeconfig = self._answers.ask(kind, name, namespace, int(seconds), _target(arguments[3]))
        return issued

    def _content(self, target: TargetArgument) -> str:
        """What the type of a Target is about: its config, or what stands in its Secret."""
        spec = json.loads(target.document).get("spec") or {}
        if spec.get("config") is not None:
            return json.dumps(spec["config"])
        if not spec.get("secretRef"):
            raise FunctionError(f"{target} has neither config nor secretRef")
        content: str = self._answers.ask(TARGET_CONTENT, target)
        return content


def _with_expiration(issued: IssuedKubeconfig) -> dict[str, Any]:
    moment = issued.expiration.astimezone(UTC)
    return {
        "kubeconfig": issued.kubeconfig,
        "expirationTimestamp": int(moment.timestamp()),
        "expirationTimestampReadable": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def _text(arguments: tuple[Any, ...], index: int, what: str) -> str:
    if not isinstance(arguments[index], str):
        raise FunctionError(f"expects a string as argument {index + 1}, namely {what}")
    return str(arguments[index])


def _target(value: Any) -> TargetArgument:
    metadata = value.get("metadata") or {} if isinstance(value, Mapping) else None
    if not isinstance(metadata, Mapping) or not isinstance(value.get("spec"), Mapping):
        raise FunctionError("expects a Target as last argument, such as an imported one")
    document = json.dumps(_whole_numbers(value), sort_keys=True)
    return TargetArgument(str(metadata.get("name", "")), str(metadata.get("namespace", "")), document)


def _whole_numbers(value: Any) -> Any:
    """The value without the floats that Go templates make of all numbers: an equal Target is an equal question."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {key: _whole_numbers(inner) for key, inner in value.items()}
    return [_whole_numbers(inner) for inner in value] if isinstance(value, list) else value


def _kubeconfig(content: str) -> dict[str, Any]:
    """The kubeconfig of a Target's content. Nothing of it reaches a message."""
    try:
        text = json.loads(content)["kubeconfig"]
        config = yamls.load(text) if isinstance(text, str) else None
    except (ValueError, KeyError, TypeError, RecursionError, yaml.YAMLError):
        raise FunctionError("the Target contains no kubeconfig as text") from None
    if not isinstance(config, dict):
        raise FunctionError("the Target contains no kubeconfig as text")
    return config


def _for_oidc(config: Mapping[str, Any], issuer: str, client: str) -> dict[str, Any]:
    """A kubeconfig with the current context only, and a user that runs ``kubectl oidc-login``."""
    context = _named(config, "contexts", config.get("current-context"))
    names = context.get("context") or {}
    arguments = [
        "oidc-login",
        "get-token",
        f"--oidc-issuer-url={issuer}",
        f"--oidc-client-id={client}",
        *(f"--oidc-extra-scope={scope}" for scope in _OIDC_SCOPES),
        "--oidc-use-pkce",
        "--grant-type=auto",
    ]
    login = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "kubectl",
        "args": arguments,
        "env": None,
        "provideClusterInfo": False,
    }
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "preferences": {},
        "current-context": config.get("current-context"),
        "contexts": [context],
        "clusters": [_named(config, "clusters", names.get("cluster"))],
        "users": [{"name": names.get("user"), "user": {"exec": login}}],
    }


def _named(config: Mapping[str, Any], field: str, name: Any) -> dict[str, Any]:
    for entry in config.get(field) or ():
        if isinstance(entry, dict) and entry.get("name") == name:
            return entry
    raise FunctionError(f"the Target's kubeconfig lacks the entry in {field} that its current context names")
