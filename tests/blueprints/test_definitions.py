"""Reading blueprint.yaml: what is inferred, what is refused with its place, and what a check tells."""

from __future__ import annotations

import pytest

from landform.blueprints import definitions, files, rules
from landform.blueprints.definitions import Blueprint, Execution, FlowType
from landform.blueprints.errors import DefinitionError, FileError


def read(text: str) -> Blueprint:
    return definitions.read(files.from_inline({"blueprint.yaml": text}))


def told(text: str) -> list[str]:
    return [str(fault) for fault in rules.validate(read(text))]


FULL = """
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Blueprint
jsonSchemaVersion: https://json-schema.org/draft/2019-09/schema
annotations: {ocmSchemaVersion: v2}
localTypes:
  port: {type: integer}
imports:
- name: port
  schema: {$ref: "local://port"}
- name: extras
  required: false
  schema: {type: object}
  default: {value: {a: 1}}
  imports:
  - {name: more, type: data, schema: {type: string}}
- {name: cluster, targetType: kubernetes-cluster}
- {name: clusters, type: targetMap, targetType: example.com/cluster}
exports:
- {name: url, schema: {type: string}}
- {name: made, targetType: made}
subinstallations:
- file: /installation-templates/db.yaml
- {apiVersion: landscaper.gardener.cloud/v1alpha1, kind: InstallationTemplate, name: web}
deployExecutions:
- {name: main, type: GoTemplate, file: main.yaml}
- {name: backup, type: Container, image: example.com/backup, args: [now]}
exportExecutions:
- {name: out, type: Spiff, template: {exports: {url: (( "x" ))}}}
"""


def test_a_whole_blueprint_is_read() -> None:
    blueprint = read(FULL)
    assert blueprint.annotations == {"ocmSchemaVersion": "v2"}
    assert blueprint.local_types == {"port": {"type": "integer"}}
    port, extras, cluster, clusters = blueprint.imports
    assert (port.type, port.required, port.default) == (FlowType.DATA, True, None)
    assert (extras.required, extras.default, extras.imports[0].name) == (False, {"a": 1}, "more")
    assert extras.imports[0].required
    assert cluster.type == FlowType.TARGET
    assert clusters.target_type == "example.com/cluster"
    assert [export.type for export in blueprint.exports] == [FlowType.DATA, FlowType.TARGET]
    assert blueprint.subinstallations[0].file == "/installation-templates/db.yaml"
    assert blueprint.subinstallations[1].template is not None
    assert blueprint.deploy_executions[1] == Execution(
        "backup",
        "Container",
        settings={"image": "example.com/backup", "args": ["now"]},
        place="deployExecutions[1]",
    )
    assert blueprint.export_executions[0].template == {"exports": {"url": '(( "x" ))'}}
    assert rules.validate(blueprint) == []


@pytest.mark.parametrize("kind", ["target", "targetList", "targetMap"])
def test_a_short_target_type_gets_the_domain_for_every_kind_of_target(kind: str) -> None:
    blueprint = read(
        f"imports: [{{name: a, type: {kind}, targetType: cluster}}]\nexports: [{{name: b, targetType: c}}]"
    )
    assert blueprint.imports[0].target_type == "landscaper.gardener.cloud/cluster"
    assert blueprint.exports[0].target_type == "landscaper.gardener.cloud/c"


def test_a_type_is_left_open_when_schema_and_target_type_contradict_each_other() -> None:
    text = "imports: [{name: a, schema: {}, targetType: b}, {name: c}]"
    assert [definition.type for definition in read(text).imports] == ["", ""]
    assert told(text) == [
        "imports[0].type: the type is missing and cannot be told: both schema and targetType are given",
        "imports[1].type: the type is missing and cannot be told: neither schema nor targetType is given",
    ]


@pytest.mark.parametrize("text", ["{}", "imports:\nexports:\ndeployExecutions: null"])
def test_what_is_not_given_is_empty(text: str) -> None:
    assert read(text) == Blueprint()


