"""Whether a CustomResourceDefinition is one that can be served, with the faults of the API server."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from landform.embedded.schemas import causes, defaultchecks, formats, nodes, schemarules, schemawords, structures
from landform.kit import names
from landform.kit.patches import same
from landform.kit.quoting import quote

if TYPE_CHECKING:
    from landform.cluster.errors import Cause

_COLUMN_TYPES = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
_ROOT_WORDS = {
    "description": "Description", "type": "Type", "format": "Format", "title": "Title", "maximum": "Maximum",
    "exclusiveMaximum": "ExclusiveMaximum", "minimum": "Minimum", "exclusiveMinimum": "ExclusiveMinimum",
    "maxLength": "MaxLength", "minLength": "MinLength", "pattern": "Pattern", "maxItems": "MaxItems",
    "minItems": "MinItems", "uniqueItems": "UniqueItems", "multipleOf": "MultipleOf", "required": "Required",
    "items": "Items", "properties": "Properties", "externalDocs": "ExternalDocs", "example": "Example",
    "x-kubernetes-preserve-unknown-fields": "XPreserveUnknownFields", "x-kubernetes-validations": "XValidations",
}  # fmt: skip
"""What the root of a schema may say if the status is a subresource, with the API server's names for it."""

_MOST_SELECTABLE_FIELDS = 8
_APPROVAL = "api-approved.kubernetes.io"
_PROTECTED_GROUP = re.compile(r"(.*\.)?(k8s|kubernetes)\.io\Z")
_NO_WEBHOOKS = "conversion webhooks are not supported by the embedded API; serve versions that differ only in schema"
_PATH_TOKEN = re.compile(r"[.\[\]]|[^.\[\]]+")
_Object = Mapping[str, Any]


def check_definition(crd: dict[str, Any]) -> list[Cause]:
    """All faults of a CustomResourceDefinition, with what its author may leave out taken as filled in.

    The object's name is only held against ``plural.group``; that it is a name at all, the registry checks.
    """
    spec = _with_defaults(crd.get("spec") or {})
    wrong_types = list(_check_types(spec))
    if wrong_types:
        return wrong_types
    return [
        *_check_name(crd, spec),
        *_check_group_and_scope(spec),
        *_check_versions(spec),
        *_check_names(spec["names"]),
        *_check_shared(spec),
        *_check_conversion(spec),
        *_check_stored_versions(crd, spec),
        *_check_approval(crd, spec),
        *_check_preserve(spec),
    ]


def unrecognized_formats(crd: _Object) -> list[str]:
    """The API server's warnings for formats of strings that it does not check."""
    found = []
    for version in _versions(crd.get("spec") or {}):
        found += _unrecognized((version.get("schema") or {}).get("openAPIV3Schema") or {})
    return [f"unrecognized format {quote(format_)}" for format_ in found]


def _unrecognized(schema: _Object) -> list[str]:
    name = schema.get("format")
    found = [name] if name and schema.get("type") == "string" and formats.check_of(name) is None else []
    for _, inner in schemawords.inner_schemas(schema, ""):
        found += _unrecognized(inner)
    return found


def _with_defaults(spec: Any) -> dict[str, Any]:
    spec = dict(spec) if isinstance(spec, Mapping) else {}
    given = spec.get("names")
    known = dict(given) if isinstance(given, Mapping) else {}
    kind = str(known.get("kind") or "")
    known["singular"] = known.get("singular") or kind.lower()
    known["listKind"] = known.get("listKind") or (f"{kind}List" if kind else "")
    return {**spec, "names": known}


def _versions(spec: _Object) -> Sequence[_Object]:
    return spec.get("versions") or ()


def _check_types(spec: _Object) -> Iterable[Cause]:
    """Only what the definition's own schema leaves open: the inside of the schemas."""
    for index, version in enumerate(_versions(spec)):
        schema = (version.get("schema") or {}).get("openAPIV3Schema")
        if schema is not None:
            yield from schemawords.type_faults(schema, f"spec.versions[{index}].schema.openAPIV3Schema")


def _check_name(crd: _Object, spec: _Object) -> Iterable[Cause]:
    name = (crd.get("metadata") or {}).get("name") or ""
    if name != f"{spec['names'].get('plural') or ''}.{spec.get('group') or ''}":
        yield causes.invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group')


