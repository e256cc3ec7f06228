"""The normalised text of a component version: what its digest, and so its signature, is of.

It leaves out what may change on the way from one repository to another: repository contexts, accesses, source
references, labels that are not marked for signing, signatures. Three algorithms exist; a signature says which was used.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from landform.components import descriptors, gojson
from landform.components.errors import SignatureError
from landform.components.schemas import V2, V3

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

V1_ALGORITHM = "jsonNormalisation/v1"
V2_ALGORITHM = "jsonNormalisation/v2"
V3_ALGORITHM = "jsonNormalisation/v3"

_SIGNED_LABEL = ("name", "value", "version", "signing")
_WITHOUT_CONTENT = ("none", "None")
"""Accesses whose resource has no digest. Written with a version, such as none/v1, they are not recognised here."""


def normalise(v2: Mapping[str, Any], schema: str, algorithm: str) -> bytes:
    """The normalised text of a descriptor in the shape of v2 that is stored in a schema."""
    match algorithm:
        case "jsonNormalisation/v1" if schema == V2:
            return _listed(_first_of_v2(v2)).encode()
        case "jsonNormalisation/v1":
            return _listed(_first_of_v3(v2)).encode()
        case "jsonNormalisation/v2":
            return _canonical({"component": _independent(v2, _told_apart)}).encode()
        case "jsonNormalisation/v3":
            return _canonical({"component": _independent(v2, list)}).encode()
    raise SignatureError(f'normalisation algorithm "{algorithm}" is unknown; known are jsonNormalisation/v1 to v3')


Resources = list[dict[str, Any]]


def _independent(v2: Mapping[str, Any], resources: Callable[[Resources], Resources]) -> dict[str, Any]:
    """The component version without regard to the schema that it is stored in."""
    component = v2["component"]
    provider = descriptors.provider(component["provider"])
    return {
        **_given(component, "name", "version", "creationTime"),
        **_signed(component),
        "provider": {"name": provider["name"], **_signed(provider)},
        "sources": [_source(source) for source in component["sources"]],
        # Labels of references are signed as they are, all of them: a slip of the original that cannot be undone.
        "componentReferences": [
            {**_reference(reference), **_given(reference, "labels")} for reference in component["componentReferences"]
        ],
        "resources": [_resource(resource) for resource in resources(component["resources"])],
    }


def _first_of_v2(v2: Mapping[str, Any]) -> dict[str, Any]:
    component = v2["component"]
    provider = descriptors.provider(component["provider"])
    plain = provider["name"] if provider["name"] == component["provider"] else None
    return {
        "meta": {"schemaVersion": V2},
        "component": {
            **_given(component, "name", "version", "creationTime"),
            **_signed(component),
            "provider": plain if plain is not None else {"name": provider["name"], **_signed(provider)},
            "componentReferences": [
                {"extraIdentity": None, **_reference(reference), **_signed(reference)}
                for reference in component["componentReferences"]
            ],
            "resources": [
                {"extraIdentity": None, **_resource(resource)} for resource in _told_apart(component["resources"])
            ],
        },
    }


def _first_of_v3(v2: Mapping[str, Any]) -> dict[str, Any]:
    component = v2["component"]
    lists = {
        "sources": [_source(source) for source in component["sources"]],
        "references": [{**_reference(each), **_signed(each)} for each in component["componentReferences"]],
        "resources": [_resource(resource) for resource in _told_apart(component["resources"])],
    }
    return {
        "apiVersion": V3,
        "kind": "ComponentVersion",
        "metadata": {
            **_given(component, "name", "version", "creationTime"),
            **_signed(component),
            "provider": descriptors.provider(component["provider"]),
        },
        "spec": {key: entries for key, entries in lists.items() if entries},
    }


def _told_apart(resources: Resources) -> Resources:
    """The resources, with the version in the identity of those that have a twin: of two, the last stays as it is."""
    changed = [dict(resource) for resource in resources]
    twins = Counter(map(_identity, changed))
    for resource in changed:
        if twins[_identity(resource)] > 1:
            twins[_identity(resource)] -= 1
            resource["extraIdentity"] = {**(resource.get("extraIdentity") or {}), "version": resource["version"]}
            twins[_identity(resource)] += 1
    return changed


def _identity(resource: Mapping[str, Any]) -> tuple[str, frozenset[tuple[str, str]]]:
    return resource["name"], frozenset((resource.get("extraIdentity") or {}).items())


def _source(source: Mapping[str, Any]) -> dict[str, Any]:
    return {**_given(source, "name", "version", "extraIdentity", "type"), **_signed(source)}


def _reference(reference: Mapping[str, Any]) -> dict[str, Any]:
    return _given(reference, "name", "version", "extraIdentity", "componentName", "digest")


def _resource(resource: Mapping[str, Any]) -> dict[str, Any]:
    fields = ["name", "version", "extraIdentity", "type", "relation"]
    if resource["access"]["type"] not in _WITHOUT_CONTENT:
        fields.append("digest")
    return {**_given(resource, *fields), **_signed(resource)}


def _signed(element: Mapping[str, Any]) -> dict[str, Any]:
    """The labels that are marked for signing, as a field; nothing if there are none."""
    labels = [
        {key: label[key] for key in _SIGNED_LABEL if key in label}
        for label in element.get("labels") or ()
        if label.get("signing")
    ]
    return {"labels": labels} if labels else {}


def _given(source: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: source[key] for key in keys if source.get(key)}


def _canonical(value: Any) -> str:
    """JSON as RFC 8785 writes it: keys in the order of their UTF-16 units, numbers as in ECMAScript."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(f"{_text(key)}:{_canonical(value[key])}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_canonical, value)) + "]"
    text = _scalar(value)
    return "0" if text == "-0" else text  # ECMAScript does not write the sign of nothing; Go does


def _listed(value: Any) -> str:
    """JSON in which every object is a list of objects with one key, in the order of their bytes."""
    if isinstance(value, dict):
        keys = sorted(value, key=str.encode)
        return "[" + ",".join(f"{{{gojson.escape(_text(key))}:{_listed(value[key])}}}" for key in keys) + "]"
    if isinstance(value, list):
        return "[" + ",".join(map(_listed, value)) + "]"
    return gojson.escape(_scalar(value))


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return gojson.number(float(value))


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
