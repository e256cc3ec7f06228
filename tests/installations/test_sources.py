"""Where component and blueprint come from: the Installation itself, a folder, or whoever fetches components."""

from __future__ import annotations

import asyncio
import copy
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.installations.objects import blueprint, data_export, installation, template
from tests.installations.worlds import NAMESPACE, World, in_a_world

from landform.blueprints import files
from landform.cluster.kinds import INSTALLATIONS
from landform.components import versions
from landform.components.errors import NotFound, Unavailable
from landform.installations.sources import NoComponents, Sources

if TYPE_CHECKING:
    from pathlib import Path

    from landform.api.installations import Installation
    from landform.blueprints.questions import Question
    from landform.installations.sources import Wanted

DESCRIPTOR: dict[str, Any] = {
    "meta": {"schemaVersion": "v2"},
    "component": {
        "name": "example.com/shop",
        "version": "1.0.0",
        "provider": "us",
        "repositoryContexts": [{"type": "ociRegistry", "baseUrl": "example.com/components"}],
        "sources": [],
        "componentReferences": [
            {"name": "db", "componentName": "example.com/db", "version": "2.0.0"},
        ],
        "resources": [],
    },
}
NAMING = blueprint(exports=[data_export("out")], exported="exports: {out: {{ .cd.component.name }}}")


class Folder(NoComponents):
    """Has one blueprint, in a folder, and nothing else."""

    def __init__(self, name: str, folder: Path) -> None:
        self._name = name
        self._folder = folder

    async def fetch(self, wanted: Wanted) -> Sources:
        reference = wanted.installation.spec.blueprint.ref
        if reference is None or reference.resource_name != self._name:
            return await super().fetch(wanted)
        return Sources(await asyncio.to_thread(files.from_folder, self._folder))


@dataclass
class Fetching:
    """Fetches what it was given, after some failures."""

    made: dict[str, Any]
    failures: list[Exception] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    asked: list[Question] = field(default_factory=list)

    def must_see(self, installation: Installation) -> bool:
        return False

    async def fetch(self, wanted: Wanted) -> Sources:
        self.fetched.append(wanted.installation.metadata.name or "")
        await asyncio.sleep(1)
        if self.failures:
            raise self.failures.pop(0)
        reference = {"componentName": "example.com/shop", "version": "1.0.0"}
        found = files.from_inline({"blueprint.yaml": json.dumps(self.made)})
        return Sources(found, versions.inline(DESCRIPTOR), {"ref": reference})

    async def answer(self, question: Question, wanted: Wanted) -> Any:
        self.asked.append(question)
        return b"the content"


def by_reference(name: str, **spec: Any) -> dict[str, Any]:
    made = installation(name, **spec)
    made["spec"]["blueprint"] = {"ref": {"resourceName": "blueprint"}}
    made["spec"]["componentDescriptor"] = {"ref": {"componentName": "example.com/shop", "version": "1.0.0"}}
    return made


def test_an_inline_component_is_seen_by_templates_and_by_children() -> None:
    made = blueprint(
        exports=[data_export("out")],
        subinstallations=[template("sub", NAMING, gives={"out": "name"})],
        exported="exports: {out: {{ .dataobjects.name }}}",
    )

    async def scenario(world: World) -> None:
        wanted = installation("shop", made, gives={"out": "y"})
        wanted["spec"]["componentDescriptor"] = {"inline": DESCRIPTOR}
        await world.apply(wanted)
        done = await world.finished("shop")
        assert done.status.phase == "Succeeded", done.status.last_error
        assert await world.value("y") == "example.com/shop"
        name = (await world.child("sub")).metadata.name or ""
        plain = await world.cluster.get(INSTALLATIONS.untyped(), name, namespace=NAMESPACE)
        assert plain["spec"]["componentDescriptor"] == {"inline": DESCRIPTOR}

    in_a_world(scenario)


def test_e32_a_reference_that_nobody_can_follow_fails_the_job_with_the_reason() -> None:
    async def scenario(world: World) -> None:
        await world.apply(by_reference("shop"))
        done = await world.finished("shop")
        error = done.status.last_error
        assert error is not None
        assert (done.status.phase, error.operation, error.reason) == (
            "Failed",
            "InitPrerequisites",
            "RepositoryContextMissing",
        )
        assert "no access to component repositories" in error.message
        await world.delete("shop")
        await world.gone("shop")

    in_a_world(scenario)


def test_a_repository_that_nothing_here_can_reach_fails_the_job_with_the_reason() -> None:
    async def scenario(world: World) -> None:
        wanted = by_reference("shop")
        wanted["spec"]["componentDescriptor"]["ref"]["repositoryContext"] = {"type": "local"}
        await world.apply(wanted)
        error = (await world.finished("shop")).status.last_error
        assert error is not None
        assert (error.operation, error.reason) == ("InitPrerequisites", "GetComponentVersion")

    in_a_world(scenario)


