"""``landform render`` shows offline what becomes of a blueprint."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from landform.cli.main import main
from landform.kit import yamls

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = {"apiVersion": "example.com/v1", "kind": "Config"}
BLUEPRINT = """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Blueprint
imports:
- name: size
  type: data
  schema: {type: integer}
- name: domain
  type: data
  required: false
  default: {value: example.com}
  schema: {type: string}
- name: cluster
  type: target
  targetType: kubernetes-cluster
- name: regions
  type: targetList
  targetType: example.com/region
  required: false
exports:
- name: url
  type: data
  schema: {type: string}
importExecutions:
- name: check
  type: GoTemplate
  template: |
    bindings:
      host: www.{{ .imports.domain }}
    {{- if gt .imports.size 9.0 }}
    errors: [too large]
    {{- end }}
deployExecutions:
- name: main
  type: GoTemplate
  file: items.yaml
- name: program
  type: Script
  script: echo hello
exportExecutions:
- name: main
  type: Spiff
  template:
    exports:
      url: (( "https://" deployitems.web.host "/" dataobjects.domain ))
subinstallationExecutions:
- name: sub
  type: Spiff
  template:
    subinstallations:
    - apiVersion: landscaper.gardener.cloud/v1alpha1
      kind: InstallationTemplate
      name: (( "db-" ___.imports.size ))
      blueprint: {filesystem: {blueprint.yaml: ""}}
      imports:
        data: [{name: size, dataRef: size}]
"""
ITEMS = """\
deployItems:
- name: web
  type: example.com/web
  target: {import: cluster}
  config:
    apiVersion: example.com/v1
    kind: Config
    host: {{ .imports.host }}
    count: {{ add1 (.state.count | default 0) }}
state:
  count: {{ add1 (.state.count | default 0) }}
