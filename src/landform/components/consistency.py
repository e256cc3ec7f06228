"""What the schemas cannot say about a component descriptor: which things of a list must be told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.components import selection
from landform.components.errors import DescriptorError
from landform.components.schemas import V2

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def check(v2: Mapping[str, Any], schema: str) -> None:
    """Raise DescriptorError, with the place in the schema that it is stored in, unless everything can be told apart."""
    is_old = schema == V2
    component, place = v2["component"], "component" if is_old else "spec"
    _check_labels(component, "component" if is_old else "metadata")
    _check_identities(component["sources"], f"{place}.sources")
    for field, name in (
        ("componentReferences", "componentReferences" if is_old else "references"),
        ("resources", "resources"),
    ):
        _check_identities(component[field], f"{place}.{name}")
        for index, element in enumerate(component[field]):
            _check_labels(element, f"{place}.{name}[{index}]")


def _check_identities(elements: Sequence[Mapping[str, Any]], place: str) -> None:
    if len({element["name"] for element in elements}) == len(elements):
        return
    known: dict[frozenset[tuple[str, str]], int] = {}
    for index, identity in enumerate(selection.identities(elements)):
        first = known.setdefault(frozenset(identity.items()), index)
        if first != index:
            raise DescriptorError(
                f"it has the same name, version and extra identity as number {first} of the list; "
                "give one of them an extra identity",
                f"{place}[{index}]",
            )


def _check_labels(element: Mapping[str, Any], where: str) -> None:
    """Those of an element, and of its references to sources."""
    known: set[str] = set()
    for index, label in enumerate(element.get("labels") or ()):
        if label["name"] in known:
            raise DescriptorError(f"there is another label {label['name']!r}", f"{where}.labels[{index}]")
        known.add(label["name"])
    for number, reference in enumerate(element.get("srcRefs") or ()):
        _check_labels(reference, f"{where}.srcRefs[{number}]")
