"""Templates for sub-installations: how they are read, what is left out, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from landform.api import anyjson
from landform.blueprints import definitions, files, installationtemplates
from landform.blueprints.errors import FileError, GraphError, TemplateError
from landform.blueprints.values import Imports
from landform.kit import yamls

if TYPE_CHECKING:
    from landform.blueprints.definitions import Blueprint
    from landform.blueprints.installationtemplates import InstallationTemplate

PARENT = """
imports:
- {name: domain, schema: {}}
- {name: maybe, required: false, schema: {}, imports: [{name: nested, schema: {}}]}
- {name: one, targetType: cluster}
- {name: perhaps, required: false, targetType: cluster}
- {name: list, type: targetList, targetType: cluster}
- {name: map, type: targetMap, targetType: cluster}
"""
VALUES = {"domain": "example.com", "one": {}, "list": [{}, {}], "map": {"eu": {}}}


def parent(more: str = "") -> Blueprint:
    return definitions.read(files.from_inline({"blueprint.yaml": PARENT + more}))


def template(text: str = "", name: str = "web") -> dict[str, Any]:
    return {"name": name, "blueprint": {"ref": "cd://resources/x"}, **(yamls.load(text) or {})}


def prepare(*rendered: dict[str, Any], values: dict[str, Any] | None = None) -> list[InstallationTemplate]:
    return installationtemplates.prepare(rendered, parent(), files.from_inline({}), Imports(values or VALUES))


def told(*rendered: dict[str, Any]) -> str:
    with pytest.raises(TemplateError) as refused:
        prepare(*rendered)
    return str(refused.value)


def test_a_whole_template_is_read() -> None:
    (read,) = prepare(
        template("""
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: InstallationTemplate
imports:
  data: [{name: d, dataRef: domain}]
  targets:
  - {name: a, target: one}
  - {name: b, targets: ["list[0]", "map[eu]"]}
  - {name: c, targetListRef: list}
  - {name: d2, targetMapRef: map}
  - {name: e, targetMap: {x: one}}
  - {name: f, targets: []}
importDataMappings: {url: (( d ))}
exports: {data: [{name: o, dataRef: out}], targets: [{name: p, target: made}]}
exportDataMappings: {o: 1}
optimization: {hasNoSiblingImports: true}
""")
    )
    assert read.name == "web"
    assert read.blueprint is not None
    assert read.blueprint.ref == "cd://resources/x"
    assert read.imports.data is not None
    assert read.imports.data[0].data_ref == "domain"
    assert read.import_data_mappings is not None
    assert anyjson.value(read.import_data_mappings["url"]) == "(( d ))"
    assert read.optimization is not None
    assert read.optimization.has_no_sibling_imports


def test_rendered_templates_come_before_static_ones() -> None:
    tree = files.from_inline({"db.yaml": {"$type": "yaml", "value": template(name="db")}})
    blueprint = parent("subinstallations: [{file: /db.yaml}, {name: cache, blueprint: {filesystem: {a: b}}}]")
    prepared = installationtemplates.prepare([template()], blueprint, tree, Imports(VALUES))
    assert [each.name for each in prepared] == ["web", "db", "cache"]


def test_a_missing_file_is_named_with_its_place() -> None:
    with pytest.raises(FileError, match=r"wanted by subinstallations\[0\]"):
        installationtemplates.prepare(
            [], parent("subinstallations: [{file: x}]"), files.from_inline({}), Imports(VALUES)
        )


def test_siblings_may_use_each_others_exports() -> None:
    prepared = prepare(
        template("exports: {data: [{name: u, dataRef: url}], targets: [{name: t, target: made}]}", "db"),
        template("imports: {data: [{name: u, dataRef: url}], targets: [{name: t, targetMap: {x: made}}]}", "web"),
    )
    assert [each.name for each in prepared] == ["db", "web"]


def test_imports_of_what_the_parent_does_not_have_are_left_out() -> None:
    (read,) = prepare(
        template("""
imports:
  data: [{name: a, dataRef: maybe}, {name: b, dataRef: nested}, {name: c, dataRef: domain}]
  targets: [{name: d, target: perhaps}, {name: e, target: one}]
