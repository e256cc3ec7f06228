"""Deploy items: from what a template rendered to what an Execution holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from landform.api import anyjson, item_rules
from landform.api.anyjson import ABSENT, AnyJSON
from landform.api.executions import DeployItemTemplate, OnDelete
from landform.api.nodes import Node, Notes
from landform.api.references import ObjectReference
from landform.api.structs import Duration, Part
from landform.blueprints.decoding import NotDecodable, decode
from landform.blueprints.definitions import FlowType
from landform.blueprints.errors import Fault, ItemError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from landform.blueprints.values import Imports, ImportValue

_PLACE = re.compile(r"spec\.deployItems(?:\[(\d+)\]\.?)?")


class TargetChoice(Part):
    """Which Target an item is for: one of the imported ones, or one by its name in the cluster."""

    name: str | None = None
    """Name of a Target in the Installation's namespace; the older way."""

    import_: str | None = msgspec.field(default=None, name="import")
    """Name of an import."""

    index: int | None = None
    """Position in a list import."""

    key: str | None = None
    """Key in a map import."""


class RenderedItem(Part):
    """A deploy item as a template renders it."""

    name: str | None = None
    type: str | None = None
    target: TargetChoice | None = None
    labels: dict[str, str] | None = None
    config: AnyJSON = ABSENT
    depends_on: tuple[str, ...] | None = None
    timeout: Duration | None = None
    update_on_change_only: bool | None = None
    on_delete: OnDelete | None = None

    def __post_init__(self) -> None:
        anyjson.detach(self, "config")


class _Refused(Exception):
    """An item that cannot be, in words."""


def read(rendered: Sequence[Mapping[str, Any]], imports: Imports, namespace: str) -> tuple[DeployItemTemplate, ...]:
    """The items of an Execution; ItemError with all that is wrong with them.

    Targets are those that the Installation imports itself, not the copies in its inner scope. `namespace` is the
    Installation's: there the Targets are that are given by name.
    """
    faults: list[Fault] = []
    items: list[DeployItemTemplate] = []
    for index, value in enumerate(rendered):
        try:
            items.append(_item(value, imports, namespace))
        except NotDecodable as exc:
            faults.append(Fault(_title(value, index), str(exc.fault)))
        except _Refused as exc:
            faults.append(Fault(_title(value, index), str(exc)))
    if not faults:
        faults = list(_rule_faults(items))
    if faults:
        raise ItemError("the deploy items are invalid", faults)
    return tuple(items)


def _title(value: Any, index: int) -> str:
    name = value.get("name") if isinstance(value, Mapping) else None
    return f'deploy item "{name}"' if isinstance(name, str) and name else f"deployItems[{index}]"


def _item(value: Mapping[str, Any], imports: Imports, namespace: str) -> DeployItemTemplate:
    rendered = decode(value, RenderedItem)
    _check_config(anyjson.value(rendered.config))
    target = None if rendered.target is None else _target(rendered.target, imports, namespace)
    return DeployItemTemplate(
        name=rendered.name or "",
        type=rendered.type or "",
        target=target,
        labels=rendered.labels,
        config=rendered.config,
        depends_on=rendered.depends_on,
        timeout=rendered.timeout,
        update_on_change_only=rendered.update_on_change_only,
        on_delete=rendered.on_delete,
    )


def _check_config(config: Any) -> None:
    """A configuration is stored as an object, so the API wants to know of which kind it is."""
    if not isinstance(config, dict):
        raise _Refused("config: a map with the deployer's configuration is needed here")
    for name in ("apiVersion", "kind"):
        if not isinstance(config.get(name), str) or not config[name]:
            raise _Refused(f"config.{name}: a text is needed here")


def _target(choice: TargetChoice, imports: Imports, namespace: str) -> ObjectReference:
    if not choice.import_:
        if choice.index is not None or choice.key is not None:
            raise _Refused("target: index and key need the name of an import")
        if not choice.name:
            raise _Refused("target: it names neither an import nor a Target; leave it out if the item needs none")
        return ObjectReference(name=choice.name, namespace=namespace)
    if choice.import_ not in imports.targets:
        known = ", ".join(imports.targets) or "none"
        raise _Refused(f'target: import "{choice.import_}" is not a target import with a value; there are: {known}')
    metadata = _chosen(choice, imports.targets[choice.import_])["metadata"]
    return ObjectReference(name=metadata["name"], namespace=metadata.get("namespace") or namespace)


def _chosen(choice: TargetChoice, imported: ImportValue) -> Mapping[str, Any]:
    """The Target that is meant among those of an import."""
    title = f'target: import "{choice.import_}"'
    targets: Any = imported.value
    if choice.index is not None:
        if imported.type != FlowType.TARGET_LIST:
            raise _Refused(f"{title} is no targetList, so an index means nothing")
        if not 0 <= choice.index < len(targets):
            raise _Refused(f"{title} has {len(targets)} elements, counted from 0; there is no index {choice.index}")
        targets = targets[choice.index]
    elif choice.key is not None:
        if imported.type != FlowType.TARGET_MAP:
            raise _Refused(f"{title} is no targetMap, so a key means nothing")
        if choice.key not in targets:
            raise _Refused(f"{title} has no key {choice.key!r}; it has: {', '.join(targets) or 'none'}")
        targets = targets[choice.key]
    elif imported.type != FlowType.TARGET:
        raise _Refused(f"{title} is a {imported.type}: say which Target by index or key")
    target: Mapping[str, Any] = targets
    return target


def _rule_faults(items: Sequence[DeployItemTemplate]) -> Iterator[Fault]:
    """What breaks the rules for the items of an Execution, taken together."""
    notes = Notes()
    plain = msgspec.json.decode(msgspec.json.encode(items))
    item_rules.check_execution(Node({"spec": {"deployItems": plain}}, "", notes), None)
    for fault in notes.faults:
        match = _PLACE.match(fault.field)
        rest = fault.field[match.end() :] if match else fault.field
        title = f'deploy item "{items[int(match[1])].name}"' if match and match[1] else "deploy items"
        yield Fault(title, f"{rest}: {fault.message}" if rest else fault.message)
