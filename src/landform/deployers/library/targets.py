"""Targets with what they hold: the access data itself, wherever it is written; pure."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import yaml

from landform.api import anyjson
from landform.api.errors import OperationFailed
from landform.api.names import KUBERNETES_CLUSTER
from landform.cluster.resources import ObjectKey
from landform.deployers.library.failures import SecretGone
from landform.kit import yamls

if TYPE_CHECKING:
    from landform.api.references import LocalSecretReference
    from landform.api.targets import Target
    from landform.cluster.resources import Unstructured

_OPERATION = "ResolveTarget"


@dataclass(frozen=True)
class ResolvedTarget:
    """A Target and its access data."""

    target: Target
    content: str = field(repr=False)
    """The JSON text of `spec.config`, or what the Secret holds; empty if the Target has neither."""

    @property
    def key(self) -> ObjectKey:
        """Which Target it is."""
        return ObjectKey(self.target.metadata.namespace or "", self.target.metadata.name or "")

    @property
    def type(self) -> str:
        """What kind of place it is."""
        return self.target.spec.type

    @property
    def is_kubernetes_cluster(self) -> bool:
        """Whether it names a Kubernetes cluster."""
        return self.type == KUBERNETES_CLUSTER

    @property
    def fingerprint(self) -> str:
        """The same for the same access to the same place."""
        text = f"{self.type}\0{self.key.namespace}\0{self.content}"
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    def __str__(self) -> str:
        return f"target {self.key}"


def secret_key(target: Target) -> ObjectKey | None:
    """The Secret that the Target takes its access data from, in its own namespace; None if it takes none."""
    reference = target.spec.secret_ref
    if reference is None or target.spec.config:
        return None
    return ObjectKey(target.metadata.namespace or "", reference.name)


def resolve(target: Target, secret: Unstructured | None) -> ResolvedTarget:
    """The Target with its access data; `secret` is the one that `secret_key` names, None if it is not there."""
    reference, key = target.spec.secret_ref, secret_key(target)
    if reference is None or key is None:
        return ResolvedTarget(target, bytes(target.spec.config).decode() if target.spec.config else "")
    name = f"target {target.metadata.namespace}/{target.metadata.name}"
    if secret is None:
        raise SecretGone(_OPERATION, "SecretNotFound", f"{name} names secret {key}, which does not exist")
    return ResolvedTarget(target, _content(name, key, reference, secret))


def _content(name: str, key: ObjectKey, reference: LocalSecretReference, secret: Unstructured) -> str:
    entries: dict[str, str] = secret.get("data") or {}
    if not reference.key:
        return json.dumps({entry: _value(_text(name, key, entry, data)) for entry, data in entries.items()})
    if reference.key not in entries:
        raise OperationFailed(
            _OPERATION,
            "SecretKeyNotFound",
            f"{name} names key {reference.key!r} of secret {key}, which has no such key",
        )
    return _text(name, key, reference.key, entries[reference.key])


def _text(name: str, key: ObjectKey, entry: str, data: str) -> str:
    try:
        return base64.b64decode(data or "").decode()
    except (binascii.Error, UnicodeDecodeError) as fault:
        message = f"{name}: the entry {entry!r} of secret {key} is not text"
        raise OperationFailed(_OPERATION, "SecretUnreadable", message) from fault


def _value(text: str) -> Any:
    """An entry as YAML, so that numbers are numbers; what is no YAML stays a text."""
    try:
        return yamls.load(text)
    except (yaml.YAMLError, ValueError):
        return text


def plain(target: ResolvedTarget) -> Unstructured:
    """The form in which programs are given it: ``{"target": ..., "content": "..."}``."""
    return {"target": anyjson.value(anyjson.of(target.target)), "content": target.content}
