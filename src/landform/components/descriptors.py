"""Component descriptors: read, checked, and turned from one schema into the other.

Everywhere else a descriptor is JSON data in the shape of schema v2 with all four lists present, so that nobody has to
ask which schema it was stored in. Both directions lose nothing that a component version is made of; fields that
the schemas do not know are dropped, except in accesses and repository contexts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import jsonschema_rs
import msgspec
import yaml

from landform.components import consistency, gojson
from landform.components.errors import DescriptorError
from landform.components.schemas import PROVIDER_SCHEMA, V2, V2_SCHEMA, V3, V3_SCHEMA
from landform.kit import yamls

_VALIDATORS = {V2: jsonschema_rs.Draft7Validator(V2_SCHEMA), V3: jsonschema_rs.Draft7Validator(V3_SCHEMA)}
_PROVIDER = jsonschema_rs.Draft7Validator(PROVIDER_SCHEMA)
_ODD = re.compile(rb"\xc2[\x80-\x9f]|\xe2\x80[\xa8\xa9]|\xef\xbf[\xbe\xbf]")
"""In UTF-8: further control characters, line and paragraph separators, what is no character."""

_MOST_FAULTS = 5
"""How many faults a message lists; one wrong indentation can break every line of a descriptor."""


def read(document: bytes | str | Mapping[str, Any]) -> dict[str, Any]:
    """The descriptor of a YAML or JSON document in the shape of v2; DescriptorError has the place of a fault."""
    value = parse(document)
    schema = schema_version(value)
    _validate(value, schema)
    tidy = _tidy_v2(value) if schema == V2 else to_v2(value)
    consistency.check(tidy, schema)
    return tidy


def parse(document: bytes | str | Mapping[str, Any]) -> dict[str, Any]:
    """The JSON object that a document holds, not yet checked."""
    if isinstance(document, Mapping):
        return dict(document)
    value: Any = document
    try:
        if isinstance(document, bytes | str):
            value = _load(document.encode() if isinstance(document, str) else document)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = _shortened(" ".join(str(error).split()))
        raise DescriptorError(f"the component descriptor is not readable as YAML: {reason}") from error
    if not isinstance(value, dict):
        raise DescriptorError(f"the component descriptor must be a map, not {_kind(value)}")
    return value


def schema_version(document: Mapping[str, Any]) -> str:
    """`v2` or `ocm.software/v3alpha1`, as the document itself says; both, none or another one is an error."""
    meta = document.get("meta")
    v2 = meta.get("schemaVersion") if isinstance(meta, Mapping) else None
    v3 = document.get("apiVersion")
    if v2 and v3:
        raise DescriptorError(f"a component descriptor has meta.schemaVersion or apiVersion, not both ({v2}, {v3})")
    found = v2 or v3
    if not found:
        raise DescriptorError(
            "the component descriptor has no schema version: neither meta.schemaVersion nor apiVersion"
        )
    if found != (V2 if v2 else V3):
        raise DescriptorError(f'schema version "{found}" not supported; supported are {V2} and {V3}')
    return str(found)


def effective_repository_context(v2: Mapping[str, Any]) -> dict[str, Any] | None:
    """The last repository context: where the component version was stored last; None if it never was."""
    contexts = v2["component"].get("repositoryContexts") or ()
    return dict(contexts[-1]) if contexts else None


def to_v2(v3: Mapping[str, Any]) -> dict[str, Any]:
    """A valid v3alpha1 descriptor in the shape of v2."""
    metadata, spec = v3["metadata"], v3.get("spec") or {}
    component = {
        **_pick(metadata, "name", "version"),
        **_head(metadata),
        "provider": _provider_text(metadata["provider"]),
        **_lists(v3.get("repositoryContexts"), spec.get("sources"), spec.get("references"), spec.get("resources")),
    }
    return {"meta": {"schemaVersion": V2}, "component": component, **_tail(v3)}


def to_v3(v2: Mapping[str, Any]) -> dict[str, Any]:
    """A descriptor in the shape of v2 as v3alpha1, whose spec leaves out empty lists."""
    component = v2["component"]
    lists = _lists(*(component.get(key) for key in _LIST_NAMES))
    contexts = lists.pop("repositoryContexts")
    lists["references"] = lists.pop("componentReferences")
    return {
        "apiVersion": V3,
        "kind": "ComponentVersion",
        "metadata": {
            **_pick(component, "name", "version"),
            **_head(component),
            "provider": provider(component["provider"]),
        },
        "repositoryContexts": contexts,
        "spec": {key: lists[key] for key in ("sources", "references", "resources") if lists[key]},
        **_tail(v2),
    }


def provider(text: str) -> dict[str, Any]:
    """The provider of a v2 descriptor as an object: its text is a name, or the JSON of a name with labels."""
    try:
        value = msgspec.json.decode(text) if text.lstrip().startswith("{") else None
    except (msgspec.DecodeError, RecursionError):
        value = None
    if value is None or not _PROVIDER.is_valid(value):
        return {"name": text}
    labels = [_label(label) for label in value.get("labels") or ()]
    return {"name": value.get("name", ""), **({"labels": labels} if labels else {})}


_LIST_NAMES = ("repositoryContexts", "sources", "componentReferences", "resources")
_LABEL_FIELDS = ("name", "value", "version", "signing", "merge")
_ELEMENT_FIELDS = ("version", "extraIdentity", "labels")


def _tidy_v2(document: Mapping[str, Any]) -> dict[str, Any]:
    component = document["component"]
    tidy = {
        **_pick(component, "name", "version"),
        **_head(component),
        "provider": _provider_text(provider(component["provider"])),
        **_lists(*(component.get(key) for key in _LIST_NAMES)),
    }
    return {"meta": {"schemaVersion": V2}, "component": tidy, **_tail(document)}


def _head(metadata: Mapping[str, Any]) -> dict[str, Any]:
    head: dict[str, Any] = {}
    if metadata.get("labels"):
        head["labels"] = [_label(label) for label in metadata["labels"]]
    if metadata.get("creationTime"):
        head["creationTime"] = _time(metadata["creationTime"])
    return head


def _tail(document: Mapping[str, Any]) -> dict[str, Any]:
    tail = {
        "signatures": [_signature(signature) for signature in document.get("signatures") or ()],
        "nestedDigests": [_nested(nested) for nested in document.get("nestedDigests") or ()],
    }
    return {key: entries for key, entries in tail.items() if entries}


def _signature(signature: Mapping[str, Any]) -> dict[str, Any]:
    details = signature["signature"]
    tidy = {
        "name": signature["name"],
        "digest": _digest(signature["digest"]),
        "signature": {**_known(details, "algorithm", "value", "mediaType"), **_pick(details, "issuer")},
    }
    timestamp = signature.get("timestamp")
    return {**tidy, "timestamp": _known(timestamp, "value", "time")} if timestamp else tidy


def _nested(nested: Mapping[str, Any]) -> dict[str, Any]:
    tidy = _known(nested, "name", "version", "digest", "resourceDigests")
    if tidy.get("resourceDigests"):
        fields = ("name", "version", "extraIdentity", "digest")
        tidy["resourceDigests"] = [_with_digest(_known(entry, *fields)) for entry in tidy["resourceDigests"]]
    return _with_digest(tidy)


def _with_digest(tidy: dict[str, Any]) -> dict[str, Any]:
    return {**tidy, "digest": _digest(tidy["digest"])} if tidy.get("digest") else tidy


def _digest(digest: Mapping[str, Any]) -> dict[str, Any]:
    """A digest without what its schema does not know: it becomes part of what is signed."""
    return _known(digest, "hashAlgorithm", "normalisationAlgorithm", "value")


def _known(source: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: source[key] for key in keys if key in source}


def _lists(contexts: Any, sources: Any, references: Any, resources: Any) -> dict[str, list[Any]]:
    return {
        "repositoryContexts": [dict(context) for context in contexts or ()],
        "sources": [_element(source, "type", "access") for source in sources or ()],
        "componentReferences": [_element(reference, "componentName", "digest") for reference in references or ()],
        "resources": [_resource(resource) for resource in resources or ()],
    }


def _resource(resource: Mapping[str, Any]) -> dict[str, Any]:
    tidy = _element(resource, "type", "relation")
    source_refs = resource.get("srcRefs")
    source_refs = resource.get("srcRef") if source_refs is None else source_refs
    if source_refs:
        tidy["srcRefs"] = [_source_ref(reference) for reference in source_refs]
    return _with_digest({**tidy, **_pick(resource, "access", "digest")})


def _element(element: Mapping[str, Any], *fields: str) -> dict[str, Any]:
    tidy = {"name": _text(element["name"]), **_pick(element, *_ELEMENT_FIELDS, *fields)}
    if "extraIdentity" in tidy:
        tidy["extraIdentity"] = _texts(tidy["extraIdentity"])
    if "labels" in tidy:
        tidy["labels"] = [_label(label) for label in tidy["labels"]]
    return _with_digest(tidy)


def _source_ref(reference: Mapping[str, Any]) -> dict[str, Any]:
    tidy = _pick(reference, "identitySelector", "labels")
    if "identitySelector" in tidy:
        tidy["identitySelector"] = _texts(tidy["identitySelector"])
    if "labels" in tidy:
        tidy["labels"] = [_label(label) for label in tidy["labels"]]
    return tidy


def _texts(identity: Mapping[str, Any]) -> dict[str, str]:
    return {key: _text(value) for key, value in identity.items()}


def _text(value: Any) -> str:
    """What stands for a text: YAML without quotation marks makes 8080 a number and yes a truth value."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else gojson.compact(value)