def test_a_default_of_null_is_no_default() -> None:
    assert read("imports: [{name: a, default: {value: null}}]").imports[0].default is None


def test_a_missing_blueprint_is_named() -> None:
    with pytest.raises(FileError, match=r"blueprint\.yaml.*does not exist"):
        definitions.read(files.from_inline({}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("imports:\n- name: a\n  schema: a: b", "blueprint.yaml, line 3, column 12: this is not valid YAML"),
        ("imports:\n- name: [1]\n", "blueprint.yaml, line 2, column 3: imports[0].name: Invalid value"),
        ("imports: text", "blueprint.yaml, line 1, column 1: imports: Invalid value"),
        ("kind: Deployment", "must be Blueprint"),
        ("imports:\n- {name: a, required: maybe}", "line 2, column 13: imports[0].required"),
        ("imports:\n- {name: a, schema: [x]}", "a JSON schema is a map"),
        ("- a list", "must be a map"),
        ("a: .nan", "has no form in JSON"),
    ],
)
def test_a_broken_blueprint_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        read(text)
    assert message in str(refused.value)


def test_a_text_in_another_encoding_is_refused() -> None:
    with pytest.raises(DefinitionError, match="byte 4 is not part of a text"):
        definitions.read(files.from_entries({"blueprint.yaml": b"a: \xff"}))


def test_all_wrong_types_are_told_at_once() -> None:
    with pytest.raises(DefinitionError) as refused:
        read("imports:\n- name: 1\n- name: 2\n")
    assert "line 2, column 3: imports[0].name" in str(refused.value)
    assert "line 3, column 3: imports[1].name" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "imports: [{name: a, schema: {}, required: false, imports: [{name: a, schema: {}}]}]",
            "imports[0].imports[0].name: 'a' is used twice",
        ),
        (
            "imports: [{name: a, schema: {}, imports: [{name: b, schema: {}}]}]",
            "imports[0].imports: conditional imports are allowed only below data with `required: false`",
        ),
        (
            "imports: [{name: a, schema: {}, default: {value: 1}}]",
            "imports[0].default: a default is used only for data with `required: false`",
        ),
        ("imports: [{name: a, type: data}]", "imports[0].schema: data needs a JSON schema"),
        (
            "imports: [{name: a, type: data, schema: {}, targetType: b}]",
            "imports[0].targetType: data has no targetType",
        ),
        ("imports: [{name: a, type: targetMap}]", "imports[0].targetType: a targetMap needs a targetType"),
        ("imports: [{name: a, type: target, targetType: b, schema: {}}]", "imports[0].schema: a target has no schema"),
        (
            "exports: [{name: a, type: targetList, targetType: b}]",
            "exports[0].type: 'targetList' is not among the known types data, target",
        ),
        ("imports: [{schema: {}}]", "imports[0].name: a name is needed here"),
        ("subinstallations: [{}]", "subinstallations[0]: give a file or a template in place"),
        (
            "importExecutions: [{name: a, type: Container}]",
            "importExecutions[0].type: 'Container' is not among the known types GoTemplate, Spiff",
        ),
        (
            "deployExecutions: [{name: a, type: Spiff}]",
            "deployExecutions[0]: no template found: give a template or a file",
        ),
        (
            "deployExecutions: [{name: a, type: GoTemplate, template: {deployItems: []}}]",
            "deployExecutions[0].template: a GoTemplate must be a text; write `template: |`",
        ),
        (
            "deployExecutions: [{name: a, type: Spiff, template: x, tempalte: y}]",
            "deployExecutions[0].tempalte: this field has no meaning here and is ignored",
        ),
        ("inports: []", "inports: this field has no meaning here and is ignored"),
    ],
)
def test_a_check_tells_what_breaks_the_rules(text: str, fault: str) -> None:
    assert told(text) == [fault]
