"""Landscapes for the simulator: Installations in a few words, the objects they stand for, and what comes of them.

Every part exports one value that tells what it was made from: ``shop2(db1(),domain)`` is revision 2 of the shop, made
from revision 1 of the database and from what people gave as domain.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from landform.api.names import Annotation, ItemType, Operation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.cluster.resources import Unstructured

API = "landscaper.gardener.cloud/v1alpha1"
MOCK = "mock.deployer.landscaper.gardener.cloud/v1alpha1"
REGION = "example.com/region"
OUT = "out"
"""What the export of every part is called in its blueprint."""

_DRAWN = '{{- $kept := dig "kept" (randAlphaNum 8) .state }}'


@dataclass(frozen=True)
class Item:
    """A deploy item of the mock deployer. The one called main exports the value of its part."""

    name: str = "main"
    after: tuple[str, ...] = ()
    delay: str = "1s"
    phase: str = ""
    """In which it ends; success by default."""

    every: str = ""
    """How often it is deployed again."""

    type: str = str(ItemType.MOCK)
    timeout: str = ""


MAIN = (Item(),)


@dataclass(frozen=True)
class Part:
    """An Installation, or one below another."""

    name: str
    imports: tuple[str, ...] = ()
    """Names of parts beside it, or of data that people or its parent give."""

    revision: int = 1
    items: tuple[Item, ...] = MAIN
    children: tuple[Part, ...] = ()
    """With children it exports what the last of them does, or nothing without them."""

    target_list: tuple[str, ...] = ()
    """Targets with one more item each."""

    target_map: Mapping[str, str] = field(default_factory=dict)
    """The same, by keys."""

    remembers: bool = False
    """Whether its value is drawn by chance in the first job and kept in the state of its template."""

    exports: bool = True
    automatic: Mapping[str, Any] | None = None
    """When it starts again by itself."""

    ends: str = "Succeeded"
    """The phase that it must be in when all is over."""

    def revised(self, **changes: Any) -> Part:
        """The next revision of it."""
        return replace(self, revision=self.revision + 1, **changes)

    @property
    def item_names(self) -> list[str]:
        """The names of all its deploy items, in order."""
        of_list = [f"list-{place}" for place in range(len(self.target_list))]
        return sorted([*(item.name for item in self.items), *of_list, *(f"map-{key}" for key in self.target_map)])

    @property
    def gives(self) -> bool:
        """Whether it exports a value."""
        return self.exports and bool(self.children or self.items)


def value_of(part: Part, known: Mapping[str, str]) -> str:
    """What a part exports, if what it imports is known."""
    if part.children:
        return below(part, known)[part.children[-1].name]
    return f"{part.name}{part.revision}({','.join(known[name] for name in part.imports)})"


def below(part: Part, known: Mapping[str, str]) -> dict[str, str]:
    """What is known inside of a part: its imports, and what its children export."""
    inside = {name: known[name] for name in part.imports}
    for child in part.children:
        if child.gives:
            inside[child.name] = value_of(child, inside)
    return inside


# As objects.


def installation(part: Part, *, asked: bool = True) -> Unstructured:
    """A root Installation; asked to run, if nothing else is said."""
    annotations = {str(Annotation.OPERATION): str(Operation.RECONCILE)} if asked else {}
    return {"metadata": {"name": part.name, "annotations": annotations}, "spec": spec(part)}


def spec(part: Part) -> Unstructured:
    """What an Installation is to be; also good as a merge patch."""
    return {
        **_data_flow(part),
        "automaticReconcile": part.automatic,
        "blueprint": {"inline": {"filesystem": {"blueprint.yaml": json.dumps(_blueprint(part))}}},
    }


def target(name: str) -> Unstructured:
    """A Target that leads nowhere."""
    return {"metadata": {"name": name}, "spec": {"type": REGION, "config": {"region": name}}}


def _data_flow(part: Part) -> Unstructured:
    targets: list[Unstructured] = [{"name": "list", "targets": list(part.target_list)}] if part.target_list else []
    if part.target_map:
        targets.append({"name": "map", "targetMap": dict(part.target_map)})
    data = [{"name": name, "dataRef": name} for name in part.imports]
    return {
        "imports": {"data": data, "targets": targets},
        "exports": {"data": [{"name": OUT, "dataRef": part.name}]} if part.gives else None,
    }


def _blueprint(part: Part) -> Unstructured:
    string = {"type": "string"}
    imports: list[Unstructured] = [{"name": name, "type": "data", "schema": string} for name in part.imports]
    if part.target_list:
        imports.append({"name": "list", "type": "targetList", "targetType": REGION})
    if part.target_map:
        imports.append({"name": "map", "type": "targetMap", "targetType": REGION})
    made: Unstructured = {"apiVersion": API, "kind": "Blueprint", "imports": imports}
    if part.item_names:
        template = json.dumps({"deployItems": _items(part)})
        if part.remembers:
            template = _DRAWN + json.dumps({"state": {"kept": "{{ $kept }}"}, "deployItems": _items(part)})
        made["deployExecutions"] = [{"name": "default", "type": "GoTemplate", "template": template}]
    if part.children:
        made["subinstallations"] = [_template(child) for child in part.children]
    if part.gives:
        source = f".dataobjects.{part.children[-1].name}" if part.children else ".deployitems.main.value"
        template = f"exports:\n  {OUT}: {{{{ {source} }}}}\n"
        made["exports"] = [{"name": OUT, "type": "data", "schema": string}]
        made["exportExecutions"] = [{"name": "default", "type": "GoTemplate", "template": template}]
    return made


def _items(part: Part) -> list[Unstructured]:
    of_list = [
        {**_item(part, Item(f"list-{place}")), "target": {"import": "list", "index": place}}
        for place in range(len(part.target_list))
    ]
    of_map = [{**_item(part, Item(f"map-{key}")), "target": {"import": "map", "key": key}} for key in part.target_map]
    return [*(_item(part, item) for item in part.items), *of_list, *of_map]


def _item(part: Part, item: Item) -> Unstructured:
    config: Unstructured = {"apiVersion": MOCK, "kind": "ProviderConfiguration", "delay": item.delay}
    if item.name == "main":
        given = ",".join(f"{{{{ .imports.{name} }}}}" for name in part.imports)
        made = "{{ $kept }}" if part.remembers else f"{part.name}{part.revision}({given})"
        config["export"] = {"value": made}
    if item.phase:
        config["phase"] = item.phase
    if item.every:
        config["continuousReconcile"] = {"every": item.every}
    wanted = {"name": item.name, "type": item.type, "dependsOn": list(item.after), "config": config}
    return {**wanted, "timeout": item.timeout} if item.timeout else wanted


def _template(part: Part) -> Unstructured:
    return {
        "apiVersion": API,
        "kind": "InstallationTemplate",
        "name": part.name,
        "blueprint": {"filesystem": {"blueprint.yaml": json.dumps(_blueprint(part))}},
        **{name: each for name, each in _data_flow(part).items() if each},
    }
