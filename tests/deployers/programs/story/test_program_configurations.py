"""What container and script items say of themselves."""

from __future__ import annotations

from typing import Any

import pytest

from landform.api.errors import OperationFailed
from landform.cluster.resources import ObjectKey
from landform.deployers.container import configuration as containers
from landform.deployers.programs.contract.sandboxes import Program
from landform.deployers.script import configuration as scripts

KIND = "ProviderConfiguration"
REF = {"ref": {"componentName": "example.org/x", "version": "1.0.0"}}


def container(**config: Any) -> Any:
    return containers.read({"apiVersion": containers.API_VERSION, "kind": KIND, **config})


def script(**config: Any) -> Any:
    return scripts.read({"apiVersion": scripts.API_VERSION, "kind": KIND, **config})


def test_a_container_item_may_say_nothing() -> None:
    assert container().program == Program()


def test_a_container_item_says_what_to_run_and_with_what() -> None:
    found = container(
        image="example/x:1",
        command=["my command"],
        args=["--flag1", "my arg"],
        env={"A": "b", "N": 1, "T": True},
        importValues={"a": 1},
        componentDescriptor=REF,
        blueprint={"ref": {"resourceName": "bp"}},
        registryPullSecrets=[{"name": "s", "namespace": "n"}],
        continuousReconcile={"every": "1h"},
        resources={"limits": {"memory": "1Gi", "cpu": 2}},
        nodeSelector={"zone": "a"},
        tolerations=[{"key": "k", "operator": "Exists"}],
        network=False,
        readOnlyRoot=True,
    )
    assert found.program.command == ("my command",)
    assert found.program.args == ("--flag1", "my arg")
    assert found.program.env == {"A": "b", "N": "1", "T": "true"}
    assert found.program.settings == {
        "resources": {"limits": {"memory": "1Gi", "cpu": 2}, "requests": {}},
        "nodeSelector": {"zone": "a"},
        "tolerations": [{"key": "k", "operator": "Exists"}],
        "network": False,
        "readOnlyRoot": True,
    }
    assert (found.import_values, found.component_descriptor) == ({"a": 1}, REF)
    assert found.blueprint == {"ref": {"resourceName": "bp"}}
    assert found.pull_secrets == (ObjectKey("n", "s"),)


def test_a_script_has_an_interpreter() -> None:
    assert script(script="echo").program == Program(command=("/bin/sh",), is_script=True)
    assert script(script="x", interpreter="/usr/bin/env python3").program.command == ("/usr/bin/env", "python3")
    assert script(script="x", interpreter=["/my shell"], args="a 'b c'").program.args == ("a", "b c")


def test_the_head_may_be_missing_as_it_does_in_the_older_provider_config() -> None:
    assert scripts.read({"script": "echo"}) == script(script="echo")
    assert containers.read({"image": "x"}) == container(image="x")


def test_a_script_may_be_a_file_of_the_blueprint() -> None:
    found = script(file="run.sh", blueprint={"inline": {"filesystem": {"run.sh": "echo"}}}, image="example/x:1")
    assert (found.script, found.script_file, found.program.image) == (None, "run.sh", "example/x:1")


DECODE, VALIDATE = "DecodeProviderConfiguration", "ValidateProviderConfiguration"


@pytest.mark.parametrize(
    ("config", "reason", "words"),
    [
        ({"kind": "Configuration"}, DECODE, "such an item needs a ProviderConfiguration of container"),
        ({"image": 1}, DECODE, "at `spec.config.image`"),
        ({"env": {"A": []}}, DECODE, "at `spec.config.env[...]`"),
        ({"env": {"A=B": ""}}, VALIDATE, "'A=B' is no name of a variable"),
        ({"env": {"A": "x\0"}}, VALIDATE, "the value of A has a NUL byte"),
        ({"args": ["a", "b\0"]}, VALIDATE, "spec.config.args[1] has a NUL byte"),
        ({"command": [""]}, VALIDATE, "spec.config.command[0] is empty"),
        ({"registryPullSecrets": [{"name": "s"}]}, VALIDATE, "registryPullSecrets[0] needs a name and a namespace"),
        ({"componentDescriptor": {}}, VALIDATE, "componentDescriptor needs either ref or inline"),
        ({"componentDescriptor": {"ref": {"version": "1"}}}, VALIDATE, "componentDescriptor.ref.componentName"),
        ({"blueprint": {"ref": {"resourceName": "b"}}}, VALIDATE, "needs spec.config.componentDescriptor"),
        ({"blueprint": {"ref": {}}, "componentDescriptor": REF}, VALIDATE, "blueprint.ref.resourceName is missing"),
        ({"command": "a 'b"}, VALIDATE, "spec.config.command: No closing quotation; write a list"),
        ({"continuousReconcile": {"every": "x"}}, "InvalidContinuousReconcile", "every 'x' is not a duration"),
    ],
)
def test_a_container_item_that_makes_no_sense_fails_for_good(config: dict[str, Any], reason: str, words: str) -> None:
    with pytest.raises(OperationFailed) as raised:
        container(**config)
    assert raised.value.reason == reason
    assert words in raised.value.message
    assert raised.value.codes == ("ERR_CONFIGURATION_PROBLEM",)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({}, "needs either script or file, and has neither"),
        ({"script": "x", "file": "y"}, "needs either script or file, and has both"),
        ({"script": "x", "interpreter": ["", "-e"]}, "spec.config.interpreter[0] is empty"),
        ({"file": "y"}, "spec.config.file is a file of spec.config.blueprint: give one"),
        ({"script": "x", "continuousReconcil": {}}, "spec.config: Object contains unknown field `continuousReconcil`"),
        ({"script": "x", "resources": {"limit": {}}}, "unknown field `limit` - at `spec.config.resources`"),
        ({"script": "x", "interpreter": "'"}, "spec.config.interpreter: No closing quotation"),
    ],
)
def test_a_script_item_that_makes_no_sense_fails_for_good(config: dict[str, Any], words: str) -> None:
    with pytest.raises(OperationFailed, match="InitScriptOperation") as raised:
        script(**config)
    assert words in raised.value.message
