"""Secrets: bytes under keys, some of them needed by the type."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import msgspec

from landform.embedded.schemas import causes
from landform.embedded.strategies import keyed_data
from landform.embedded.strategies.strategy import Object, Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.cluster.errors import Cause

_ACCOUNT_TOKEN = "kubernetes.io/service-account-token"
_ACCOUNT_NAME = "kubernetes.io/service-account.name"
_BASIC_AUTH = "kubernetes.io/basic-auth"
_NEEDED_KEYS = {
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
}
_JSON_TYPES = ("kubernetes.io/dockercfg", "kubernetes.io/dockerconfigjson")


def _prepare(obj: Object, old: Object | None) -> None:
    """``stringData`` is write-only: it ends up in ``data``, base64 encoded. The type is Opaque unless given."""
    texts, data = obj.get("stringData"), obj.get("data") or {}
    if texts is None:
        obj.pop("stringData", None)
    elif isinstance(data, dict) and _are_texts(texts):  # otherwise it is refused for its types
        del obj["stringData"]
        obj["data"] = data | {key: base64.b64encode((text or "").encode()).decode() for key, text in texts.items()}
    if not obj.get("type"):
        obj["type"] = old["type"] if old else "Opaque"


def _are_texts(value: object) -> bool:
    return isinstance(value, dict) and all(text is None or isinstance(text, str) for text in value.values())


def _check(obj: Object, old: Object | None) -> Iterator[Cause]:
    data = obj.get("data") or {}
    yield from keyed_data.check_keys(data, "data")
    yield from keyed_data.check_size(keyed_data.decoded_size(data), "data")
    yield from _check_type(obj, data)
    if old is not None and obj["type"] != old.get("type"):
        yield causes.invalid("type", obj["type"], "field is immutable")
    yield from keyed_data.check_immutable(obj, old, ("data",))


def _check_type(obj: Object, data: dict[str, str]) -> Iterator[Cause]:
    """What a type that is known promises to those who use such secrets."""
    type_ = obj["type"]
    if type_ == _ACCOUNT_TOKEN and not (obj["metadata"].get("annotations") or {}).get(_ACCOUNT_NAME):
        yield causes.required(f"metadata.annotations[{_ACCOUNT_NAME}]")
    if type_ == _BASIC_AUTH and "username" not in data and "password" not in data:
        yield causes.required("data[username]")
        yield causes.required("data[password]")
    for key in _NEEDED_KEYS.get(type_, ()):
        if key not in data:
            yield causes.required(f"data[{key}]")
        elif type_ in _JSON_TYPES and not _is_json(data[key]):
            yield causes.invalid(f"data[{key}]", "<secret contents redacted>", "it is not valid JSON")


def _is_json(encoded: str) -> bool:
    try:
        msgspec.json.decode(base64.b64decode(encoded), type=msgspec.Raw)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return False
    return True


STRATEGY = Strategy(_prepare, _check)