"""
IMPORTS = {
    "imports": {
        "size": 3,
        "cluster": {"spec": {"type": "landscaper.gardener.cloud/kubernetes-cluster", "config": {"kubeconfig": "x"}}},
    }
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "blueprint"
    folder.mkdir()
    (folder / "blueprint.yaml").write_text(BLUEPRINT)
    (folder / "items.yaml").write_text(ITEMS)
    return folder


@pytest.fixture
def imports(tmp_path: Path) -> Path:
    return written(tmp_path / "imports.yaml", IMPORTS)


def written(path: Path, *documents: Any) -> Path:
    path.write_text("---\n".join(yamls.dump(document) for document in documents))
    return path


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["render", *map(str, arguments)], prog_name="landform")


def rendered(*arguments: str | Path) -> Any:
    result = invoke(*arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    return yamls.load(result.stdout)


def refused(*arguments: str | Path) -> str:
    result = invoke(*arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "Error: " in result.stderr
    return result.stderr.partition("Error: ")[2].strip()


def test_everything_but_exports_is_shown(folder: Path, imports: Path) -> None:
    shown = rendered(folder, "--imports", imports)
    assert list(shown) == ["imports", "subinstallations", "deployItems", "state"]
    assert shown["imports"]["host"] == "www.example.com"
    assert [template["name"] for template in shown["subinstallations"]] == ["db-3"]
    web, program = shown["deployItems"]
    assert web == {
        "name": "web",
        "type": "example.com/web",
        "target": {"name": "cluster", "namespace": "default"},
        "config": {**CONFIG, "host": "www.example.com", "count": 1},
    }
    assert (program["name"], program["config"]["script"]) == ("program", "echo hello")
    assert shown["state"] == {"deploymain": {"count": 1}}


def test_one_part_can_be_shown(folder: Path, imports: Path) -> None:
    assert list(rendered(folder, "-f", imports, "--show", "subinstallations")) == ["subinstallations"]
    assert list(rendered(folder, "-f", imports, "--show", "imports")) == ["imports"]


def test_exports_see_the_given_data_and_the_own_imports(folder: Path, imports: Path, tmp_path: Path) -> None:
    data = written(tmp_path / "exports.yaml", {"deployitems": {"web": {"host": "h"}}})
    shown = rendered(folder, "-f", imports, "--show", "exports", "--export-data", data)
    assert shown == {"exports": {"url": "https://h/example.com"}}
    assert "exports" in rendered(folder, "-f", imports, "--export-data", data)


def test_a_setting_wins_over_files_and_a_later_file_over_an_earlier_one(
    folder: Path, imports: Path, tmp_path: Path
) -> None:
    more = written(tmp_path / "more.yaml", {"imports": {"size": 4, "domain": "example.org"}})
    shown = rendered(folder, "-f", imports, "-f", more, "--set", "size=5", "--show", "imports")["imports"]
    assert (shown["size"], shown["domain"]) == (5, "example.org")


def test_what_templates_remember_can_be_given_back(folder: Path, imports: Path, tmp_path: Path) -> None:
    first = invoke(folder, "-f", imports)
    (tmp_path / "first.yaml").write_text(first.stdout)
    second = rendered(folder, "-f", imports, "--state", tmp_path / "first.yaml")
    assert second["state"] == {"deploymain": {"count": 2}}


def test_programs_get_json(folder: Path, imports: Path) -> None:
    result = invoke(folder, "-f", imports, "-o", "json", "--show", "imports")
    assert json.loads(result.stdout)["imports"]["size"] == 3


def test_the_blueprint_file_stands_for_its_folder(folder: Path, imports: Path) -> None:
    assert rendered(folder / "blueprint.yaml", "-f", imports, "--show", "imports")


def test_an_installation_brings_its_blueprint_mappings_and_descriptor(tmp_path: Path) -> None:
    blueprint = {
        "imports": [{"name": "size", "type": "data", "schema": {"type": "integer"}}],
        "deployExecutions": [
            {
                "name": "main",
                "type": "GoTemplate",
                "template": "deployItems:\n- name: a\n  type: t\n  config:\n    apiVersion: v1\n    kind: K\n"
                "    size: {{ .imports.size }}\n    component: {{ .cd.component.name }}\n"
                "    own: {{ hasKey .blueprintDef.inline `filesystem` }}\n",
            }
        ],
    }
    descriptor = {
        "meta": {"schemaVersion": "v2"},
        "component": {
            "name": "example.com/shop",
            "version": "1.0.0",
            "provider": "internal",
            "repositoryContexts": [{"type": "ociRegistry", "baseUrl": "registry.example.com"}],
            "sources": [],
            "componentReferences": [],
            "resources": [],
        },
    }
    installation = {
        "apiVersion": "landscaper.gardener.cloud/v1alpha1",
        "kind": "Installation",
        "metadata": {"name": "x", "namespace": "ns"},
        "spec": {
            "blueprint": {"inline": {"filesystem": {"blueprint.yaml": {"$type": "yaml", "value": blueprint}}}},
            "componentDescriptor": {"inline": descriptor},
            "importDataMappings": {"size": "(( base + 1 ))"},
        },
    }
    path = written(tmp_path / "installation.yaml", installation)
    config = rendered(path, "--set", "size=1", "--set", "base=2", "--show", "items")["deployItems"][0]["config"]
    assert config == {"apiVersion": "v1", "kind": "K", "size": 3, "component": "example.com/shop", "own": True}


def test_a_component_descriptor_may_bring_those_that_it_refers_to(tmp_path: Path) -> None:
    def descriptor(name: str, *references: Any) -> dict[str, Any]:
        return {
            "meta": {"schemaVersion": "v2"},
            "component": {
                "name": f"example.com/{name}",
                "version": "1.0.0",
                "provider": "internal",
                "repositoryContexts": [{"type": "ociRegistry", "baseUrl": "registry.example.com"}],
                "sources": [],
                "componentReferences": list(references),
                "resources": [],
            },
        }

    own = descriptor("shop", {"name": "db", "componentName": "example.com/db", "version": "1.0.0"})
    descriptors = written(tmp_path / "descriptors.yaml", own, descriptor("db"))
    template = "bindings: {found: {{ (getComponent `name` `db`).component.name }}}"
    (tmp_path / "blueprint.yaml").write_text(
        yamls.dump({"importExecutions": [{"name": "main", "type": "GoTemplate", "template": template}]})
    )
    shown = rendered(tmp_path, "--component-descriptor", descriptors, "--show", "imports")
    assert shown == {"imports": {"found": "example.com/db"}}


# What goes wrong


def test_a_broken_template_is_shown(folder: Path, imports: Path) -> None:
    (folder / "items.yaml").write_text(ITEMS.replace(".imports.host", ".imports.nope"))
    message = refused(folder, "-f", imports)
    assert message.startswith(
        'deploy execution "main" (items.yaml, line 8, column 14, item "web"): {{.imports.nope}} has no value'
    )
    assert ">  8 |     host: {{ .imports.nope }}" in message
    assert ">  8 |     host: <no value>" in message


def test_imports_that_the_blueprint_refuses_are_told(folder: Path, imports: Path) -> None:
    assert "import validation failed: too large" in refused(folder, "-f", imports, "--set", "size=10")


def test_a_missing_import_is_told(folder: Path) -> None:
    assert 'import "size"' in refused(folder)


def test_a_value_that_breaks_its_schema_is_not_shown(folder: Path, imports: Path) -> None:
    message = refused(folder, "-f", imports, "--set", "size=hunter2")
    assert 'import "size"' in message
    assert "hunter2" not in message


def test_faults_of_the_blueprint_are_listed_but_do_not_stop_it(tmp_path: Path) -> None:
    (tmp_path / "blueprint.yaml").write_text("imports: [{name: a, type: data, required: false}]\nimportz: []\n")
    result = invoke(tmp_path)
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "warning: blueprint.yaml: imports[0].schema: data needs a JSON schema",
        "warning: blueprint.yaml: importz: this field has no meaning here and is ignored",
    ]


def test_a_value_that_nothing_imports_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "blueprint.yaml").write_text("imports: []\n")
    result = invoke(tmp_path, "--set", "tpyo=1")
    assert "warning: tpyo is given, but the blueprint does not import it" in result.stderr


def test_what_only_a_registry_could_tell_is_named(tmp_path: Path) -> None:
    template = '{{ getServiceAccountKubeconfig "robot" "default" 60 .imports.cluster }}'
    blueprint = {
        "imports": [{"name": "cluster", "type": "target", "targetType": "t/t"}],
        "deployExecutions": [{"name": "main", "type": "GoTemplate", "template": template}],
    }
    written(tmp_path / "blueprint.yaml", blueprint)
    message = refused(tmp_path, "--set", "cluster={spec: {type: t/t, config: {token: hunter2}}}")
    assert message == (
        "the blueprint needs the kubeconfig of a service account of robot, default, 60, Target cluster; "
        "render works offline and cannot find it out"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("size: 3", "unknown field 'size'; write `imports:`"),
        ("imports: [1]", "imports must be a map"),
        ("[1]", "must be a map"),
        ("a: ]", "line 1, column 4: this is not valid YAML"),
        ("a: 1\n---\nb: 2", "has 2 documents"),
    ],
)
def test_a_file_that_holds_no_imports_is_refused(folder: Path, tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "wrong.yaml").write_text(content)
    assert message in refused(folder, "-f", tmp_path / "wrong.yaml")


def test_a_setting_without_a_value_is_refused(folder: Path) -> None:
    assert "write --set NAME=VALUE" in refused(folder, "--set", "size")


def test_a_folder_without_a_blueprint_is_refused(tmp_path: Path) -> None:
    assert "there is no blueprint.yaml" in refused(tmp_path)


def test_a_file_without_an_inline_blueprint_is_refused(tmp_path: Path) -> None:
    target = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}
    path = written(tmp_path / "objects.yaml", target)
    assert "has 0 Installations" in refused(path)
    installation = {
        "apiVersion": "landscaper.gardener.cloud/v1alpha1",
        "kind": "Installation",
        "metadata": {"name": "x"},
        "spec": {"blueprint": {"ref": {"resourceName": "b"}}},
    }
    assert "its blueprint is not inline" in refused(written(path, installation))
