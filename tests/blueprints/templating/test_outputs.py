"""What a rendered document means."""

from __future__ import annotations

from typing import Any

import pytest
from tests.blueprints.templating.blueprints import deploying, execution, inputs

from landform.blueprints.errors import FileError
from landform.blueprints.templating.errors import ImportsRefused, TemplatingError
from landform.blueprints.templating.rendering import (
    Bindings,
    Exported,
    render_deploy_items,
    render_exports,
    render_imports,
    render_subinstallations,
)


def items(template: Any, type: str = "GoTemplate") -> list[dict[str, Any]]:
    return render_deploy_items(deploying(template, type=type)).value


def test_lists_of_several_executions_are_put_together() -> None:
    given = inputs(
        {
            "deployExecutions": [
                execution("deployItems: [{name: a}, {name: b}]", "one"),
                execution({"deployItems": [{"name": "c"}]}, "two", "Spiff"),
            ]
        }
    )
    assert [item["name"] for item in render_deploy_items(given).value] == ["a", "b", "c"]


def test_capital_letters_of_field_names_do_not_matter() -> None:
    template = """
    deployitems:
    - Name: a
      TARGET: {Import: x, INDEX: 1}
      updateonchangeonly: true
      ondelete: {skipuninstallifclusterremoved: true}
      config: {apiversion: v1, Name: kept}
    """
    assert items(template) == [
        {
            "name": "a",
            "target": {"import": "x", "index": 1},
            "updateOnChangeOnly": True,
            "onDelete": {"skipUninstallIfClusterRemoved": True},
            "config": {"apiversion": "v1", "Name": "kept"},
        }
    ]


def test_an_exact_field_name_wins_over_one_that_is_only_alike() -> None:
    assert items("deployItems: [{name: a}]\ndeployitems: [{name: b}]") == [{"name": "a"}]
    assert items("deployItems: [{name: a, Name: b}]") == [{"name": "a", "Name": "b"}]


def test_capital_letters_do_not_matter_in_installation_templates_either() -> None:
    template = """
    subInstallations:
    - APIVersion: landscaper.gardener.cloud/v1alpha1
      Kind: InstallationTemplate
      Name: db
      Blueprint: {Ref: cd://resources/x}
      Imports:
        Data: [{Name: a, dataref: b}]
        targets: [{name: c, TargetMapRef: d}]
      importdatamappings: {Own: (( Name ))}
    """
    given = inputs({"subinstallationExecutions": [execution(template)]})
    assert render_subinstallations(given).value == [
        {
            "apiVersion": "landscaper.gardener.cloud/v1alpha1",
            "kind": "InstallationTemplate",
            "name": "db",
            "blueprint": {"ref": "cd://resources/x"},
            "imports": {"data": [{"name": "a", "dataRef": "b"}], "targets": [{"name": "c", "targetMapRef": "d"}]},
            "importDataMappings": {"Own": "(( Name ))"},
        }
    ]


@pytest.mark.parametrize("template", ["", "# nothing\n", "deployItems:\n", "deployItems: []\n", "other: 1\n", "---\n"])
def test_an_execution_may_give_nothing(template: str) -> None:
    assert items(template or " ") == []


def test_only_the_first_document_counts() -> None:
    assert items("deployItems: [{name: a}]\n---\ndeployItems: [{name: b}]\n") == [{"name": "a"}]


def test_yaml_means_what_it_means_to_kubernetes() -> None:
    config = items("deployItems: [{config: {a: yes, b: 017, c: 2001-01-01, n: 1}}]")[0]["config"]
    assert config == {"a": True, "b": 15, "c": "2001-01-01", "false": 1}


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("just text", "the output must be a map, not a text"),
        ("- a", "the output must be a map, not a list"),
        ("deployItems: {name: a}", "deployItems must be a list, not a map"),
        ("deployItems: [a]", r"deployItems\[0\] must be a map, not a text"),
        ("deployItems: true", "deployItems must be a list, not a boolean"),
    ],
)
def test_a_wrong_shape_is_told(template: str, message: str) -> None:
    with pytest.raises(TemplatingError, match=rf'^deploy execution "main" \(blueprint.yaml\): {message}$'):
        items(template)
    if template.startswith("deployItems"):
        with pytest.raises(TemplatingError, match=message):
            items(template, "Spiff")