""")
    )
    assert [item.name for item in read.imports.data or ()] == ["c"]
    assert [item.name for item in read.imports.targets or ()] == ["e"]


def test_active_conditional_imports_are_imports_of_the_parent() -> None:
    (read,) = prepare(
        template("imports: {data: [{name: b, dataRef: nested}]}"), values={**VALUES, "maybe": 1, "nested": 2}
    )
    assert [item.name for item in read.imports.data or ()] == ["b"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("name: null", "a name is needed here"),
        ("name: Upper", "the name is invalid"),
        ("name: a.b", "must not contain dots"),
        (f"name: {'a' * 53}", "no more than 52 characters"),
        ("blueprint: {}", "a blueprint is needed"),
        ("blueprint: null", "a blueprint is needed"),
        ("imports: {data: [{name: a, secretRef: {name: b}}]}", 'import "a": a sub-installation can import by dataRef'),
        ("imports: {data: [{name: a}]}", 'import "a": a dataRef is needed'),
        ("imports: {data: [{name: a, dataRef: x}]}", "import \"a\": dataRef 'x' is neither a data import"),
        ("imports: {data: [{name: a, dataRef: one}]}", "dataRef 'one' is neither a data import"),
        ("imports: {data: [{name: a, dataRef: domain}, {name: a, dataRef: domain}]}", "another import has the same"),
        ("imports: {targets: [{name: a, target: domain}]}", "target 'domain' is neither a target import"),
        ("imports: {targets: [{name: a, target: list}]}", "target 'list' is neither a target import"),
        ("imports: {targets: [{name: a, target: 'list[2]'}]}", "the parent's list has 2 elements"),
        ("imports: {targets: [{name: a, target: 'list[x]'}]}", "the parent's list has 2 elements"),
        ("imports: {targets: [{name: a, target: 'map[us]'}]}", "no key 'us'; it has: eu"),
        ("imports: {targets: [{name: a, targetListRef: map}]}", "targetListRef 'map' is not a targetList import"),
        ("imports: {targets: [{name: a, targetMapRef: list}]}", "targetMapRef 'list' is not a targetMap import"),
        ("imports: {targets: [{name: a}]}", "give exactly one of"),
        ("imports: {targets: [{name: a, target: one, targetListRef: list}]}", "give exactly one of"),
        ("exports: {data: [{name: a, dataRef: domain}]}", "export \"a\": dataRef 'domain' is an import of the parent"),
        ("exports: {targets: [{name: a, target: map}]}", "target 'map' is an import of the parent"),
        ("exports: {targets: [{name: a}]}", "an export needs a name and a target"),
        ("exports: {data: [{name: a}]}", "exports.data[0]: Object missing required field dataRef"),
        ("imports: {data: text}", "imports.data: Expected array"),
        ("kind: Installation", "kind: must be InstallationTemplate"),
        ("apiVersion: v1", "apiVersion: must be landscaper.gardener.cloud/v1alpha1"),
    ],
)
def test_a_template_that_breaks_the_rules_is_named(text: str, fault: str) -> None:
    message = told(template(text))
    assert fault in message
    if not text.startswith("name"):
        assert '"web"' in message


def test_all_faults_are_told_at_once() -> None:
    message = told(template("imports: {data: [{name: a, dataRef: x}]}"), template("blueprint: {}", name="db"))
    assert 'sub-installation template "web", import "a": dataRef' in message
    assert 'sub-installation template "db": a blueprint is needed' in message


def test_names_are_unique() -> None:
    assert "another template has the same name" in told(template(), template())


def test_two_templates_may_not_export_the_same_name() -> None:
    text = "exports: {data: [{name: u, dataRef: url}], targets: [{name: t, target: made}]}"
    message = told(template(text, "db"), template(text, "web"))
    assert 'dataRef \'url\': it is exported more than once, by "db" and "web"' in message
    assert "target 'made': it is exported more than once" in message


def test_a_circle_of_templates_is_named() -> None:
    text = "imports: {{data: [{{name: i, dataRef: {}}}]}}\nexports: {{data: [{{name: o, dataRef: {}}}]}}"
    with pytest.raises(GraphError, match=r"a -\{depends_on\}-> b -\{depends_on\}-> a"):
        prepare(template(text.format("q", "p"), "a"), template(text.format("p", "q"), "b"))


def test_a_template_that_is_no_map_is_named_by_its_place() -> None:
    with pytest.raises(TemplateError, match=r"subinstallations\[3\]"):
        installationtemplates.read("text", "subinstallations[3]")
