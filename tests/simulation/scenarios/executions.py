"""Executions whose items change from job to job, with a deployer beside them; at last all are deleted."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from landform.api import jobs, scopes
from landform.api.names import Annotation, Finalizer, Label, Operation
from landform.api.phases import FINAL
from landform.cluster.codec import key_of, metadata
from landform.cluster.errors import NotFound
from landform.cluster.informers import Caches
from landform.cluster.interface import WriteOptions
from landform.cluster.kinds import DATA_OBJECTS, DEPLOY_ITEMS, EXECUTIONS
from landform.cluster.resources import SECRETS, ObjectKey
from landform.engine.engine import Engine, Replicas, Settings
from landform.kit import clocks
from landform.runtime.controllers import Controller
from landform.runtime.intents import Create, Hands, Intent, Patch, WakeAt
from landform.runtime.manager import Entered, Life, Manager
from landform.runtime.metrics import Metrics
from landform.runtime.recorders import Recorder
from landform.testing.simulation import invariants
from landform.testing.simulation.scenarios import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.api.deployitems import DeployItem
    from landform.cluster.informers import Informer
    from landform.cluster.resources import Unstructured
    from landform.kit.clocks import Clock
    from landform.runtime.errors import Terminal
    from landform.testing.simulation.history import History
    from landform.testing.simulation.processes import Process, Program
    from landform.testing.simulation.scenarios import World

NAMESPACE = "default"
TYPE = "example.com/worker"
NAMES = ("shop", "bank")
STATUS = WriteOptions(subresource="status")
WORK_SECONDS = 2.0
BAD = "-bad"
"""Jobs whose id ends so let the item i1 fail."""


# The system under test, and the deployer it works with.


def controllers(*, sharded: bool = False) -> Program:
    """The program of a process that cares for Executions, and for items that nobody begins."""

    async def main(process: Process) -> None:
        replicas = Replicas(namespace="kube-system", holder=process.name) if sharded else None
        await Engine(process.cluster, process.surroundings, settings=Settings(replicas=replicas)).run(Life())

    return main


@dataclass
class Worker:
    """A deployer: it says that it has begun, works for a while, exports the job's name and ends."""

    items: Informer[DeployItem]
    secrets: Informer[Unstructured]
    clock: Clock
    begun: dict[tuple[str, str], float] = field(default_factory=dict)

    def observe(self, key: ObjectKey) -> DeployItem | None:
        item = self.items.get(key)
        return item if item is not None and jobs.is_busy(item.status) else None

    def decide(self, snapshot: DeployItem) -> list[Intent]:
        job = (snapshot.metadata.uid or "", snapshot.status.job_id or "")
        left = self.begun.setdefault(job, self.clock.monotonic()) + WORK_SECONDS - self.clock.monotonic()
        times = snapshot.status.transition_times
        if left > 0 and (times is None or times.init_time is None):
            return [self._said(snapshot, {"phase": "Progressing", "transitionTimes": {"initTime": self._now()}})]
        return [WakeAt(self.clock.now() + timedelta(seconds=left))] if left > 0 else self._end(snapshot)

    def _end(self, item: DeployItem) -> list[Intent]:
        deleted, job = item.metadata.deletion_timestamp is not None, item.status.job_id or ""
        done = {"jobIDFinished": job, "transitionTimes": {"initTime": self._now(), "finishedTime": self._now()}}
        if job.endswith(BAD) and name_of(item) == "i1":
            return [self._said(item, {**done, "phase": "DeleteFailed" if deleted else "Failed"})]
        if deleted:
            return [Patch(DEPLOY_ITEMS, item, {"metadata": {"finalizers": None}})]
        name = f"{item.metadata.name}-export"
        data = {"config": base64.b64encode(json.dumps({"job": job}).encode()).decode()}
        known = self.secrets.get(ObjectKey(NAMESPACE, name))
        export = (
            Patch(SECRETS, known, {"data": data})
            if known is not None
            else Create(SECRETS, {"metadata": {"name": name, "namespace": NAMESPACE}, "data": data})
        )
        reference = {"name": name, "namespace": NAMESPACE}
        return [export, self._said(item, {**done, "phase": "Succeeded", "exportRef": reference})]

    def _said(self, item: DeployItem, status: dict[str, Any]) -> Intent:
        told = {"observedGeneration": item.metadata.generation, "conditions": None, **status}
        return Patch(DEPLOY_ITEMS, item, {"status": told}, subresource="status")

    def _now(self) -> str:
        return clocks.rfc3339(self.clock.now())

    def mark(self, snapshot: DeployItem, error: Terminal) -> list[Intent]:
        raise error


