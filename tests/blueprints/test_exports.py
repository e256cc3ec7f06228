"""Exports: what is kept, what is checked, what mappings make of it, and what is written where."""

from __future__ import annotations

from typing import Any

import pytest

from landform.api import anyjson
from landform.api.installations import DataExport, InstallationExports, TargetExport
from landform.blueprints import definitions, exports, files
from landform.blueprints.errors import ExportError, MappingError, SchemaError
from landform.blueprints.exports import ExportedData, Exports
from landform.blueprints.schemas import Schemas

DECLARED = """[
  {name: url, schema: {type: string}}, {name: port, schema: {type: integer}}, {name: made, targetType: cluster}]"""
TARGET = {"type": "landscaper.gardener.cloud/cluster", "config": {"kubeconfig": "x"}, "labels": {"a": "b"}}


def wanted(data: str = "", targets: str = "") -> InstallationExports:
    return InstallationExports(
        data=tuple(DataExport(name=name, data_ref=f"{name}-ref") for name in data.split()),
        targets=tuple(TargetExport(name=name, target=f"{name}-ref") for name in targets.split()),
    )


def construct(
    rendered: dict[str, Any],
    want: InstallationExports,
    export_mappings: dict[str, Any] | None = None,
    declared: str = DECLARED,
) -> Exports:
    blueprint = definitions.read(files.from_inline({"blueprint.yaml": f"exports: {declared}"}))
    return exports.construct(blueprint, rendered, export_mappings or {}, want, Schemas())


def test_exports_are_written_under_the_names_that_the_installation_wants() -> None:
    made = construct({"url": "x", "port": 5, "made": TARGET, "undeclared": 1}, wanted("url", "made"))
    assert made.data == (ExportedData("url", "url-ref", "x"),)
    (target,) = made.targets
    assert (target.ref, target.template.type, target.template.labels) == ("made-ref", TARGET["type"], {"a": "b"})
    assert anyjson.value(target.template.config) == {"kubeconfig": "x"}


def test_what_nobody_wants_need_not_be_rendered() -> None:
    assert construct({}, wanted()) == Exports()


def test_everything_that_is_wanted_but_missing_is_told() -> None:
    with pytest.raises(ExportError) as refused:
        construct({"undeclared": 1}, wanted("url undeclared", "made"))
    assert 'export "url": no export execution gives it a value' in str(refused.value)
    assert 'export "undeclared": the blueprint declares no such export' in str(refused.value)
    assert 'export "made": no export execution' in str(refused.value)


def test_a_declared_export_that_does_not_fit_is_refused_without_being_shown() -> None:
    with pytest.raises(ExportError) as refused:
        construct({"url": 5, "port": "s3cret"}, wanted())
    assert 'export "url": the value is not of type "string"' in str(refused.value)
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize("value", [{"type": "other"}, {}, "text", None])
def test_an_exported_target_must_be_of_its_type(value: Any) -> None:
    with pytest.raises(ExportError, match=r'export "made": a Target of type .* is declared'):
        construct({"made": value}, wanted())


def test_a_target_has_at_most_one_kind_of_access_data() -> None:
    with pytest.raises(ExportError, match="at most one of config, secretRef"):
        construct({"made": {**TARGET, "secretRef": {"name": "a"}}}, wanted(targets="made"))
    with pytest.raises(ExportError, match="this is no Target: labels"):
        construct({"made": {**TARGET, "labels": []}}, wanted(targets="made"))


@pytest.mark.parametrize(
    ("declared", "error"),
    [("[{name: url, type: data}]", ExportError), ("[{name: url, type: targetMap, targetType: x}]", ExportError),
     ("[{name: url, schema: {type: nonsense}}]", SchemaError)],
)  # fmt: skip
def test_a_declaration_that_cannot_be_used_is_named(declared: str, error: type[Exception]) -> None:
    with pytest.raises(error, match='export "url"'):
        construct({"url": "x"}, wanted(), declared=declared)


def test_mappings_replace_exports_and_add_others() -> None:
    export_mappings = {"url": '(( "host:" port ))', "sum": "(( exports.port + 1 ))", "port": '(( "text" ))'}
    made = construct({"url": "x", "port": 5}, wanted("url sum port"), export_mappings)
    assert [(item.ref, item.value) for item in made.data] == [
        ("url-ref", "host:5"),
        ("sum-ref", 6),
        ("port-ref", "text"),
    ]


def test_a_broken_mapping_is_named() -> None:
    with pytest.raises(MappingError, match='export data mapping "a"'):
        construct({}, wanted(), {"a": "(( nothing ))"})
