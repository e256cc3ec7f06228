"""What a component descriptor must look like to be read: the JSON schemas of v2 and v3alpha1."""

from __future__ import annotations

import re
from dataclasses import dataclass
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
_FILLED: Schema = {"type": "string", "minLength": 1}
_SCALAR: Schema = {"type": ["string", "number", "boolean", "null"]}
"""Texts that YAML may take for a number or a truth value; they are read as the texts that they stand for."""

_KEY = r"^[a-z0-9]([-_+a-z0-9]*[a-z0-9])?$"
_NAME: Schema = {"type": ["string", "number", "boolean"], "minLength": 2, "pattern": _KEY}
_RESOURCE_NAME: Schema = {**_NAME, "type": ["string", "integer", "boolean"], "minimum": 0}
_COMPONENT: Schema = {"type": "string", "minLength": 1, "maxLength": 255, "pattern": _COMPONENT_NAME}
_VERSION_TEXT: Schema = {"type": "string", "pattern": VERSION_PATTERN}
_MOMENT: Schema = {
    "type": "string",
    "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.,][0-9]+)?(Z|[-+][0-9]{2}:[0-9]{2})$",
}
"""RFC 3339."""


def _object(required: str, properties: Schema, *, closed: bool = False) -> Schema:
    schema: Schema = {"type": "object", "required": required.split(), "properties": properties}
    return {**schema, "additionalProperties": False} if closed else schema


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _or_null(schema: Schema) -> Schema:
    return {**schema, "type": [schema["type"], "null"]}


_TYPED = _object("type", {"type": _TEXT})
_IDENTITY_KEY: Schema = {"minLength": 2, "pattern": _KEY}
_IDENTITY: Schema = {"type": "object", "propertyNames": _IDENTITY_KEY, "additionalProperties": _SCALAR}
_EXTRA_IDENTITY: Schema = {**_IDENTITY, "propertyNames": {**_IDENTITY_KEY, "not": {"const": "name"}}}
"""The name is an identity of its own, at least for sources and resources."""

_TIMESTAMP = _object("", {"value": _TEXT, "time": _MOMENT})


@dataclass(frozen=True)
class _Rules:
    """Where the two schemas differ: the newer one is closed, and has no null in the place of lists."""

    closed: bool

    def optional(self, schema: Schema) -> Schema:
        """Something that may be null in the older schema."""
        return schema if self.closed else _or_null(schema)

    def label(self, name: Schema = _FILLED) -> Schema:
        """A label; only those of sources and providers may have no name."""
        merge = _object(
            "", {"algorithm": {"type": "string", "pattern": "^[a-z][a-z0-9/_-]+$"}, "config": {}}, closed=True
        )
        version = {"type": ["string", "null"], "pattern": "^v[0-9]+$"}
        fields = {"name": name, "value": {}, "version": version, "signing": {"type": "boolean"}, "merge": merge}
        return _object("name value", fields, closed=self.closed)

    @property
    def digest(self) -> Schema:
        fields = {"hashAlgorithm": _TEXT, "normalisationAlgorithm": _TEXT, "value": _TEXT}
        return _object("hashAlgorithm normalisationAlgorithm value", fields, closed=self.closed)

    @property
    def element(self) -> Schema:
        labels = self.optional(_list(self.label()))
        return {"name": _NAME, "version": _VERSION_TEXT, "extraIdentity": _IDENTITY, "labels": labels}

    @property
    def source(self) -> Schema:
        fields = {
            **self.element,
            "extraIdentity": _EXTRA_IDENTITY,
            "type": _FILLED,
            "labels": _list(self.label(_TEXT)),
            "access": _TYPED,
        }
        return _object("name version type access", fields)

    @property
    def reference(self) -> Schema:
        fields = {**self.element, "componentName": _COMPONENT, "digest": _or_null(self.digest)}
        return _object("name componentName version", fields, closed=True)

    @property
    def resource(self) -> Schema:
        source_ref = {"identitySelector": _IDENTITY, "labels": self.optional(_list(self.label()))}
        fields = {
            **self.element,
            "name": _RESOURCE_NAME,
            "extraIdentity": _EXTRA_IDENTITY,
            "type": _FILLED,
            "relation": {"enum": ["local", "external"]},
            "access": _TYPED,
            "digest": _or_null(self.digest),
            "srcRefs": self.optional(_list(_object("", source_ref, closed=True))),
            "srcRef": _or_null(_list(_object("", source_ref))),
        }
        return _object("name version type relation access", fields)

    def signatures(self, signature: Schema) -> Schema:
        entry = {"name": _TEXT, "digest": self.digest, "signature": signature, "timestamp": _TIMESTAMP}
        return self.optional(_list(_object("name digest signature", entry, closed=True)))

    @property
    def nested_digests(self) -> Schema:
        required = " digest" if self.closed else ""
        fields = {"name": _TEXT, "version": _TEXT, "extraIdentity": _IDENTITY, "digest": self.digest}
        resources = self.optional(_list(_object(f"name{required}", fields)))
        entry = {"name": _COMPONENT, "version": _VERSION_TEXT, "digest": self.digest, "resourceDigests": resources}
        needed = " digest resourceDigests" if self.closed else ""
        return self.optional(_list(_object(f"name version{needed}", entry, closed=self.closed)))


_OLD, _NEW = _Rules(closed=False), _Rules(closed=True)
_SIGNATURE_PARTS: Schema = {"algorithm": _TEXT, "value": _TEXT, "mediaType": _TEXT}

PROVIDER_SCHEMA = _object("", {"name": _TEXT, "labels": _or_null(_list(_OLD.label(_TEXT)))})
"""The object that the text of a provider may hold in v2."""

V2_SCHEMA = _object(
    "meta component",
    {
        "meta": _object("schemaVersion", {"schemaVersion": {"const": V2}}),
        "component": _object(
            "name version provider repositoryContexts sources componentReferences resources",
            {
                "name": _COMPONENT,
                "version": _VERSION_TEXT,
                "provider": _FILLED,
                "labels": _list(_OLD.label()),
                "creationTime": _or_null(_MOMENT),
                "repositoryContexts": _or_null(_list(_TYPED)),
                "sources": _or_null(_list(_OLD.source)),
                "componentReferences": _or_null(_list(_OLD.reference)),
                "resources": _or_null(_list(_OLD.resource)),
            },
        ),
        "signatures": _OLD.signatures(_object("algorithm value mediaType", {**_SIGNATURE_PARTS, "issuer": _TEXT})),
        "nestedDigests": _OLD.nested_digests,
    },
)

V3_SCHEMA = _object(
    "apiVersion kind metadata spec",
    {
        "apiVersion": {"const": V3},
        "kind": {"const": "ComponentVersion"},
        "metadata": _object(
            "name version provider",
            {
                "name": _COMPONENT,
                "version": _VERSION_TEXT,
                "provider": _object("name", {"name": _FILLED, "labels": _list(_NEW.label(_TEXT))}, closed=True),
                "labels": _list(_NEW.label()),
                "creationTime": _MOMENT,
            },
            closed=True,
        ),
        "repositoryContexts": _list(_TYPED),
        "spec": _object(
            "",
            {"sources": _list(_NEW.source), "references": _list(_NEW.reference), "resources": _list(_NEW.resource)},
            closed=True,
        ),
        # Signatures with certificates name an issuer, which this schema has no place for: they exist in v2 only.
        "signatures": _NEW.signatures(_object("algorithm value mediaType", _SIGNATURE_PARTS, closed=True)),
        "nestedDigests": _NEW.nested_digests,
    },
)