async def worker(process: Process) -> None:
    """The program of a process that works on items."""
    cluster, surroundings = process.cluster, process.surroundings
    caches = Caches(cluster, surroundings=surroundings)
    items, secrets = caches.informer(DEPLOY_ITEMS), caches.informer(SECRETS, namespace=NAMESPACE)
    recorder = Recorder(cluster, "worker", surroundings=surroundings)
    hands = Hands(cluster, recorder, caches, surroundings=surroundings)
    made = Controller("worker", Worker(items, secrets, surroundings.clock), hands, metrics=Metrics())
    made.follow(items, lambda item: [key_of(item)])
    await Manager([{"caches": Entered(caches), "recorder": recorder}, {"worker": made}]).run()


# What Installations do, played by people.


async def setup(world: World) -> None:
    for name in NAMES:
        body = {"metadata": {"name": name, "finalizers": [Finalizer.LANDSCAPER]}, "spec": {"deployItems": []}}
        await world.cluster.create(EXECUTIONS, body, namespace=NAMESPACE)


async def workload(world: World) -> None:
    """Each Execution runs some jobs with other items each time, and is deleted in the end."""
    async with asyncio.TaskGroup() as group:
        for name in NAMES:
            group.create_task(_life(world, name))


async def _life(world: World, name: str) -> None:
    chance = world.chance
    for number in range(3):
        spec = {"spec": {"deployItems": _templates(world)}}
        await world.cluster.patch(EXECUTIONS, name, spec, namespace=NAMESPACE)
        await _trigger(world, name, f"J{number}" + (BAD if chance.random() < 0.25 else ""))
        if chance.random() < 0.2:
            await asyncio.sleep(chance.uniform(0.0, 5.0))
            change = {"metadata": {"annotations": {Annotation.OPERATION: Operation.INTERRUPT}}}
            await world.cluster.patch(EXECUTIONS, name, change, namespace=NAMESPACE)
        await _idle(world, name)
    if name == "bank":
        return
    await world.cluster.delete(EXECUTIONS, name, namespace=NAMESPACE)
    tries = 0
    while _found(world, name) is not None:
        await _trigger(world, name, f"D{tries}" + (BAD if tries == 0 and chance.random() < 0.3 else ""))
        await _idle(world, name)
        tries += 1


def _templates(world: World) -> list[Unstructured]:
    config = {"apiVersion": "example.com/v1", "kind": "Work"}
    names = [f"i{number}" for number in range(4) if world.chance.random() < 0.7]
    return [
        {
            "name": name,
            "type": TYPE,
            "config": config,
            "dependsOn": [other for other in names[:place] if world.chance.random() < 0.5],
        }
        for place, name in enumerate(names)
    ]


async def _trigger(world: World, name: str, job: str) -> None:
    change = {"status": {"jobID": job, "transitionTimes": {"triggerTime": "2030-01-01T00:00:00Z"}}}
    with contextlib.suppress(NotFound):
        await world.cluster.patch(EXECUTIONS, name, change, namespace=NAMESPACE, options=STATUS)


async def _idle(world: World, name: str) -> None:
    """Wait until the Execution has no job, or is gone."""
    while not _has_no_job(_found(world, name)):  # noqa: ASYNC110 - the history has no event to wait for
        await asyncio.sleep(0.5)


def _has_no_job(execution: Unstructured | None) -> bool:
    said = status_of(execution)
    return bool(said.get("jobID") == said.get("jobIDFinished"))


def _found(world: World, name: str) -> Unstructured | None:
    return world.history.get(EXECUTIONS, ObjectKey(NAMESPACE, name))


# What must be true.


def name_of(item: DeployItem | Unstructured) -> str:
    return metadata(item).labels[Label.ITEM_NAME]


def status_of(obj: Unstructured | None) -> Unstructured:
    return (obj or {}).get("status") or {}


def job_of(obj: Unstructured | None) -> str:
    return jobs.base(status_of(obj).get("jobID"))


def dependencies(item: Unstructured) -> list[str]:
    return [name for name in item["metadata"]["annotations"][Annotation.DEPENDS_ON].split(",") if name]


def siblings(history: History, execution: str) -> dict[str, Unstructured]:
    found = history.objects(DEPLOY_ITEMS, NAMESPACE)
    return {name_of(item): item for item in found if metadata(item).labels[Label.MANAGED_BY] == execution}


