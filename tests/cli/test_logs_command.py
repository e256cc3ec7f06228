"""`landform logs`: what programs print, while they run and afterwards."""

from __future__ import annotations

import asyncio
import itertools
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.processes import PATIENCE_SECONDS, Up, run, up
from tests.cli.typed import Terminal, terminal

from landform.api import jobs
from landform.api.names import Label, Operation
from landform.api.structs import API_VERSION
from landform.cluster.kinds import DEPLOY_ITEMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from landform.api.deployitems import DeployItem

CONFIG = {"apiVersion": "script.deployer.landscaper.gardener.cloud/v1alpha1", "kind": "ProviderConfiguration"}
OPERATION = "landscaper.gardener.cloud/operation"

_numbers = itertools.count()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    with up(tmp_path_factory.mktemp("home") / "data", "--deployers", "script") as home:
        yield home
        assert home.stop() == 0


@pytest.fixture
def person(home: Up) -> Terminal:
    return terminal(home, f"person-{next(_numbers)}")


def script(name: str, text: str, **metadata: Any) -> dict[str, Any]:
    """A script item that gives itself a job."""
    return {
        "apiVersion": API_VERSION,
        "kind": "DeployItem",
        "metadata": {"name": name, "annotations": {OPERATION: str(Operation.TEST_RECONCILE)}, **metadata},
        "spec": {"type": "script", "config": {**CONFIG, "script": text}},
    }


def until(person: Terminal, name: str, condition: Callable[[DeployItem], object]) -> None:
    """Wait until an item is as wanted."""

    async def wait() -> None:
        async with asyncio.timeout(PATIENCE_SECONDS), person.home.cluster() as cluster:
            while True:
                if condition(await cluster.get(DEPLOY_ITEMS, name, namespace=person.namespace)):
                    return
                await asyncio.sleep(0.05)

    asyncio.run(wait())


def is_done(item: DeployItem) -> bool:
    return bool(item.status.job_id) and not jobs.is_busy(item.status)


def again(person: Terminal, name: str) -> None:
    """Have an item run once more."""

    async def ask() -> str | None:
        async with person.home.cluster() as cluster:
            before = (await cluster.get(DEPLOY_ITEMS, name, namespace=person.namespace)).status.job_id
            change = {"metadata": {"annotations": {OPERATION: str(Operation.TEST_RECONCILE)}}}
            await cluster.patch(DEPLOY_ITEMS, name, change, namespace=person.namespace)
            return before

    before = asyncio.run(ask())
    until(person, name, lambda item: item.status.job_id != before and is_done(item))


def test_the_log_of_a_program_is_kept_after_its_end(person: Terminal) -> None:
    person.store(script("one", "echo hello; echo you >&2"))
    until(person, "one", is_done)
    assert person.read("logs", "one") == ["hello", "you"]
    assert person.read("logs", "deployitems/one") == person.read("logs", "di/one") == ["hello", "you"]
    assert person.refused("logs", "installation/one") == (
        "only container and script items have logs; installation/one is no deploy item"
    )


def test_the_run_before_the_last_is_kept_too(person: Terminal) -> None:
    person.store(script("one", 'echo x >> "$STATE_PATH/runs"; echo "run $(wc -l < "$STATE_PATH/runs")"'))
    until(person, "one", is_done)
    assert person.refused("logs", "one", "--previous") == (
        f"there is no log of an earlier run of deploy item {person.namespace}/one"
    )
    again(person, "one")
    assert person.read("logs", "one") == ["run 2"]
    assert person.read("logs", "one", "--previous") == ["run 1"]


def test_a_log_can_be_followed_until_the_job_is_over(person: Terminal) -> None:
    person.store(script("one", "echo begin; sleep 2; echo end"))
    until(person, "one", lambda item: item.status.provider_status)
    code, out, err = run("logs", "one", "-f", "-n", person.namespace, "--data", person.home.folder)
    assert (code, out, err) == (0, "begin\nend\n", "")


def test_an_item_may_be_called_as_its_blueprint_does(person: Terminal) -> None:
    person.store(script("shop-make-abcde", "echo made", labels={str(Label.ITEM_NAME): "make"}))
    until(person, "shop-make-abcde", is_done)
    assert person.read("logs", "make") == ["made"]
    assert person.refused("logs", "mkae").endswith('did you mean "make"?')
    assert person.refused("logs", "shop-make-abcdf").endswith('did you mean "shop-make-abcde"?')


def test_it_is_said_why_there_is_no_log(person: Terminal) -> None:
    person.store(script("silent", "true"))
    until(person, "silent", is_done)
    here = person.namespace
    said = person.type("logs", "silent")
    assert (said.code, said.out) == (0, "")
    assert said.err == f"The program of deploy item {here}/silent has printed nothing.\n"
    idle = script("idle", "true", annotations={})
    mock = {**script("mock", "", annotations={}), "spec": {"type": "mock", "config": CONFIG}}
    person.store(idle, mock)
    assert person.refused("logs", "idle") == (
        f"the program of deploy item {here}/idle has not run yet; `landform why idle -n {here}` says why"
    )
    assert person.refused("logs", "mock") == (
        f"deploy item {here}/mock is of type mock; only container and script items have logs"
    )


def test_following_what_is_over_is_a_mistake(person: Terminal) -> None:
    said = person.type("logs", "one", "-f", "--previous")
    assert said.code == 2
    assert "give either --follow or --previous" in said.err
