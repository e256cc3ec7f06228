"""Keeping secrets: what a cluster says of an object, without what the object keeps secret; pure."""

from __future__ import annotations

import base64
import binascii
import json
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import yaml

from landform.cluster.errors import ApiError, BadRequest, Invalid, Unauthorized
from landform.cluster.kinds import DATA_OBJECTS, TARGETS
from landform.cluster.resources import SECRETS
from landform.kit import yamls
from landform.kit.errors import LandformError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from landform.deployers.manifest.references import Reference

HIDDEN: Final = "(hidden)"

_PLACES: Final[Mapping[tuple[str, str], tuple[tuple[str, ...], ...]]] = {
    (SECRETS.group, SECRETS.kind): (("data",), ("stringData",)),
    (TARGETS.group, TARGETS.kind): (("spec", "config"),),
    (DATA_OBJECTS.group, DATA_OBJECTS.kind): (("data",),),
}
"""By group and kind: where in an object the values are that nobody may see."""

_VERDICT: Final = re.compile(r"(denied (?:the )?request).*", re.DOTALL)
"""In what a cluster says: the words after which a webhook or a policy speaks."""

_SHORT: Final = 6
"""A value of fewer characters is hidden only where it stands alone: it may be part of any other word."""


class Refused(LandformError):
    """A cluster refused something about an object; the message holds no secret of it."""

    def __init__(self, what: str, error: ApiError, *objs: Mapping[str, Any], hint: str = "") -> None:
        super().__init__(f"{what}: {safe_text(error, *objs)}{hint}")
        self.reason = error.reason
        self.retry_after = error.retry_after


@contextmanager
def telling(reference: Reference, *objs: Mapping[str, Any], doing: str = "") -> Iterator[list[Mapping[str, Any]]]:
    """Have whatever a cluster refuses in here told as a refusal of the object, and what was being done to it.

    `objs` are how it is known: its manifest, if there is one. What else of it is seen meanwhile is to be added.
    """
    known = [{"apiVersion": reference.api_version, "kind": reference.kind}, *objs]
    try:
        yield known
    except Unauthorized:
        raise
    except ApiError as error:
        raise Refused(f"{doing} of {reference}" if doing else str(reference), error, *known) from None


def is_secret(obj: Mapping[str, Any]) -> bool:
    """Whether nobody may see the object's values."""
    return bool(_places(obj))


def _places(obj: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    group = str(obj.get("apiVersion") or "").rpartition("/")[0]
    return _PLACES.get((group, str(obj.get("kind") or "")), ())


def safe_text(error: ApiError, *objs: Mapping[str, Any]) -> str:
    """What the cluster said, without the values that the object keeps secret in any of the states it is known in."""
    if not any(map(is_secret, objs)):
        return str(error)
    if isinstance(error, Invalid | BadRequest) and not _VERDICT.search(str(error)):
        # These quote values, cut where they are long, so that no search would find them. Policies do not.
        fields = ", ".join(cause.field for cause in error.causes if cause.field)
        return f"refused as {error.reason}" + (f" because of {fields}" if fields else "")
    text, values = str(error), {value for obj in objs for value in _values(obj)}
    if not values:
        # Whoever refused may quote what nobody here knows.
        return _VERDICT.sub(rf"\1: {HIDDEN}", text)
    for value in sorted(values, key=len, reverse=True):
        pattern = re.escape(value) if len(value) >= _SHORT else rf"(?<!\w){re.escape(value)}(?!\w)"
        text = re.sub(pattern, HIDDEN, text)
    return text


def _values(obj: Mapping[str, Any]) -> set[str]:
    """Everything that the object keeps secret, as it is written and in each form that it may be quoted in."""
    found: set[str] = set()
    for path in _places(obj):
        content: Any = obj
        for name in path:
            content = content.get(name) if isinstance(content, dict) else None
        found.update(_texts(content))
    return found


def _texts(value: Any) -> Iterator[str]:
    """All texts and numbers in a value; of a text also what it holds when it is base64, JSON or YAML."""
    if isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, str):
        yield from _forms(value)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _forms(text: str) -> Iterator[str]:
    if not text.strip():
        return
    yield text
    yield json.dumps(text)[1:-1]
    yield base64.b64encode(text.encode()).decode()
    yield from filter(None, (text.strip(), *(line.strip() for line in text.splitlines())))
    inner = _decoded(text)
    if inner is not None:
        yield from _forms(inner)
    content = _document(text)
    if content is not None:
        yield from _texts(content)


def _decoded(text: str) -> str | None:
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return None


def _document(text: str) -> Any:
    """The object or list that a text holds; None if it holds none."""
    if not text.lstrip().startswith(("{", "[")) and "\n" not in text and ": " not in text:
        return None
    try:
        content = yamls.load(text)
    except (yaml.YAMLError, ValueError):
        return None
    return content if isinstance(content, dict | list) else None