def has_succeeded(item: Unstructured | None, job: str) -> bool:
    said = status_of(item)
    return said.get("phase") == "Succeeded" and said.get("jobID") == said.get("jobIDFinished") == job


def nothing_runs_before_its_predecessors(history: History) -> Iterator[str]:
    write = history.writes[-1]
    if not write.is_of(DEPLOY_ITEMS) or not write.after or job_of(write.before) == job_of(write.after):
        return
    if status_of(write.after).get("jobIDFinished") == job_of(write.after):
        return  # interrupted before it was started
    others = siblings(history, metadata(write.after).labels[Label.MANAGED_BY])
    if "deletionTimestamp" in write.after["metadata"]:
        for other in others.values():
            if name_of(write.after) in dependencies(other) and "deletionTimestamp" in other["metadata"]:
                yield f"{write.key} is uninstalled though {name_of(other)} still depends on it"
        return
    for name in dependencies(write.after):
        if not has_succeeded(others.get(name), job_of(write.after)):
            yield f"{write.key} is started though {name} has not succeeded"


def success_is_true(history: History) -> Iterator[str]:
    """An Execution that says so has exactly its items, all succeeded, and exports what they did in this job."""
    write = history.writes[-1]
    said = status_of(write.after)
    if not write.is_of(EXECUTIONS) or not write.after or said.get("phase") != "Succeeded":
        return
    if status_of(write.before).get("jobIDFinished") == said.get("jobIDFinished"):
        return
    wanted = [each["name"] for each in write.after["spec"].get("deployItems") or []]
    found, job = siblings(history, write.key.name), said["jobID"]
    if sorted(found) != sorted(wanted):
        yield f"{write.key} succeeded with items {sorted(found)}, but wants {sorted(wanted)}"
    for name, item in found.items():
        if not has_succeeded(item, job):
            yield f"{write.key} succeeded, but its item {name} did not"
    key = ObjectKey(NAMESPACE, scopes.object_name(scopes.execution_scope(write.key.name), ""))
    export = history.get(DATA_OBJECTS, key)
    right = {name: {"job": job} for name in wanted} if wanted else None
    if (export["data"] if export else None) != right:
        yield f"{write.key} exports {export and export['data']}, not {right}"


def equal_ids_mean_a_final_phase(history: History) -> Iterator[str]:
    write = history.writes[-1]
    said = status_of(write.after)
    if not write.is_of(EXECUTIONS, DEPLOY_ITEMS) or not said.get("jobID"):
        return
    if (said.get("jobID") == said.get("jobIDFinished")) and said.get("phase") not in FINAL:
        yield f"{write.resource} {write.key} has finished its job in phase {said.get('phase')}"


def is_idle(execution: Unstructured) -> bool:
    return _has_no_job(execution) and "deletionTimestamp" not in execution["metadata"]


def has_an_execution(history: History, item: Unstructured) -> bool:
    return history.get(EXECUTIONS, ObjectKey(NAMESPACE, metadata(item).labels[Label.MANAGED_BY])) is not None


def purpose_of(item: Unstructured) -> tuple[str, str]:
    labels = metadata(item).labels
    return labels[Label.MANAGED_BY], labels[Label.ITEM_NAME]


ALWAYS = (
    nothing_runs_before_its_predecessors,
    success_is_true,
    equal_ids_mean_a_final_phase,
    invariants.no_lost_updates(EXECUTIONS, DEPLOY_ITEMS),
    invariants.no_duplicate_children(DEPLOY_ITEMS, purpose_of),
)
EVENTUALLY = (
    invariants.everything_converges(EXECUTIONS, is_idle),
    invariants.nothing_left_behind(DEPLOY_ITEMS, unless=has_an_execution),
    invariants.no_writes_after_convergence(),
    invariants.processes_survive,
)


def executions_with(name: str, processes: dict[str, Program], *, exhaustive: bool = False) -> Scenario:
    """The scenario with other processes."""
    return Scenario(
        name=name,
        processes=processes,
        setup=setup,
        workload=workload,
        always=ALWAYS,
        eventually=EVENTUALLY,
        exhaustive=exhaustive,
        converge_seconds=600.0,
    )


EXECUTIONS_ALONE = executions_with("executions", {"controller": controllers(), "worker": worker}, exhaustive=True)
EXECUTIONS_SHARED = executions_with(
    "executions of two controllers",
    {"controller-a": controllers(sharded=True), "controller-b": controllers(sharded=True), "worker": worker},
)
