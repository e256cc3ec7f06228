"""What a program finds when it starts: variables, files, its user."""

from __future__ import annotations

import base64
import os
from typing import TYPE_CHECKING, Any

import pytest
from tests.deployers.programs.contract.sites import error_of

from landform.api.phases import Phase
from landform.cluster.resources import SECRETS
from landform.deployers.programs.contract.sandboxes import SandboxName

if TYPE_CHECKING:
    from tests.deployers.programs.contract.sites import User

VARIABLES = (
    "OPERATION",
    "IMPORTS_PATH",
    "EXPORTS_PATH",
    "EXPORT_PATH",
    "TARGET_PATH",
    "STATE_PATH",
    "STATE",
    "COMPONENT_DESCRIPTOR_PATH",
    "CONTENT_PATH",
)
PLACE = {"name": "place", "namespace": "default"}
RUN = 'echo a: 1 > "$EXPORT_PATH"'
BLUEPRINT = {"inline": {"filesystem": {"blueprint.yaml": "kind: Blueprint\n", "deep": {"run.sh": RUN}}}}


def printing(**values: str) -> str:
    """A script that exports what commands print: what they print is YAML."""
    return "set -eu\n" + "".join(f'printf "{name}: "; {command}; echo\n' for name, command in values.items())


def exporting(**values: str) -> str:
    return f'{{ {printing(**values)} }} > "$EXPORTS_PATH"'


async def test_the_variables_name_the_files_and_the_operation(user: User) -> None:
    item = await user.run(exporting(**{name: f'printf "%s" "${name}"' for name in VARIABLES}))
    assert item.status.phase == Phase.SUCCEEDED, item.status.last_error
    found = await user.exported()
    assert found["OPERATION"] == "RECONCILE"
    assert found["EXPORT_PATH"] == found["EXPORTS_PATH"]
    assert found["STATE"] == found["STATE_PATH"]
    ends = {
        "IMPORTS_PATH": "/imports/import.json",
        "EXPORTS_PATH": "/exports/values",
        "TARGET_PATH": "/targets/target.json",
        "STATE_PATH": "/state",
        "COMPONENT_DESCRIPTOR_PATH": "/component_descriptor.json",
        "CONTENT_PATH": "/content",
    }
    assert all(found[name].endswith(end) for name, end in ends.items())
    if user.place.name is not SandboxName.PROCESS:
        assert found["STATE_PATH"] == "/data/ls/shared/state"


async def test_imports_are_a_json_file(user: User) -> None:
    values = {"a": [1, 2.5, None, True], "ü": {"b": "x\ny"}}
    await user.run(exporting(imports='cat "$IMPORTS_PATH"'), config={"importValues": values})
    assert (await user.exported())["imports"] == values


async def test_imports_may_be_in_a_secret_that_an_item_of_the_older_form_names(user: User) -> None:
    text = base64.b64encode(b"domain: example.com\n").decode()
    secret = {"metadata": {"name": "values"}, "data": {"abc": text}}
    await user.world.cluster.create(SECRETS, secret, namespace="default")
    older: dict[str, Any] = {"import": {"secretRef": {"name": "values", "key": "abc"}}}
    await user.run(exporting(imports='cat "$IMPORTS_PATH"'), **older)
    assert await user.exported() == {"imports": {"domain": "example.com"}}


async def test_imports_that_are_not_there_are_named(user: User) -> None:
    older: dict[str, Any] = {"import": {"secretRef": {"name": "values", "key": "abc"}}}
    item = await user.run("true", timeout="1s", **older)
    assert "secret default/values, which spec.import of deploy item default/one names, does not exist" in error_of(item)


async def test_without_imports_component_and_target_there_is_no_file_and_a_null(user: User) -> None:
    absent = 'test ! -e "$IMPORTS_PATH" && test ! -e "$COMPONENT_DESCRIPTOR_PATH"'
    await user.run(f'{absent} && test -z "$(ls -A "$CONTENT_PATH")"\n' + exporting(target='cat "$TARGET_PATH"'))
    assert await user.exported() == {"target": None}