def _check_group_and_scope(spec: _Object) -> Iterable[Cause]:
    group, scope = spec.get("group") or "", spec.get("scope") or ""
    problems = names.subdomain(group)
    if not group:
        yield causes.required("spec.group")
    elif problems:
        yield causes.invalid("spec.group", group, ",".join(problems))
    elif "." not in group:
        yield causes.invalid("spec.group", group, "should be a domain with at least one dot")
    if not scope:
        yield causes.required("spec.scope")
    elif scope not in ("Cluster", "Namespaced"):
        yield causes.not_supported("spec.scope", scope, ("Cluster", "Namespaced"))


def _check_versions(spec: _Object) -> Iterable[Cause]:
    versions = _versions(spec)
    for index, version in enumerate(versions):
        if (version.get("schema") or {}).get("openAPIV3Schema") is None:
            yield causes.required(f"spec.versions[{index}].schema.openAPIV3Schema")
    shared = _shared_words(versions)
    for index, version in enumerate(versions):
        path = f"spec.versions[{index}]"
        problems = names.dns_1035_label(version.get("name") or "")
        if problems:
            yield causes.invalid(f"{path}.name", version.get("name") or "", ",".join(problems))
        yield from _check_deprecation(version, f"{path}.deprecationWarning")
        yield from _check_parts({word: part for word, part in version.items() if word not in shared}, version, path)
    told = [version.get("name") for version in versions]
    if len(set(told)) < len(told):
        yield causes.invalid("spec.versions", list(versions), "must contain unique version names")
    if sum(bool(version.get("storage")) for version in versions) != 1:
        detail = "must have exactly one version marked as storage version"
        yield causes.invalid("spec.versions", list(versions), detail)
    if versions:  # the API server also holds the first version in a field of its own
        yield from _check_label(versions[0].get("name"), "spec.version")


def _shared_words(versions: Sequence[_Object]) -> set[str]:
    """What all versions say alike: the API server reports its faults once, at the top of the specification."""
    parts = ("schema", "subresources", "additionalPrinterColumns", "selectableFields")
    return {part for part in parts if all(same(version.get(part), versions[0].get(part)) for version in versions)}


def _check_shared(spec: _Object) -> Iterable[Cause]:
    versions = _versions(spec)
    if versions:
        shared = {word: versions[0].get(word) for word in _shared_words(versions)}
        if "schema" in shared:
            has_status = any(_has_status(version) for version in versions)
            yield from _check_schema(shared["schema"], "spec.validation", has_status=has_status)
        yield from _check_parts({**shared, "schema": None}, versions[0], "spec")


def _check_parts(parts: _Object, version: _Object, path: str) -> Iterable[Cause]:
    """The parts that stand either with each version or with all of them; `version` is one that has them."""
    yield from _check_schema(parts.get("schema"), f"{path}.schema", has_status=_has_status(version))
    yield from _check_subresources(parts.get("subresources") or {}, f"{path}.subresources")
    for index, column in enumerate(parts.get("additionalPrinterColumns") or ()):
        yield from _check_column(column, f"{path}.additionalPrinterColumns[{index}]")
    schema = (version.get("schema") or {}).get("openAPIV3Schema")
    yield from _check_selectable(parts.get("selectableFields") or (), schema, f"{path}.selectableFields")


def _has_status(version: _Object) -> bool:
    return (version.get("subresources") or {}).get("status") is not None


def _check_deprecation(version: _Object, path: str) -> Iterable[Cause]:
    warning = version.get("deprecationWarning")
    if warning is None:
        return
    if not version.get("deprecated"):
        yield causes.invalid(path, warning, "can only be set for deprecated versions")
        return
    if len(warning.encode()) > 256:
        yield causes.invalid(path, warning, "must be <= 256 characters long")
    if not warning:
        yield causes.invalid(path, warning, "must not be an empty string")
    for index, char in enumerate(warning):
        if not char.isprintable():
            detail = f"must only contain printable UTF-8 characters; non-printable character found at index {index}"
            yield causes.invalid(path, warning, detail)
            break


def _check_schema(part: _Object | None, path: str, *, has_status: bool) -> Iterable[Cause]:
    schema = (part or {}).get("openAPIV3Schema")
    if schema is None:
        return
    where = f"{path}.openAPIV3Schema"
    if has_status:
        yield from _check_root_words(schema, where)
    if schema.get("nullable"):
        yield causes.forbidden(f"{where}.nullable", "nullable cannot be true at the root")
    rule_faults = schemarules.check_rules(schema, where)
    foreign = schemawords.foreign_word(schema)
    if foreign is None:
        yield from structures.check_structure(schema, where) or _check_defaults(schema, where)
    elif not rule_faults:
        yield causes.invalid(where, "", foreign)
    yield from rule_faults


