"""What templates remember from job to job, and what is said when they fail."""

from __future__ import annotations

import base64
from typing import Any

from tests.installations.objects import blueprint, data_export, data_import, installation, item, template
from tests.installations.worlds import NAMESPACE, World, condition, in_a_world

from landform.api import scopes
from landform.cluster.resources import SECRETS

_ONCE = """
{{ $known := .state.word | default (printf "made-in-job-%d" (len .imports.list)) }}
state: {word: {{ $known }}}
"""


def remembering(**parts: Any) -> dict[str, Any]:
    """A blueprint whose deploy execution makes a word once and keeps it."""
    text = _ONCE + (
        "deployItems:\n- {name: base, type: landscaper.gardener.cloud/mock, config: {apiVersion: "
        "mock.deployer.landscaper.gardener.cloud/v1alpha1, kind: ProviderConfiguration, export: {w: {{ $known }}}}}"
    )
    execution = {"name": "main", "type": "GoTemplate", "template": text}
    return blueprint(
        imports=[data_import("list")],
        exports=[data_export("out")],
        deployExecutions=[execution],
        exported={"out": "«.deployitems.base.w»"},
        **parts,
    )


def test_what_a_template_remembers_is_kept_in_a_secret_and_seen_by_the_next_job() -> None:
    async def scenario(world: World) -> None:
        await world.data("l", [1])
        await world.apply(installation("shop", remembering(), data={"list": "l"}, gives={"out": "y"}))
        done = await world.finished("shop")
        assert done.status.phase == "Succeeded", done.status.last_error
        await world.data("l", [1, 2])
        await world.reconcile("shop")
        assert await world.value("y") == "made-in-job-1"
        name = scopes.object_name("shop", "deploymain")
        secret = await world.cluster.get(SECRETS, name, namespace=NAMESPACE)
        assert base64.b64decode(secret["data"]["config"]) == b'{"word": "made-in-job-1"}'
        assert secret["metadata"]["ownerReferences"][0]["controller"] is True
        await world.delete("shop")
        await world.gone("shop")
        await world.left()
        found = (await world.cluster.list(SECRETS, namespace=NAMESPACE)).items
        assert [each["metadata"]["name"] for each in found if each["metadata"]["name"] == name] == []

    in_a_world(scenario)


def test_e12_deploy_and_subinstallation_executions_of_one_name_share_their_state() -> None:
    first = {"name": "main", "type": "GoTemplate", "template": "state: {word: from-subs}\nsubinstallations: []"}
    made = remembering(subinstallationExecutions=[first])

    async def scenario(world: World) -> None:
        await world.data("l", [1])
        await world.apply(installation("shop", made, data={"list": "l"}, gives={"out": "y"}))
        done = await world.finished("shop")
        assert done.status.phase == "Succeeded", done.status.last_error
        assert await world.value("y") == "from-subs"

    in_a_world(scenario)


def test_e13_an_output_with_no_value_fails_the_job_and_shows_the_place_but_no_secret() -> None:
    text = "deployItems:\n- name: base\n  type: {{ .imports.in.nothing }}\n  config: {s: {{ .imports.in.password }}}"
    made = blueprint(
        imports=[data_import("in")], deployExecutions=[{"name": "main", "type": "GoTemplate", "template": text}]
    )

    async def scenario(world: World) -> None:
        await world.data("x", {"password": "hunter2hunter2"})
        await world.apply(installation("shop", made, data={"in": "x"}))
        done = await world.finished("shop")
        error = done.status.last_error
        assert error is not None
        assert (done.status.phase, error.operation, error.reason) == (
            "Failed",
            "handlePhaseInit",
            "CreateImportsAndSubobjects",
        )
        assert error.message.startswith("Op: ReconcileExecution - Reason: TemplatingFailed - Message: ")
        assert "<no value>" in error.message
        assert 'deploy execution "main"' in error.message
        assert "hunter2" not in error.message
        assert condition(done, "ReconcileExecution").status == "False"
        assert condition(done, "ReconcileExecution").reason == "TemplatingFailed"
        assert error.codes == ("ERR_FOR_INFO_ONLY",)

    in_a_world(scenario)


def test_an_import_execution_that_finds_a_fault_fails_the_job_with_its_words() -> None:
    check = {"name": "check", "type": "GoTemplate", "template": "errors: [too small, too late]"}

    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(importExecutions=[check])))
        done = await world.finished("shop")
        assert done.status.last_error is not None
        assert "import validation failed: too small, too late" in done.status.last_error.message
        assert condition(done, "ValidateImports").status == "False"

    in_a_world(scenario)


def test_a_value_that_does_not_fit_its_schema_is_refused_without_being_shown() -> None:
    async def scenario(world: World) -> None:
        await world.data("x", {"password": "hunter2hunter2"})
        await world.apply(installation("shop", blueprint(imports=[data_import("in", "string")]), data={"in": "x"}))
        done = await world.finished("shop")
        assert done.status.last_error is not None
        assert 'import "in"' in done.status.last_error.message
        assert "hunter2" not in done.status.last_error.message

    in_a_world(scenario)


def test_a_blueprint_that_cannot_be_read_fails_the_job() -> None:
    async def scenario(world: World) -> None:
        made = installation("shop")
        made["spec"]["blueprint"] = {"inline": {"filesystem": {"blueprint.yaml": "imports: ["}}}
        await world.apply(made)
        done = await world.finished("shop")
        assert done.status.last_error is not None
        assert "blueprint.yaml" in done.status.last_error.message
        await world.delete("shop")
        await world.gone("shop")

    in_a_world(scenario)


def test_a_sub_installation_that_breaks_the_rules_is_told_of_its_template() -> None:
    sub = template("db", blueprint(imports=[data_import("in")]), data={"in": "nobody-gives-it"})

    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(subinstallations=[sub], items=[item()])))
        done = await world.finished("shop")
        assert done.status.last_error is not None
        assert "nobody-gives-it" in done.status.last_error.message
        assert condition(done, "EnsureSubInstallations").status == "False"

    in_a_world(scenario)
