"""The objects that an item wants: its manifests, lists expanded, with their kinds, in the order of creation; pure."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import msgspec

from landform.cluster.resources import CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES, SECRETS, Resource
from landform.deployers.manifest import readiness_fields as fields
from landform.deployers.manifest import references
from landform.deployers.manifest.configuration import GROUP, Policy
from landform.deployers.manifest.memory import ManagedResource

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from landform.cluster.resources import Unstructured
    from landform.deployers.manifest.configuration import Manifest
    from landform.deployers.manifest.references import Reference

LABEL: Final = f"{GROUP}/deployitem"
"""On every object that is created or updated: the name of the item."""

_LIST: Final = ("v1", "List")
_LONGEST_LABEL: Final = 63
_HASH_LENGTH: Final = 8
_GIVEN_BY_CLUSTERS: Final = ("resourceVersion", "uid", "creationTimestamp", "generation", "managedFields", "selfLink")
"""Metadata that nobody may say; a manifest that was read from a cluster has them."""


@dataclass(frozen=True)
class Wanted:
    """One object as it is wanted."""

    obj: Unstructured
    settings: Manifest
    resource: Resource[Unstructured]

    @cached_property
    def reference(self) -> Reference:
        """Which object it is."""
        return references.of(self.obj)

    @property
    def is_ignored(self) -> bool:
        """Whether it is none of our business."""
        return self.settings.policy == Policy.IGNORE

    def remembered(self, live: Unstructured | None = None, *, adopted: bool | None = None) -> ManagedResource:
        """What the item remembers of it; with its uid, once it is `live`."""
        said = self.settings
        uid = (live.get("metadata") or {}).get("uid") if live is not None else None
        return ManagedResource(
            resource=msgspec.structs.replace(self.reference, uid=uid),
            policy=said.policy,
            annotate_before_delete=said.annotate_before_delete,
            patch_before_delete=said.patch_before_delete,
            adopted=adopted,
        )


def label_value(item: str) -> str:
    """The name of an item as the value of a label, which may not be as long as a name."""
    if len(item) <= _LONGEST_LABEL:
        return item
    digest = hashlib.sha256(item.encode()).hexdigest()[:_HASH_LENGTH]
    return f"{item[: _LONGEST_LABEL - _HASH_LENGTH - 1].rstrip('.-')}-{digest}"


def expanded(manifests: Iterable[Manifest]) -> Iterator[Manifest]:
    """The manifests with lists replaced by their items, and lists in lists by theirs."""
    for manifest in manifests:
        for obj in _flat(manifest.manifest or {}):
            yield msgspec.structs.replace(manifest, manifest=obj)


def _flat(content: Unstructured, *, is_nested: bool = False) -> Iterator[Unstructured]:
    items = items_of(content, is_nested=is_nested)
    if items is None:
        yield content
    else:
        for item in items:
            yield from _flat(item, is_nested=True)


def repeated(manifests: Iterable[Manifest]) -> list[str]:
    """The objects that stand in more than one manifest."""
    counted = Counter(references.of(each.manifest or {}) for each in expanded(manifests))
    return [str(reference) for reference, count in counted.items() if count > 1]


def items_of(content: Mapping[str, Any], *, is_nested: bool = False) -> Any:
    """The items of a list; None for an object. Within a list, what has a name is an object, whatever its fields are."""
    items = content.get("items")
    if items is None and (content.get("apiVersion"), content.get("kind")) == _LIST:
        return []  # as Go writes it when it is empty
    return None if is_nested and fields.text(fields.mapping(content, "metadata"), "name") else items


def labelled(manifest: Manifest, item: str) -> Unstructured:
    """The object of a manifest as it is written: with the item's label, without what only clusters say."""
    content: dict[str, Any] = _as_stored(manifest.manifest or {})
    metadata = {k: v for k, v in (content.get("metadata") or {}).items() if k not in _GIVEN_BY_CLUSTERS}
    metadata["labels"] = {**(metadata.get("labels") or {}), LABEL: label_value(item)}
    return {**content, "metadata": metadata}


def _as_stored(obj: Unstructured) -> Unstructured:
    """A Secret with its plain texts encoded, as clusters store it: so that it can be compared and merged."""
    texts, data = obj.get("stringData"), obj.get("data") or {}
    is_secret = (obj.get("apiVersion"), obj.get("kind")) == (SECRETS.api_version, SECRETS.kind)
    if not is_secret or not isinstance(data, dict) or not isinstance(texts, dict):
        return dict(obj)
    if not all(isinstance(text, str) for text in texts.values()):
        return dict(obj)
    encoded = {name: base64.b64encode(text.encode()).decode() for name, text in texts.items()}
    return {**{k: v for k, v in obj.items() if k != "stringData"}, "data": {**data, **encoded}}


def is_labelled(live: Mapping[str, Any], item: str) -> bool:
    """Whether an object carries the item's label."""
    return _label(live) == label_value(item)


def has_label(live: Mapping[str, Any]) -> bool:
    """Whether an object carries the label of any item."""
    return bool(_label(live))


def _label(live: Mapping[str, Any]) -> str:
    return fields.text(fields.mapping(live, "metadata", "labels"), LABEL)


def defined(manifests: Iterable[Manifest]) -> Iterator[Resource[Unstructured]]:
    """The resources that definitions among the manifests bring."""
    for manifest in manifests:
        content = manifest.manifest or {}
        if not is_definition(content):
            continue
        spec = fields.mapping(content, "spec")
        names = fields.mapping(spec, "names")
        for version in fields.mappings(spec, "versions"):
            if version.get("served") is False:
                continue
            yield Resource(
                fields.text(spec, "group"),
                fields.text(version, "name"),
                fields.text(names, "kind"),
                fields.text(names, "plural"),
                spec.get("scope") == "Namespaced",
                dict,
            )


def is_definition(obj: Mapping[str, Any]) -> bool:
    """Whether an object defines a custom resource."""
    group = str(obj.get("apiVersion") or "").rpartition("/")[0]
    definitions = CUSTOM_RESOURCE_DEFINITIONS
    return bool(obj.get("kind") == definitions.kind and group == definitions.group)


def in_order(wanted: Iterable[Wanted]) -> list[list[Wanted]]:
    """Groups of objects, each to be there before the next: definitions, namespaces, cluster-scoped, namespaced."""
    groups: list[list[Wanted]] = [[], [], [], []]
    for each in wanted:
        groups[_rank(each)].append(each)
    return [group for group in groups if group]


def _rank(wanted: Wanted) -> int:
    if is_definition(wanted.obj):
        return 0
    if wanted.resource.namespaced:
        return 3
    return 1 if (wanted.resource.group, wanted.resource.kind) == ("", NAMESPACES.kind) else 2