def _check_defaults(schema: _Object, path: str) -> list[Cause]:
    """Faults of defaults; none if the schema is too broken to hold anything against it."""
    if not schemawords.has_default(schema):
        return []
    try:
        node = nodes.parse(schema)
    except ValueError:  # an unknown list type, which is reported by itself
        return []
    return defaultchecks.check_defaults(node, path)


def _check_root_words(schema: _Object, path: str) -> Iterable[Cause]:
    type_ = schema.get("type")
    if type_ and type_ != "object":
        detail = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
        yield causes.invalid(f"{path}.type", type_, detail)
    elif any(value not in (None, "", False, [], {}) and word not in _ROOT_WORDS for word, value in schema.items()):
        allowed = " ".join(_ROOT_WORDS.values())
        detail = f"only [{allowed}] fields are allowed at the root of the schema if the status subresource is enabled"
        yield causes.invalid(path, dict(schema), detail)


def _check_subresources(subresources: _Object, path: str) -> Iterable[Cause]:
    scale = subresources.get("scale")
    if scale is None:
        return
    yield from _check_scale_path(scale, "specReplicasPath", (".spec.",), "under .spec", path)
    yield from _check_scale_path(scale, "statusReplicasPath", (".status.",), "under .status", path)
    if scale.get("labelSelectorPath"):
        where = "under either .spec or .status"
        yield from _check_scale_path(scale, "labelSelectorPath", (".spec.", ".status."), where, path)


def _check_scale_path(scale: _Object, word: str, starts: tuple[str, ...], where: str, path: str) -> Iterable[Cause]:
    text, field = scale.get(word) or "", f"{path}.scale.{word}"
    if not text:
        yield causes.required(field)
    elif not text.startswith("."):
        yield causes.invalid(field, text, "must be a simple json path starting with .")
    elif not text.startswith(starts):
        yield causes.invalid(field, text, f"should be a json path {where}")


def _check_column(column: _Object, path: str) -> Iterable[Cause]:
    type_, format_, json_path = column.get("type") or "", column.get("format") or "", column.get("jsonPath") or ""
    if not column.get("name"):
        yield causes.required(f"{path}.name")
    known = f"must be one of {','.join(_COLUMN_TYPES)}"
    if not type_:
        yield causes.required(f"{path}.type", known)
    elif type_ not in _COLUMN_TYPES:
        yield causes.invalid(f"{path}.type", type_, known)
    if format_ and format_ not in _COLUMN_FORMATS:
        yield causes.invalid(f"{path}.format", format_, f"must be one of {','.join(_COLUMN_FORMATS)}")
    if not json_path:
        yield causes.required(f"{path}.JSONPath")
    elif not json_path.startswith("."):
        yield causes.invalid(f"{path}.JSONPath", json_path, "must be a simple json path starting with .")


def _check_selectable(fields: Sequence[_Object], schema: _Object | None, path: str) -> Iterable[Cause]:
    if schema is None:
        if fields:
            yield causes.invalid(path, "", "may only be set when validations.schema is included")
        return
    seen: set[str] = set()
    for index, field in enumerate(fields):
        text, where = field.get("jsonPath") or "", f"{path}[{index}].jsonPath"
        if not text:
            yield causes.required(where)
            continue
        problem, found = _follow(text, schema)
        if problem:
            yield causes.invalid(where, text, f"is an invalid path: {problem}")
            continue
        if text.startswith(".metadata"):
            yield causes.invalid(where, text, "must not point to fields in metadata")
        if found.get("type") not in ("string", "boolean", "integer"):
            detail = (
                "must point to a field of type string, boolean or integer."
                " Enum string fields and strings with formats are allowed."
            )
            yield causes.invalid(where, text, detail)
        if text in seen:
            yield causes.duplicate(where, text)
        seen.add(text)
    if len(seen) > _MOST_SELECTABLE_FIELDS:
        yield causes.too_many(path, len(seen), _MOST_SELECTABLE_FIELDS)


def _follow(text: str, schema: _Object) -> tuple[str, _Object]:
    """What is wrong with a path of field names, and the schema it leads to."""
    tokens = iter(_PATH_TOKEN.findall(text))
    for token in tokens:
        if token == "[":
            return "array notation is not allowed", {}
        if token != ".":
            return f"expected [ or . but got: {token}", {}
        name = next(tokens, None)
        if name is None:
            return "unexpected end of JSON path", {}
        properties, additional = schema.get("properties") or {}, schema.get("additionalProperties")
        inner = properties.get(name) if properties else additional
        if not isinstance(inner, Mapping):
            return "does not refer to a valid field", {}
        schema = inner
    return "", schema