def _label(label: Mapping[str, Any]) -> dict[str, Any]:
    """A label without what its schema does not know; its value counts also when it is null, false or empty."""
    return {key: label[key] for key in _LABEL_FIELDS if key == "value" or label.get(key)}


def _pick(source: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: source[key] for key in keys if source.get(key)}


def _provider_text(value: Mapping[str, Any]) -> str:
    if not value.get("labels"):
        return str(value["name"])
    labels = [{**_label(label), "value": _sorted(label.get("value"))} for label in value["labels"]]
    return gojson.compact({"name": value["name"], "labels": labels})


def _sorted(value: Any) -> Any:
    """The value with the keys of all its objects in order: this is a text, and it must not depend on who wrote it."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(inner) for inner in value] if isinstance(value, list) else value


def _time(text: str) -> str:
    """A time in UTC, rounded to seconds."""
    try:
        moment = datetime.fromisoformat(text).astimezone(UTC) + timedelta(microseconds=500_000)
    except (ValueError, OverflowError) as error:
        raise DescriptorError(f"{text!r} is not a time such as 2024-05-01T12:00:00Z", "creationTime") from error
    return f"{moment.replace(microsecond=0, tzinfo=None).isoformat()}Z"  # strftime writes the year 33 without zeros


def _load(document: bytes) -> Any:
    # JSON is YAML, and ten times faster to read as what it is, unless a descriptor, which counts as YAML, means
    # something else then.
    if document.lstrip()[:1] == b"{" and not _means_more_in_yaml(document):
        try:
            return msgspec.json.decode(document)
        except msgspec.DecodeError:
            pass  # YAML in flow style also begins with a brace
    return yamls.load(document.decode("utf-8"))


def _means_more_in_yaml(document: bytes) -> bool:
    """Whether a text has escaped surrogate pairs, which YAML has not, or characters that it folds or refuses."""
    return b"\\ud" in document.lower() or b"\x7f" in document or bool(not document.isascii() and _ODD.search(document))


def _validate(value: Mapping[str, Any], schema: str) -> None:
    faults = []
    for fault in _VALIDATORS[schema].iter_errors(value):
        faults.append((_path(fault.instance_path), _shortened(fault.message)))
        if len(faults) == _MOST_FAULTS:
            break
    if faults:
        path, message = faults[0]
        rest = "; ".join(f"{place}: {text}" for place, text in faults[1:])
        raise DescriptorError(message + (f"; {rest}" if rest else ""), path)


def _shortened(message: str) -> str:
    """A fault without the better part of a value that it quotes: a value may be the whole descriptor."""
    return message if len(message) <= 200 else f"{message[:100]} … {message[-90:]}"


def _path(parts: list[str | int]) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    return text.removeprefix(".") or "its root"


def _kind(value: Any) -> str:
    return {list: "a list", str: "a text", type(None): "nothing"}.get(type(value), "a number")
