"""The elements of an imported list or map of Targets, found again by their labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.api.names import Label
from landform.blueprints.errors import Fault, InvalidValue

if TYPE_CHECKING:
    from collections.abc import Iterable

    from landform.api.targets import Target


def listed(targets: Iterable[Target]) -> list[Target]:
    """The Targets of a list, in the order of their positions; the original has them in the order of hashed names."""
    return [target for _, target in sorted(((_index(target), target) for target in targets), key=lambda pair: pair[0])]


def mapped(targets: Iterable[Target]) -> dict[str, Target]:
    """The Targets of a map by key, in the order of the keys."""
    by_key = {_label(target, Label.DATA_TARGET_MAP_KEY): target for target in targets}
    return {key: by_key[key] for key in sorted(by_key)}


def _index(target: Target) -> int:
    text = _label(target, Label.DATA_INDEX)
    if not text.isdecimal():
        raise InvalidValue(_title(target), [Fault(f"label {Label.DATA_INDEX}", "this must be a position in a list")])
    return int(text)


def _label(target: Target, label: Label) -> str:
    value = (target.metadata.labels or {}).get(label)
    if value is None:
        raise InvalidValue(_title(target), [Fault(f"label {label}", "this label is missing")])
    return value


def _title(target: Target) -> str:
    return f"Target {target.metadata.name} cannot be an element of an import"
