"""Deploy items: how their targets are found, what is refused, and how programs become items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from landform.api import anyjson
from landform.api.references import ObjectReference
from landform.blueprints import files, items, programs
from landform.blueprints.definitions import Execution, FlowType
from landform.blueprints.errors import FileError, ItemError
from landform.blueprints.values import Imports, ImportValue
from landform.kit import yamls

if TYPE_CHECKING:
    from landform.api.executions import DeployItemTemplate

CONFIG = {"apiVersion": "mock.deployer.landscaper.gardener.cloud/v1alpha1", "kind": "ProviderConfiguration"}


def target(name: str, namespace: str = "ns") -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": namespace}, "spec": {"type": "cluster"}}


IMPORTS = Imports(
    values={"one": "replaced by an import execution"},
    targets={
        "one": ImportValue(FlowType.TARGET, target("a")),
        "list": ImportValue(FlowType.TARGET_LIST, [target("b"), target("c")]),
        "map": ImportValue(FlowType.TARGET_MAP, {"eu": target("d", "other"), "spec": target("e")}),
    },
)


def item(text: str = "", name: str = "base") -> dict[str, Any]:
    return {"name": name, "type": "landscaper.gardener.cloud/mock", "config": CONFIG, **(yamls.load(text) or {})}


def read(*rendered: dict[str, Any]) -> tuple[DeployItemTemplate, ...]:
    return items.read(rendered, IMPORTS, "ns")


def test_a_whole_item_is_read() -> None:
    (read_item, _) = read(
        item("""