def test_exports_are_merged_and_the_later_one_wins() -> None:
    given = inputs(
        {
            "exportExecutions": [
                execution("exports: {map: {a: 1, b: {c: 1}}, list: [1], own: x}", "one"),
                execution("exports: {map: {b: {d: 2}}, list: [2]}", "two"),
            ]
        }
    )
    rendered = render_exports(given, Exported())
    assert rendered.value == {"map": {"a": 1, "b": {"c": 1, "d": 2}}, "list": [2], "own": "x"}


def test_import_executions_see_what_those_before_them_gave() -> None:
    given = inputs(
        {
            "importExecutions": [
                execution("bindings: {a: changed, extra: {{ .imports.a }}}", "one"),
                execution({"bindings": {"both": "(( imports.a imports.extra ))"}}, "two", "Spiff"),
            ]
        },
        {"a": "given"},
    )
    assert render_imports(given) == [
        Bindings("one", {"a": "changed", "extra": "given"}),
        Bindings("two", {"both": "changedgiven"}),
    ]


def test_an_import_execution_can_refuse_the_imports() -> None:
    given = inputs(
        {
            "importExecutions": [
                execution('bindings: {}\nerrors: ["too small", "too late"]', "checks"),
                execution("{{ fail `never reached` }}", "later"),
            ]
        }
    )
    with pytest.raises(ImportsRefused) as caught:
        render_imports(given)
    assert str(caught.value) == 'import execution "checks": import validation failed: too small, too late'
    assert caught.value.faults == ("too small", "too late")


def test_errors_of_an_import_execution_must_be_texts() -> None:
    with pytest.raises(TemplatingError, match="errors must be a list of texts"):
        render_imports(inputs({"importExecutions": [execution("errors: [1]")]}))


def test_a_template_in_place_wins_over_a_file() -> None:
    both = {**execution("deployItems: [{name: place}]"), "file": "items.yaml"}
    given = inputs({"deployExecutions": [both]}, more_files={"items.yaml": "deployItems: [{name: file}]"})
    assert render_deploy_items(given).value == [{"name": "place"}]


@pytest.mark.parametrize("path", ["templates/items.yaml", "/templates/items.yaml", "./templates/items.yaml"])
@pytest.mark.parametrize("type", ["GoTemplate", "Spiff"])
def test_files_are_relative_to_the_blueprint(path: str, type: str) -> None:
    given = inputs(
        {"deployExecutions": [{"name": "main", "type": type, "file": path}]},
        more_files={"templates/items.yaml": "deployItems: [{name: file}]"},
    )
    assert render_deploy_items(given).value == [{"name": "file"}]


def test_a_spiff_template_may_be_a_text() -> None:
    assert items('deployItems:\n- name: (( "a" "b" ))\n', "Spiff") == [{"name": "ab"}]


def test_a_missing_file_names_the_execution() -> None:
    given = inputs({"deployExecutions": [{"name": "main", "type": "GoTemplate", "file": "nope.yaml"}]})
    with pytest.raises(FileError, match=r'nope\.yaml.*deploy execution "main"'):
        render_deploy_items(given)


@pytest.mark.parametrize(
    ("execution", "message"),
    [
        ({"name": "main", "type": "GoTemplate"}, "no template found"),
        ({"name": "main", "type": "GoTemplate", "template": {"a": 1}}, "a GoTemplate must be a text"),
        ({"name": "main", "type": "Jinja", "template": "x"}, "unknown template type 'Jinja'"),
    ],
)
def test_an_execution_without_a_usable_template_is_refused(execution: dict[str, Any], message: str) -> None:
    with pytest.raises(TemplatingError, match=message):
        render_deploy_items(inputs({"deployExecutions": [execution]}))
