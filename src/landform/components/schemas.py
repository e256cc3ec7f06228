"""What a component descriptor must look like to be read: the JSON schemas of v2 and v3alpha1."""

from __future__ import annotations

import re
from typing import Any

V2 = "v2"
V3 = "ocm.software/v3alpha1"

_NUMBER = r"(0|[1-9][0-9]*)"
_PRE_RELEASE = r"(0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)"
_BUILD = r"[0-9a-zA-Z-]+"
VERSION_PATTERN = (
    rf"^v?{_NUMBER}(\.{_NUMBER})?(\.{_NUMBER})?(-{_PRE_RELEASE}(\.{_PRE_RELEASE})*)?(\+{_BUILD}(\.{_BUILD})*)?$"
)
"""Semantic versions, relaxed: a leading `v` is fine, minor and patch may be missing."""

_VERSION = re.compile(VERSION_PATTERN)
_COMPONENT_NAME = r"^[a-z][-a-z0-9]*([.][a-z][-a-z0-9]*)*[.][a-z]{2,}(/[a-z][-a-z0-9_]*([.][a-z][-a-z0-9_]*)*)+$"


def is_version(text: str) -> bool:
    """Whether a text is a version that a component may have."""
    return _VERSION.fullmatch(text) is not None


Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_NAME: Schema = {"type": "string", "minLength": 2, "pattern": r"^[a-z0-9]([-_+a-z0-9]*[a-z0-9])?$"}
_COMPONENT: Schema = {"type": "string", "minLength": 1, "maxLength": 255, "pattern": _COMPONENT_NAME}
_VERSION_TEXT: Schema = {"type": "string", "pattern": VERSION_PATTERN}


def _object(required: str, properties: Schema, *, closed: bool = False) -> Schema:
    schema: Schema = {"type": "object", "required": required.split(), "properties": properties}
    return {**schema, "additionalProperties": False} if closed else schema


def _list(items: Schema) -> Schema:
    return {"type": ["array", "null"], "items": items}


def _or_null(schema: Schema) -> Schema:
    return {**schema, "type": [schema["type"], "null"]}


_LABEL = _object(
    "name value",
    {
        "name": _TEXT,
        "value": {},
        "version": {"type": "string", "pattern": "^v[0-9]+$"},
        "signing": {"type": "boolean"},
        "merge": {"type": ["object", "null"]},
    },
)
_TYPED = _object("type", {"type": _TEXT})
_DIGEST = _object(
    "hashAlgorithm normalisationAlgorithm value",
    {"hashAlgorithm": _TEXT, "normalisationAlgorithm": _TEXT, "value": _TEXT},
)
_IDENTITY = _or_null({"type": "object", "propertyNames": _NAME, "additionalProperties": _TEXT})
_ELEMENT: Schema = {"name": _NAME, "version": _VERSION_TEXT, "extraIdentity": _IDENTITY, "labels": _list(_LABEL)}
_SOURCE_REF = _object(
    "",
    {"identitySelector": _or_null({"type": "object", "additionalProperties": _TEXT}), "labels": _list(_LABEL)},
    closed=True,
)
_SOURCE = _object("name version type access", {**_ELEMENT, "type": _TEXT, "access": _TYPED})
_REFERENCE = _object(
    "name componentName version",
    {**_ELEMENT, "componentName": _COMPONENT, "digest": _or_null(_DIGEST)},
    closed=True,
)
_RESOURCE = _object(
    "name version type relation access",
    {
        **_ELEMENT,
        "type": _TEXT,
        "relation": {"enum": ["local", "external"]},
        "access": _TYPED,
        "digest": _or_null(_DIGEST),
        "srcRefs": _list(_SOURCE_REF),
        "srcRef": _list(_SOURCE_REF),
    },
)
_SIGNATURE_PARTS: Schema = {"algorithm": _TEXT, "value": _TEXT, "mediaType": _TEXT}


def _signatures(signature: Schema) -> Schema:
    entry = {"name": _TEXT, "digest": _DIGEST, "signature": signature, "timestamp": {"type": ["object", "null"]}}
    return _list(_object("name digest signature", entry, closed=True))


PROVIDER_SCHEMA = _object("name", {"name": _TEXT, "labels": _list(_LABEL)})
_NESTED_DIGESTS = _list(_object("name version", {"name": _TEXT, "version": _TEXT}))

V2_SCHEMA = _object(
    "meta component",
    {
        "meta": _object("schemaVersion", {"schemaVersion": {"const": V2}}),
        "component": _object(
            "name version provider repositoryContexts sources componentReferences resources",
            {
                "name": _COMPONENT,
                "version": _VERSION_TEXT,
                "provider": _TEXT,
                "labels": _list(_LABEL),
                "creationTime": {"type": ["string", "null"]},
                "repositoryContexts": _list(_TYPED),
                "sources": _list(_SOURCE),
                "componentReferences": _list(_REFERENCE),
                "resources": _list(_RESOURCE),
            },
        ),
        "signatures": _signatures(_object("algorithm value mediaType", {**_SIGNATURE_PARTS, "issuer": _TEXT})),
        "nestedDigests": _NESTED_DIGESTS,
    },
)

V3_SCHEMA = _object(
    "apiVersion kind metadata",
    {
        "apiVersion": {"const": V3},
        "kind": {"const": "ComponentVersion"},
        "metadata": _object(
            "name version provider",
            {
                "name": _COMPONENT,
                "version": _VERSION_TEXT,
                "provider": PROVIDER_SCHEMA,
                "labels": _list(_LABEL),
                "creationTime": {"type": ["string", "null"]},
            },
        ),
        "repositoryContexts": _list(_TYPED),
        "spec": _or_null(
            _object("", {"sources": _list(_SOURCE), "references": _list(_REFERENCE), "resources": _list(_RESOURCE)})
        ),
        # Signatures with certificates name an issuer, which this schema has no place for: they exist in v2 only.
        "signatures": _signatures(_object("algorithm value mediaType", _SIGNATURE_PARTS, closed=True)),
        "nestedDigests": _NESTED_DIGESTS,
    },
)