async def test_the_target_comes_with_the_content_of_its_secret(user: User) -> None:
    body = {"metadata": {"name": "my-secret"}, "data": {"secret1": base64.b64encode(b'{"foo": "bar"}').decode()}}
    await user.world.cluster.create(SECRETS, body, namespace="default")
    await user.world.create_target(secretRef={"name": "my-secret", "key": "secret1"})
    await user.run(exporting(target='cat "$TARGET_PATH"'), target=PLACE)
    found = (await user.exported())["target"]
    assert found["content"] == '{"foo": "bar"}'
    target = found["target"]
    assert (target["apiVersion"], target["kind"]) == ("landscaper.gardener.cloud/v1alpha1", "Target")
    assert (target["metadata"]["name"], target["metadata"]["namespace"]) == ("place", "default")
    assert target["spec"] == {"type": "example.org/place", "secretRef": {"name": "my-secret", "key": "secret1"}}


async def test_the_content_of_a_target_may_be_its_configuration(user: User) -> None:
    await user.world.create_target(config={"foo": "bar"})
    await user.run(exporting(target='cat "$TARGET_PATH"'), target=PLACE)
    assert (await user.exported())["target"]["content"].replace(" ", "") == '{"foo":"bar"}'


async def test_the_files_of_a_blueprint_are_there_and_one_of_them_may_be_the_script(user: User) -> None:
    config = {"script": None, "file": "deep/run.sh", "blueprint": BLUEPRINT}
    item = await user.run("", config=config)
    assert item.status.phase == Phase.SUCCEEDED, item.status.last_error
    assert await user.exported() == {"a": 1}
    await user.run('cp "$CONTENT_PATH/blueprint.yaml" "$EXPORTS_PATH"', "two", config={"blueprint": BLUEPRINT})
    assert await user.exported("two") == {"kind": "Blueprint"}


async def test_component_descriptors_are_a_list(user: User) -> None:
    component = {
        "name": "example.org/thing",
        "version": "1.0.0",
        "provider": "me",
        "repositoryContexts": [],
        "resources": [],
        "sources": [],
        "componentReferences": [],
    }
    descriptor = {"meta": {"schemaVersion": "v2"}, "component": component}
    config = {"componentDescriptor": {"inline": descriptor}}
    item = await user.run(exporting(list='cat "$COMPONENT_DESCRIPTOR_PATH"'), config=config)
    assert item.status.phase == Phase.SUCCEEDED, item.status.last_error
    found = (await user.exported())["list"]
    assert found["meta"] == {"schemaVersion": "v2"}
    assert [each["component"]["name"] for each in found["components"]] == ["example.org/thing"]


async def test_arguments_and_variables_reach_the_program_but_the_contract_wins(user: User) -> None:
    config = {"args": ["a b", "c"], "env": {"GREETING": "hello you", "PORT": 8080, "OPERATION": "NONSENSE"}}
    script = exporting(args='printf "[%s, %s]" "$1" "$2"', env='printf "$GREETING $PORT $OPERATION"')
    await user.run(script, config=config)
    assert await user.exported() == {"args": ["a b", "c"], "env": "hello you 8080 RECONCILE"}


async def test_the_program_is_not_root(user: User) -> None:
    if user.place.name is SandboxName.PROCESS and os.geteuid() != 0:
        pytest.skip("programs run as the user that we are")
    await user.run(exporting(user="id -u", group="id -g", groups="id -G | grep -cw 2000"))
    assert await user.exported() == {"user": 1000, "group": 3000, "groups": 1}


async def test_the_program_gets_nothing_of_the_deployers_own_environment(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPLOYER_SECRET", "x")
    await user.run('test -z "${DEPLOYER_SECRET:-}"')
    assert (await user.world.item()).status.phase == Phase.SUCCEEDED
