"""Landscapes: Installations with everything that belongs to them, as one consistent value."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from landform.api import scopes
from landform.api.dataobjects import DataObject
from landform.api.deployitems import DeployItem
from landform.api.executions import Execution
from landform.api.installations import Installation
from landform.api.names import Annotation, Label, SourceType
from landform.api.targets import Target
from landform.cluster.resources import ObjectKey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from landform.api.structs import Kind

Worker: TypeAlias = Installation | Execution | DeployItem
"""What has a phase."""

Export: TypeAlias = DataObject | Target
"""What an Installation gives to its scope."""

K = TypeVar("K", bound="Kind")


@dataclass(frozen=True)
class Landscape:
    """Some Installations with all that is below them; children are in the order of their names."""

    installations: Sequence[Installation] = ()
    executions: Sequence[Execution] = ()
    items: Sequence[DeployItem] = ()
    exports: Sequence[Export] = ()

    def roots(self) -> list[Installation]:
        """The Installations whose parent is not here, by namespace and name."""
        return sorted((each for each in self.installations if self.parent(each) is None), key=key_of)

    def installation(self, key: ObjectKey) -> Installation | None:
        """The Installation of that name."""
        return self._installations.get(key)

    def parent(self, installation: Installation) -> Installation | None:
        """The Installation that one is a part of."""
        name = parent_of(installation)
        return self._installations.get(ObjectKey(installation.metadata.namespace or "", name)) if name else None

    def children_of(self, installation: Installation) -> Sequence[Installation]:
        """The sub-Installations."""
        return self._children.get(key_of(installation), ())

    def execution_of(self, installation: Installation) -> Execution | None:
        """The Execution: it has the name of its Installation."""
        return self._executions.get(key_of(installation))

    def items_of(self, execution: Execution) -> Sequence[DeployItem]:
        """The DeployItems of an Execution."""
        return self._items.get(key_of(execution), ())

    def exports_of(self, installation: Installation) -> Sequence[Export]:
        """What an Installation exported."""
        return self._exports.get(key_of(installation), ())

    def merged(self, other: Landscape) -> Landscape:
        """Both in one; where they know the same object, the other's counts."""
        return Landscape(
            _united(self.installations, other.installations),
            _united(self.executions, other.executions),
            _united(self.items, other.items),
            _united(self.exports, other.exports),
        )

    @cached_property
    def _installations(self) -> Mapping[ObjectKey, Installation]:
        return {key_of(each): each for each in self.installations}

    @cached_property
    def _executions(self) -> Mapping[ObjectKey, Execution]:
        return {key_of(each): each for each in self.executions}

    @cached_property
    def _children(self) -> Mapping[ObjectKey, list[Installation]]:
        return _grouped(self.installations, parent_of)

    @cached_property
    def _items(self) -> Mapping[ObjectKey, list[DeployItem]]:
        return _grouped(self.items, execution_of)

    @cached_property
    def _exports(self) -> Mapping[ObjectKey, list[Export]]:
        return _grouped(self.exports, exporter_of)


def key_of(obj: Kind) -> ObjectKey:
    """Which object this is."""
    return ObjectKey(obj.metadata.namespace or "", obj.metadata.name or "")


def label_of(obj: Kind, label: Label) -> str:
    """The value of a label; empty if there is none."""
    return (obj.metadata.labels or {}).get(label, "")


def annotation_of(obj: Kind, annotation: Annotation) -> str:
    """The value of an annotation; empty if there is none."""
    return (obj.metadata.annotations or {}).get(annotation, "")


def parent_of(installation: Installation) -> str:
    """The name of the Installation that one is a part of; empty for a root."""
    return label_of(installation, Label.ENCOMPASSED_BY)


def execution_of(item: DeployItem) -> str:
    """The name of the Execution that an item belongs to; empty if it stands alone."""
    return label_of(item, Label.MANAGED_BY)


def exporter_of(export: Export) -> str:
    """The name of the Installation that exported it; empty if none did."""
    if label_of(export, Label.DATA_SOURCE_TYPE) != SourceType.EXPORT:
        return ""
    source = label_of(export, Label.DATA_SOURCE)
    return source.removeprefix(scopes.INSTALLATION_PREFIX) if source.startswith(scopes.INSTALLATION_PREFIX) else ""


def root_of(landscape: Landscape, obj: Worker) -> Installation | None:
    """The Installation at the top of the tree that an object belongs to."""
    key = key_of(obj)
    found: Installation | None = None
    if isinstance(obj, Installation):
        found = obj
    elif name := execution_of(obj) if isinstance(obj, DeployItem) else key.name:
        found = landscape.installation(key._replace(name=name))
    while found is not None and (parent := landscape.parent(found)) is not None:
        found = parent
    return found


def title_of(obj: Worker) -> str:
    """What the blueprint calls the object; empty where it has no name of its own there."""
    if isinstance(obj, Installation):
        return annotation_of(obj, Annotation.SUBINSTALLATION_NAME)
    return label_of(obj, Label.ITEM_NAME) if isinstance(obj, DeployItem) else ""


def _grouped(objects: Iterable[K], owner: Callable[[K], str]) -> dict[ObjectKey, list[K]]:
    """The objects by the name of their owner; those that have none are left out."""
    groups: dict[ObjectKey, list[K]] = defaultdict(list)
    for obj in sorted(objects, key=key_of):
        if name := owner(obj):
            groups[ObjectKey(obj.metadata.namespace or "", name)].append(obj)
    return groups


def _united(ours: Sequence[K], theirs: Sequence[K]) -> tuple[K, ...]:
    return tuple({(each.kind, key_of(each)): each for each in (*ours, *theirs)}.values())