def _check_names(told: _Object) -> Iterable[Cause]:
    for word in ("plural", "singular", "kind", "listKind"):
        if not told.get(word):
            yield causes.required(f"spec.names.{word}")
    for word in ("plural", "singular"):
        yield from _check_label(told.get(word), f"spec.names.{word}")
    for word in ("kind", "listKind"):
        text = told.get(word) or ""
        problems = names.dns_1035_label(text.lower()) if text else []
        if problems:
            detail = f"may have mixed case, but should otherwise match: {','.join(problems)}"
            yield causes.invalid(f"spec.names.{word}", text, detail)
    for index, short in enumerate(told.get("shortNames") or ()):
        yield from _check_label(short, f"spec.names.shortNames[{index}]", may_be_empty=False)
    if told.get("kind") and told["kind"] == told.get("listKind"):
        yield causes.invalid("spec.names.listKind", told["kind"], "kind and listKind may not be the same")
    for index, category in enumerate(told.get("categories") or ()):
        yield from _check_label(category, f"spec.names.categories[{index}]", may_be_empty=False)


def _check_label(text: str | None, path: str, *, may_be_empty: bool = True) -> Iterable[Cause]:
    problems = names.dns_1035_label(text or "")
    if problems and (text or not may_be_empty):
        yield causes.invalid(path, text or "", ",".join(problems))


def _check_conversion(spec: _Object) -> Iterable[Cause]:
    conversion = spec.get("conversion")
    if conversion is None:
        return
    strategy = conversion.get("strategy") or ""
    if not strategy:
        yield causes.required("spec.conversion.strategy")
    elif strategy == "Webhook":
        yield causes.invalid("spec.conversion.strategy", strategy, _NO_WEBHOOKS)
        return
    elif strategy != "None":
        yield causes.not_supported("spec.conversion.strategy", strategy, ("None", "Webhook"))
    webhook = conversion.get("webhook") or {}
    detail = "should not be set when strategy is not set to Webhook"
    if webhook.get("clientConfig") is not None:
        yield causes.forbidden("spec.conversion.webhookClientConfig", detail)
    if webhook.get("conversionReviewVersions"):
        yield causes.forbidden("spec.conversion.conversionReviewVersions", detail)


def _check_stored_versions(crd: _Object, spec: _Object) -> Iterable[Cause]:
    versions = _versions(spec)
    storage = [version.get("name") for version in versions if version.get("storage")]
    stored = list((crd.get("status") or {}).get("storedVersions") or ())
    stored += [version for version in storage[:1] if version not in stored]
    if not stored:
        yield causes.invalid("status.storedVersions", None, "must have at least one stored version")
        return
    for version in storage:
        if version not in stored:
            yield causes.invalid("status.storedVersions", stored, f"must have the storage version {version}")
    told = {version.get("name") for version in versions}
    for index, version in enumerate(stored):
        if version not in told:
            detail = (
                f"missing from spec.versions; {version} was previously a storage version, and must remain in"
                " spec.versions until a storage migration ensures no data remains persisted in"
                f" {version} and removes {version} from status.storedVersions"
            )
            yield causes.invalid(f"status.storedVersions[{index}]", version, detail)


def _check_approval(crd: _Object, spec: _Object) -> Iterable[Cause]:
    """Kubernetes' own groups are not for everyone; the annotation shows that its authors agreed, or that one knows."""
    if not _PROTECTED_GROUP.match(spec.get("group") or ""):
        return
    text = ((crd.get("metadata") or {}).get("annotations") or {}).get(_APPROVAL) or ""
    path, see = f"metadata.annotations[{_APPROVAL}]", "see https://github.com/kubernetes/enhancements/pull/1111"
    if not text:
        yield causes.required(path, f'protected groups must have approval annotation "{_APPROVAL}", {see}')
    elif not text.startswith(("unapproved", "https://", "http://")):
        either = 'with either a URL or a reason starting with "unapproved"'
        detail = f'protected groups must have approval annotation "{_APPROVAL}" {either}, {see}'
        yield causes.invalid(path, text, detail)


def _check_preserve(spec: _Object) -> Iterable[Cause]:
    if spec.get("preserveUnknownFields"):
        schemas = [(version.get("schema") or {}).get("openAPIV3Schema") or {} for version in _versions(spec)]
        if any(map(schemawords.has_default, schemas)):
            detail = "must be false in order to use defaults in the schema"
            yield causes.invalid("spec.preserveUnknownFields", True, detail)
        detail = (
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
        )
        yield causes.invalid("spec.preserveUnknownFields", True, detail)
