"""Finding resources and references in a descriptor by their identity."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from landform.components.errors import Ambiguous, NotFound

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Element = dict[str, Any]


def resources(v2: Mapping[str, Any], selector: Mapping[str, str]) -> list[Element]:
    """The resources whose identity has all given keys with the given values."""
    return _select(v2["component"]["resources"], selector)


def references(v2: Mapping[str, Any], selector: Mapping[str, str]) -> list[Element]:
    """The component references whose identity has all given keys with the given values."""
    return _select(v2["component"]["componentReferences"], selector)


def identities(elements: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """The identity of each element of one list: its extra identity and its name.

    Where an element has a twin that differs in nothing but the version, the version belongs to the identity.
    """
    twins = Counter(map(_without_version, elements))
    return [_identity(element, twins[_without_version(element)] > 1) for element in elements]


def resource_named(v2: Mapping[str, Any], name: str) -> Element:
    """The resource of that name, also if it has an extra identity, as long as the name says which one is meant."""
    return _named(v2, "resources", "resource", name)


def reference_named(v2: Mapping[str, Any], name: str) -> Element:
    """The component reference of that name, under the same rule as for resources."""
    return _named(v2, "componentReferences", "component reference", name)


def _named(v2: Mapping[str, Any], field: str, what: str, name: str) -> Element:
    elements = v2["component"][field]
    found = [
        (identity, element)
        for identity, element in zip(identities(elements), elements, strict=True)
        if element["name"] == name
    ]
    exact = [element for identity, element in found if len(identity) == 1]
    if len(exact) == 1:
        return dict(exact[0])
    if len(found) == 1:
        return dict(found[0][1])
    component = f"{v2['component']['name']}:{v2['component']['version']}"
    if not found:
        known = ", ".join(sorted({element["name"] for element in elements})) or "none"
        raise NotFound(f'{what} "{name}" not found in component version "{component}"; it has: {known}')
    raise Ambiguous(
        f'{what} "{name}" is ambiguous in component version "{component}": {len(found)} have that name, with the '
        f"identities {_listing(identity for identity, _ in found)}; give the one that is meant a name of its own"
    )


def _select(elements: Sequence[Mapping[str, Any]], selector: Mapping[str, str]) -> list[Element]:
    return [
        dict(element)
        for identity, element in zip(identities(elements), elements, strict=True)
        if all(identity.get(key) == value for key, value in selector.items())
    ]


def _identity(element: Mapping[str, Any], has_twin: bool) -> dict[str, str]:
    identity = {**(element.get("extraIdentity") or {}), "name": element["name"]}
    if has_twin:
        identity.setdefault("version", element["version"])
    return identity


def _without_version(element: Mapping[str, Any]) -> tuple[str, frozenset[tuple[str, str]]]:
    extra = element.get("extraIdentity") or {}
    return element["name"], frozenset(pair for pair in extra.items() if pair[0] != "version")


def _listing(found: Iterable[Mapping[str, str]]) -> str:
    return "; ".join(",".join(f"{key}={identity[key]}" for key in sorted(identity)) for identity in found)
