"""What the schemas cannot say about a component descriptor: which names must be told apart, and which are reserved."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from landform.components import selection
from landform.components.errors import DescriptorError
from landform.components.schemas import KEY_PATTERN, V2

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_KEY = re.compile(KEY_PATTERN)
_PLACES = {
    "sources": ("component.sources", "spec.sources"),
    "componentReferences": ("component.componentReferences", "spec.references"),
    "resources": ("component.resources", "spec.resources"),
}


def check(v2: Mapping[str, Any], schema: str) -> None:
    """Raise DescriptorError with the place in the stored schema unless everything can be told apart."""
    is_old = schema == V2
    component = v2["component"]
    _check_labels(component, "component" if is_old else "metadata")
    for field, (old, new) in _PLACES.items():
        _check_elements(component[field], field, old if is_old else new)


def _check_elements(elements: Sequence[Mapping[str, Any]], field: str, place: str) -> None:
    known: dict[frozenset[tuple[str, str]], int] = {}
    for index, (element, identity) in enumerate(zip(elements, selection.identities(elements), strict=True)):
        where = f"{place}[{index}]"
        if field != "componentReferences" and "name" in (element.get("extraIdentity") or ()):
            raise DescriptorError("the key name is reserved for the name of the element", f"{where}.extraIdentity")
        if field == "resources" and not _KEY.fullmatch(element["name"]):
            raise DescriptorError(f"{element['name']!r} does not match {KEY_PATTERN!r}", f"{where}.name")
        if field != "sources":
            _check_labels(element, where)
        for number, reference in enumerate(element.get("srcRefs") or ()):
            _check_labels(reference, f"{where}.srcRefs[{number}]")
        first = known.setdefault(frozenset(identity.items()), index)
        if first != index:
            raise DescriptorError(
                f"it has the same name, version and extra identity as number {first} of the list; "
                "give one of them an extra identity",
                where,
            )


def _check_labels(element: Mapping[str, Any], where: str) -> None:
    known: set[str] = set()
    for index, label in enumerate(element.get("labels") or ()):
        name = label.get("name", "")
        if not name:
            raise DescriptorError("a label needs a name", f"{where}.labels[{index}]")
        if name in known:
            raise DescriptorError(f"there is another label {name!r}", f"{where}.labels[{index}]")
        known.add(name)
