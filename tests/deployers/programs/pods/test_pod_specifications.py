"""The pod of a run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.deployers.programs.pods.nodes import ORDER, RUN, SETTINGS

from landform.deployers.programs.contract.sandboxes import Program
from landform.deployers.programs.pods import names, permissions, podspecs
from landform.deployers.programs.pods.podspecs import Parts, Piece
from landform.deployers.programs.pods.settings import ContainerSettings
from landform.deployers.programs.states.slots import Slots
from landform.deployers.programs.states.statechunks import Place

PARTS = Parts(["inputs-0"], [Piece("state-0", "config")], Slots(Place("id", "next", 1, "run"), 2, None))


def pod(program: Program | None = None, parts: Parts = PARTS, **settings: Any) -> dict[str, Any]:
    """The pod of a program."""
    order = ORDER if program is None else replace(ORDER, program=program)
    return podspecs.pod(order, parts, replace(SETTINGS, **settings), "gardener")


def main_of(made: dict[str, Any]) -> dict[str, Any]:
    [main] = [each for each in made["spec"]["containers"] if each["name"] == "main"]
    return dict(main)


def test_a_pod_says_which_generation_of_its_item_it_was_made_for() -> None:
    made = podspecs.pod(replace(ORDER, generation=7), PARTS, SETTINGS, "gardener")
    assert made["metadata"]["labels"]["deployitem.container.deployer.landscaper.gardener.cloud/generation"] == "7"


def test_main_sees_the_shared_volume_and_nothing_else() -> None:
    made = pod()
    assert main_of(made)["volumeMounts"] == [{"name": "shared", "mountPath": "/data/ls/shared"}]
    assert made["spec"]["automountServiceAccountToken"] is False


def test_only_wait_gets_a_token_and_only_init_the_inputs() -> None:
    [init, wait] = pod()["spec"]["initContainers"]
    assert [mount["name"] for mount in init["volumeMounts"]] == ["shared", "inputs"]
    assert [mount["name"] for mount in wait["volumeMounts"]] == ["shared", "account", "scratch"]


def test_wait_is_told_to_end_after_main_and_has_time_then() -> None:
    spec = pod()["spec"]
    assert [each["name"] for each in spec["initContainers"]] == ["init", "wait"]
    assert [each.get("restartPolicy") for each in spec["initContainers"]] == [None, "Always"]
    assert [each["name"] for each in spec["containers"]] == ["main"]
    assert spec["terminationGracePeriodSeconds"] == 20 + 30


def test_the_contract_wins_over_the_variables_of_the_item() -> None:
    program = Program(image="i", env={"OPERATION": "NONE", "POD_NAME": "mine", "COLOR": "red"})
    env = {each["name"]: each.get("value") for each in main_of(pod(program))["env"]}
    assert (env["OPERATION"], env["POD_NAME"], env["COLOR"]) == ("RECONCILE", None, "red")
    assert env["EXPORT_PATH"] == env["EXPORTS_PATH"] == "/data/ls/shared/exports/values"


@pytest.mark.parametrize(
    ("program", "image", "command", "args"),
    [
        pytest.param(Program(image="mine"), "mine", None, None, id="as the image says"),
        pytest.param(Program(), "usual", ["default"], ["--calm"], id="the default"),
        pytest.param(Program(command=("own",)), "usual", ["own"], ["--calm"], id="own command in the default image"),
        pytest.param(Program(image="mine", args=("-x",)), "mine", None, ["-x"], id="only arguments"),
        pytest.param(
            Program(image="mine", command=("/bin/sh", "-e"), args=("a",), is_script=True),
            "mine",
            ["/bin/sh", "-e", "/data/ls/shared/script/run"],
            ["a"],
            id="a script",
        ),
    ],
)
def test_what_is_run(program: Program, image: str, command: list[str] | None, args: list[str] | None) -> None:
    default = ContainerSettings("usual", ("default",), ("--calm",), "Always")
    main = main_of(pod(program, default=default))
    assert (main["image"], main.get("command"), main.get("args")) == (image, command, args)
    assert main["imagePullPolicy"] == "Always"


def test_the_wishes_of_an_item_reach_its_pod() -> None:
    wishes = {
        "resources": {"limits": {"memory": "1Gi"}},
        "nodeSelector": {"disk": "ssd"},
        "tolerations": [{"key": "spot", "operator": "Exists"}],
        "readOnlyRoot": True,
    }
    made = pod(Program(image="i", settings=wishes))
    assert main_of(made)["resources"] == wishes["resources"]
    assert main_of(made)["securityContext"]["readOnlyRootFilesystem"] is True
    assert (made["spec"]["nodeSelector"], made["spec"]["tolerations"]) == (
        wishes["nodeSelector"],
        wishes["tolerations"],
    )
    assert "resources" not in main_of(pod())


def test_pieces_of_state_are_mounted_in_their_order() -> None:
    [volume] = [each for each in pod()["spec"]["volumes"] if each["name"] == "inputs"]
    assert [source["secret"] for source in volume["projected"]["sources"]] == [
        {"name": "inputs-0"},
        {"name": "state-0", "items": [{"key": "config", "path": "state/00000"}]},
    ]


def test_images_are_pulled_with_the_secret_of_the_run() -> None:
    assert "imagePullSecrets" not in pod()["spec"]
    made = pod(parts=replace(PARTS, pull_secret="pull"))
    assert made["spec"]["imagePullSecrets"] == [{"name": "pull"}]


def test_the_role_names_every_object() -> None:
    for rule in permissions.role(RUN, "gardener", ["slot-0"])["rules"]:
        assert rule["resourceNames"]
        assert not {"create", "list", "delete", "*"}.intersection(rule["verbs"])


def test_names_of_long_items_fit_and_differ() -> None:
    long = replace(RUN, item=replace(RUN.item, name="a" * 200))
    other = replace(long, job="another")
    for run in (long, other):
        assert len(names.pod_name(run)) <= 63
    assert names.pod_name(long) != names.pod_name(other)
    metadata = names.run_metadata(long, names.pod_name(long), "gardener")
    assert all(len(value) <= 63 for value in metadata["labels"].values())
    assert names.run_of({"metadata": metadata}) == long