target: {import: one}
labels: {app: shop}
dependsOn: [other]
timeout: 15m
updateOnChangeOnly: true
onDelete: {skipUninstallIfClusterRemoved: true}
"""),
        item(name="other"),
    )
    assert read_item.target == ObjectReference(name="a", namespace="ns")
    assert (read_item.labels, read_item.depends_on, read_item.timeout) == ({"app": "shop"}, ("other",), "15m")
    assert read_item.update_on_change_only
    assert read_item.on_delete is not None
    assert anyjson.value(read_item.config) == CONFIG


@pytest.mark.parametrize(
    ("text", "name", "namespace"),
    [
        ("target: {import: one}", "a", "ns"),
        ("target: {import: list, index: 1}", "c", "ns"),
        ("target: {import: map, key: eu}", "d", "other"),
        ("target: {import: map, key: spec}", "e", "ns"),
        ("target: {name: by-name}", "by-name", "ns"),
        ("target: {name: ignored, import: one}", "a", "ns"),
    ],
)
def test_a_target_is_the_imported_one(text: str, name: str, namespace: str) -> None:
    assert read(item(text))[0].target == ObjectReference(name=name, namespace=namespace)


@pytest.mark.parametrize("text", ["", "target: null", "dependsOn: null"])
def test_an_item_needs_no_target(text: str) -> None:
    assert read(item(text))[0].target is None


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("target: {}", "names neither an import nor a Target"),
        ("target: {import: x}", 'import "x" is not a target import with a value; there are: one, list, map'),
        ("target: {import: one, index: 0}", 'import "one" is no targetList'),
        ("target: {import: one, key: a}", 'import "one" is no targetMap'),
        ("target: {import: list}", 'import "list" is a targetList: say which'),
        ("target: {import: list, index: 2}", 'import "list" has 2 elements, counted from 0; there is no index 2'),
        ("target: {import: list, index: -1}", "there is no index -1"),
        ("target: {import: map, key: us}", "has no key 'us'; it has: eu, spec"),
        ("target: {index: 1}", "index and key need the name of an import"),
        ("target: {import: list, index: one}", "target.index: Expected int"),
        ("type: ''", "type: Required value"),
        ("labels: {a: 1}", "labels"),
        ("labels: {a: 'no good'}", "labels: Invalid value"),
        ("dependsOn: [nothing]", 'dependsOn[0]: Not found: "nothing"'),
        ("dependsOn: [base]", "the dependencies form a cycle: base -> base"),
        ("timeout: soon", "timeout: Invalid value"),
        ("config: null", "config: a map with the deployer's configuration is needed"),
        ("config: [1]", "config: a map with the deployer's configuration is needed"),
        ("config: {kind: A}", "config.apiVersion: a text is needed"),
        ("config: {apiVersion: v1, kind: 1}", "config.kind: a text is needed"),
    ],
)
def test_an_item_that_breaks_the_rules_is_named(text: str, fault: str) -> None:
    with pytest.raises(ItemError) as refused:
        read(item(text))
    assert fault in str(refused.value)
    assert "deploy item" in str(refused.value)


def test_names_are_needed_and_unique() -> None:
    with pytest.raises(ItemError, match='deploy item "base": Duplicate value'):
        read(item(), item())
    with pytest.raises(ItemError, match="every deploy item needs a name"):
        read(item("name: null"))


def test_faults_of_all_items_are_told_at_once() -> None:
    with pytest.raises(ItemError) as refused:
        read(item("target: {import: x}", "a"), item("target: {import: z}", "b"))
    assert 'deploy item "a": target: import "x"' in str(refused.value)
    assert 'deploy item "b": target: import "z"' in str(refused.value)


def test_an_item_that_has_no_form_in_json_is_named() -> None:
    with pytest.raises(ItemError, match='deploy item "base": this has no form in JSON'):
        read({**item(), "labels": {"a": "\ud800"}})


def test_no_configuration_is_shown() -> None:
    with pytest.raises(ItemError) as refused:
        read(item("config: {kind: A, password: s3cret}"))
    assert "s3cret" not in str(refused.value)


FILES = files.from_inline(
    {"scripts": {"run.sh": "echo hello\n"}, "binary": "---Start Binary---\n/w==\n---End Binary---"}
)


def test_a_container_becomes_an_item_with_its_settings_as_configuration() -> None:
    execution = Execution(
        "backup",
        "Container",
        settings={"image": "example.com/backup:1", "args": ["now"], "target": {"import": "one"}, "timeout": "1h"},
    )
    rendered = programs.item(execution, {"port": 5}, FILES, blueprint={"ref": {"resourceName": "x"}})
    assert rendered == {
        "name": "backup",
        "type": "landscaper.gardener.cloud/container",
        "target": {"import": "one"},
        "timeout": "1h",
        "config": {
            "apiVersion": "container.deployer.landscaper.gardener.cloud/v1alpha1",
            "kind": "ProviderConfiguration",
            "image": "example.com/backup:1",
            "args": ["now"],
            "importValues": {"port": 5},
            "blueprint": {"ref": {"resourceName": "x"}},
        },
    }
    assert read(rendered)[0].target == ObjectReference(name="a", namespace="ns")


def test_a_script_carries_the_content_of_its_file() -> None:
    rendered = programs.item(Execution("run", "Script", file="/scripts/run.sh"), {}, FILES)
    assert rendered["type"] == "landscaper.gardener.cloud/script"
    assert rendered["config"]["apiVersion"] == "script.deployer.landscaper.gardener.cloud/v1alpha1"
    assert rendered["config"]["script"] == "echo hello\n"
    assert "file" not in rendered["config"]


def test_settings_win_over_what_a_program_gets_by_itself() -> None:
    execution = Execution("run", "Script", settings={"script": "x", "importValues": {"a": 1}})
    rendered = programs.item(execution, {"port": 5}, FILES, component_descriptor={"ref": {"version": "1"}})
    assert rendered["config"]["importValues"] == {"a": 1}
    assert rendered["config"]["componentDescriptor"] == {"ref": {"version": "1"}}


@pytest.mark.parametrize(
    ("execution", "problem"),
    [
        (Execution("a", "Script", template="x"), "a program has no template"),
        (Execution("a", "Container", file="scripts/run.sh"), "only a Script has a file"),
        (Execution("a", "Script", file="scripts/run.sh", settings={"script": "x"}), "give either a file or a script"),
        (Execution("a", "Script", file="binary"), "not a text in UTF-8"),
    ],
)
def test_a_program_with_contradicting_settings_is_refused(execution: Execution, problem: str) -> None:
    with pytest.raises(ItemError, match=problem):
        programs.item(execution, {}, FILES)


def test_a_missing_script_is_named_with_who_wants_it() -> None:
    with pytest.raises(FileError, match='wanted by Script execution "a"'):
        programs.item(Execution("a", "Script", file="missing"), {}, FILES)
