"""Landscapes for these tests, as people write them."""

from __future__ import annotations

from typing import Any

from landform.kit import yamls

API = "landscaper.gardener.cloud/v1alpha1"
MOCK = "landscaper.gardener.cloud/mock"


def item(name: str, *, type_: str = MOCK, depends_on: tuple[str, ...] = (), **config: Any) -> dict[str, Any]:
    """A deploy item as a blueprint renders it."""
    head = {"apiVersion": "mock.deployer.landscaper.gardener.cloud/v1alpha1", "kind": "ProviderConfiguration"}
    return {"name": name, "type": type_, "dependsOn": list(depends_on), "config": {**head, **config}}


def deploying(*items: dict[str, Any]) -> list[dict[str, Any]]:
    """A deploy execution that renders these items."""
    return [{"name": "default", "type": "Spiff", "template": {"deployItems": list(items)}}]


def exporting(**exports: Any) -> list[dict[str, Any]]:
    """An export execution that renders these exports; values may be spiff."""
    return [{"name": "default", "type": "Spiff", "template": {"exports": exports}}]


def data(*names: str) -> list[dict[str, Any]]:
    """Declarations of data, of any type."""
    return [{"name": name, "type": "data", "schema": {}} for name in names]


def blueprint(**fields: Any) -> str:
    """The text of a blueprint."""
    return yamls.dump({"apiVersion": API, "kind": "Blueprint", **fields})


def installation(name: str, blueprint_text: str, **spec: Any) -> dict[str, Any]:
    """An Installation with its blueprint inside; nobody has asked for a job yet."""
    inline = {"inline": {"filesystem": {"blueprint.yaml": blueprint_text}}}
    return {
        "apiVersion": API,
        "kind": "Installation",
        "metadata": {"name": name},
        "spec": {"blueprint": inline, **spec},
    }


def template(name: str, blueprint_text: str, **fields: Any) -> dict[str, Any]:
    """A sub-installation of a blueprint."""
    files = {"filesystem": {"blueprint.yaml": blueprint_text}}
    return {"apiVersion": API, "kind": "InstallationTemplate", "name": name, "blueprint": files, **fields}


def refs(**names: str) -> dict[str, Any]:
    """Imports or exports of data: by name in the blueprint, the name outside."""
    return {"data": [{"name": name, "dataRef": ref} for name, ref in names.items()]}


def exporter(name: str, ref: str, value: Any = "here") -> dict[str, Any]:
    """An Installation that exports one value from its one item."""
    text = blueprint(
        exports=data("value"),
        deployExecutions=deploying(item("item", export={"value": value})),
        exportExecutions=exporting(value="(( deployitems.item.value ))"),
    )
    return installation(name, text, exports=refs(value=ref))


def importer(name: str, ref: str, *, exports: str = "") -> dict[str, Any]:
    """An Installation that imports one value, and may export it with a mark added."""
    text = blueprint(
        imports=data("value"),
        exports=data("out"),
        deployExecutions=deploying(item("item", export={"value": "(( imports.value ))"})),
        exportExecutions=exporting(out='(( deployitems.item.value "!" ))'),
    )
    return installation(name, text, imports=refs(value=ref), **({"exports": refs(out=exports)} if exports else {}))


def target(name: str, **config: Any) -> dict[str, Any]:
    """A Target of a type that needs no access to anything."""
    return {
        "apiVersion": API,
        "kind": "Target",
        "metadata": {"name": name},
        "spec": {"type": "example.com/place", "config": config},
    }