def test_what_is_fetched_is_fetched_once_for_a_job() -> None:
    fetching = Fetching(NAMING)

    async def scenario(world: World) -> None:
        await world.apply(by_reference("shop", gives={"out": "y"}))
        assert (await world.finished("shop")).status.phase == "Succeeded"
        assert await world.value("y") == "example.com/shop"
        assert fetching.fetched == ["shop"]
        await world.reconcile("shop")
        assert fetching.fetched == ["shop", "shop"]

    in_a_world(scenario, components=fetching)


def test_a_repository_that_does_not_answer_is_asked_again_and_one_that_says_no_is_not() -> None:
    fetching = Fetching(NAMING, [Unavailable("no answer"), Unavailable("no answer")])

    async def scenario(world: World) -> None:
        await world.apply(by_reference("shop", gives={"out": "y"}))
        assert (await world.finished("shop")).status.phase == "Succeeded"
        assert len(fetching.fetched) == 3
        fetching.failures.append(NotFound("there is no such component version"))
        done = await world.reconcile("shop")
        assert done.status.last_error is not None
        assert "there is no such component version" in done.status.last_error.message
        assert len(fetching.fetched) == 4

    in_a_world(scenario, components=fetching)


def test_a_question_of_a_template_is_answered_and_the_job_goes_on() -> None:
    text = 'exports: {out: {{ getResourceContent "cd://resources/text" | toJson }}}'
    descriptor = copy.deepcopy(DESCRIPTOR)
    descriptor["component"]["resources"] = [
        {
            "name": "text",
            "version": "1.0.0",
            "type": "plain",
            "relation": "local",
            "access": {"type": "localFilesystemBlob", "filename": "x", "mediaType": "text/plain"},
        }
    ]
    fetching = Fetching({})

    async def scenario(world: World) -> None:
        made = blueprint(exports=[data_export("out")], exported=text)
        wanted = installation("shop", made, gives={"out": "y"})
        wanted["spec"]["componentDescriptor"] = {"inline": descriptor}
        await world.apply(wanted)
        done = await world.finished("shop")
        assert done.status.phase == "Succeeded", done.status.last_error
        assert await world.value("y") == "the content"
        assert len(fetching.asked) == 1

    in_a_world(scenario, components=fetching)


def test_a_blueprint_may_lie_in_a_folder(tmp_path: Path) -> None:
    made = blueprint(exports=[data_export("out")], exported={"out": "from disk"})
    (tmp_path / "blueprint.yaml").write_text(json.dumps(made))

    async def scenario(world: World) -> None:
        wanted = installation("shop", gives={"out": "y"})
        wanted["spec"]["blueprint"] = {"ref": {"resourceName": "mine"}}
        await world.apply(wanted)
        done = await world.finished("shop")
        assert done.status.phase == "Succeeded", done.status.last_error
        assert await world.value("y") == "from disk"
        lost = installation("lost")
        lost["spec"]["blueprint"] = {"ref": {"resourceName": "other"}}
        await world.apply(lost)
        assert (await world.finished("lost")).status.phase == "Failed"

    in_a_world(scenario, components=Folder("mine", tmp_path))


def test_a_template_may_refer_to_a_component_that_its_own_refers_to() -> None:
    sub = {"name": "db", "blueprint": {"ref": "cd://componentReferences/db/resources/blueprint"}}
    nested = copy.deepcopy(DESCRIPTOR)
    resource = {"name": "blueprint", "version": "2.0.0", "type": "blueprint", "relation": "local"}
    access = {"type": "localFilesystemBlob", "filename": "x", "mediaType": "application/x-tar"}
    nested["component"] |= {
        "name": "example.com/db",
        "version": "2.0.0",
        "componentReferences": [],
        "resources": [{**resource, "access": access}],
    }
    descriptor = copy.deepcopy(DESCRIPTOR)
    label = {"name": versions.NESTED_LABEL, "value": nested}
    descriptor["component"]["componentReferences"][0]["labels"] = [label]

    async def scenario(world: World) -> None:
        wanted = installation("shop", blueprint(subinstallations=[sub]))
        wanted["spec"]["componentDescriptor"] = {"inline": descriptor}
        await world.apply(wanted)
        await world.finished("shop")
        name = (await world.child("db")).metadata.name or ""
        plain = await world.cluster.get(INSTALLATIONS.untyped(), name, namespace=NAMESPACE)
        assert plain["spec"]["blueprint"] == {"ref": {"resourceName": "blueprint"}}
        component = plain["spec"]["componentDescriptor"]["inline"]["component"]
        assert (component["name"], component["version"]) == ("example.com/db", "2.0.0")

    in_a_world(scenario)
