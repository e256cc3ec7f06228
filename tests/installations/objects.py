"""Installations and blueprints for tests, in few words."""

from __future__ import annotations

import json
from typing import Any

MOCK = "landscaper.gardener.cloud/mock"
CLUSTER = "landscaper.gardener.cloud/kubernetes-cluster"
CONFIG = {"apiVersion": "mock.deployer.landscaper.gardener.cloud/v1alpha1", "kind": "ProviderConfiguration"}


def item(name: str = "base", **config: Any) -> dict[str, Any]:
    """A mock deploy item; `depends_on`, `target`, `timeout` are the item's, all else its configuration's."""
    own = {key: config.pop(word) for word, key in _ITEM_WORDS.items() if word in config}
    return {"name": name, "type": MOCK, **own, "config": {**CONFIG, **config}}


_ITEM_WORDS = {"depends_on": "dependsOn", "target": "target", "timeout": "timeout", "labels": "labels"}


def blueprint(**parts: Any) -> dict[str, Any]:
    """A blueprint; `items` and `exported` become executions, everything else is written as it is."""
    items, exported = parts.pop("items", None), parts.pop("exported", None)
    if items is not None:
        parts["deployExecutions"] = [_template("main", {"deployItems": items})]
    if exported is not None:
        output = exported if isinstance(exported, str) else {"exports": exported}
        parts["exportExecutions"] = [_template("exports", output)]
    return parts


def _template(name: str, output: Any) -> dict[str, Any]:
    text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
    # JSON keeps quotes that templates must not have: "{{ .x | toJson }}" is written «.x | toJson» in tests.
    return {"name": name, "type": "GoTemplate", "template": text.replace('"«', "{{ ").replace('»"', " | toJson }}")}


def filesystem(made: dict[str, Any]) -> dict[str, Any]:
    """The files of a blueprint."""
    return {"blueprint.yaml": json.dumps(made)}


def installation(name: str, made: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """An Installation with an inline blueprint; `imports`, `exports` may be short, see `flows`."""
    annotations = spec.pop("annotations", None)
    metadata = {"name": name, **({"annotations": annotations} if annotations else {})}
    return {"metadata": metadata, "spec": {"blueprint": _inline(made), **flows(spec)}}


def template(name: str, made: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """An InstallationTemplate with an inline blueprint."""
    return {"name": name, "blueprint": {"filesystem": filesystem(made or blueprint())}, **flows(spec)}


def flows(spec: dict[str, Any]) -> dict[str, Any]:
    """Spell out ``data={"import": "ref"}``, ``targets={"import": "ref"}``, ``gives={"export": "ref"}`` and
    ``gives_targets={"export": "ref"}``."""
    spec = dict(spec)
    imports: dict[str, Any] = {}
    exports: dict[str, Any] = {}
    if data := spec.pop("data", None):
        imports["data"] = [{"name": name, **(_data(value))} for name, value in data.items()]
    if targets := spec.pop("targets", None):
        imports["targets"] = [{"name": name, **_targets(value)} for name, value in targets.items()]
    if gives := spec.pop("gives", None):
        exports["data"] = [{"name": name, "dataRef": value} for name, value in gives.items()]
    if gives_targets := spec.pop("gives_targets", None):
        exports["targets"] = [{"name": name, "target": value} for name, value in gives_targets.items()]
    return {**({"imports": imports} if imports else {}), **({"exports": exports} if exports else {}), **spec}


def _data(value: Any) -> dict[str, Any]:
    return {"dataRef": value} if isinstance(value, str) else dict(value)


def _targets(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {"targets": value}
    return {"target": value} if isinstance(value, str) else dict(value)


def _inline(made: dict[str, Any] | None) -> dict[str, Any]:
    return {"inline": {"filesystem": filesystem(made if made is not None else blueprint())}}


def data_import(name: str, type: str | None = None, **more: Any) -> dict[str, Any]:
    """A data import of a blueprint."""
    return {"name": name, "type": "data", "schema": {"type": type} if type else {}, **more}


def data_export(name: str) -> dict[str, Any]:
    """A data export of a blueprint."""
    return {"name": name, "type": "data", "schema": {}}


def producer(name: str, ref: str, value: Any, **config: Any) -> dict[str, Any]:
    """An Installation that exports a value under a name."""
    return installation(name, producing(value, **config), gives={"out": ref})


def producing(value: Any, **config: Any) -> dict[str, Any]:
    """A blueprint whose one item exports a value, as ``out``."""
    return blueprint(
        exports=[data_export("out")],
        items=[item(export={"value": value}, **config)],
        exported={"out": "«.deployitems.base.value»"},
    )


def consuming(**config: Any) -> dict[str, Any]:
    """A blueprint that imports ``in`` and exports ``out`` with the same value, through an item."""
    return blueprint(
        imports=[data_import("in")],
        exports=[data_export("out")],
        items=[item(export={"value": "«.imports.in»"}, **config)],
        exported={"out": "«.deployitems.base.value»"},
    )


def consumer(name: str, ref: str, gives: str | None = None, **config: Any) -> dict[str, Any]:
    """An Installation that imports a value, and exports it under another name."""
    return installation(name, consuming(**config), data={"in": ref}, **({"gives": {"out": gives}} if gives else {}))
