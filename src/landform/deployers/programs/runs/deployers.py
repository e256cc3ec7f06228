"""What the deployers of programs have in common: everything but how an item's configuration is read."""

from __future__ import annotations

import asyncio
import logging
from abc import abstractmethod
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from landform.api.names import Annotation
from landform.blueprints.templating.masking import Mask
from landform.deployers.library import Deployer
from landform.deployers.programs.contract.contract import Operation
from landform.deployers.programs.contract.identities import RunId
from landform.deployers.programs.contract.sandboxes import Order, SandboxName
from landform.deployers.programs.orders import gathering, importing, pulling
from landform.deployers.programs.pods.settings import ContainerSettings
from landform.deployers.programs.runs import memory, moving, running
from landform.deployers.programs.runs.garbage import Garbage
from landform.deployers.programs.runs.logtexts import LIMIT
from landform.deployers.programs.runs.running import ProgramRun, Terms, item_id
from landform.runtime.recorders import EventType

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from landform.api.deployitems import DeployItem
    from landform.cluster.resources import ObjectKey
    from landform.deployers.library import Desk, Item
    from landform.deployers.programs.contract.sandboxes import Program, Sandbox
    from landform.deployers.programs.grounds.grounds import Grounds
    from landform.deployers.programs.orders.specifications import Specification

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Equipment:
    """What a deployer of programs works with."""

    grounds: Grounds
    grace: timedelta = timedelta(seconds=30)
    """How long a program may take to end when it is asked to."""

    log_limit: int = LIMIT
    """How many bytes of a program's output are kept."""

    default: ContainerSettings = field(default_factory=ContainerSettings)
    """What is run where an item says no image."""

    pull_files: tuple[Path, ...] = ()
    """Docker configuration files with credentials for images."""

    collect_seconds: float | None = 3600.0
    """How often what is left of dead items is looked for; None: never."""


class ProgramDeployer(Deployer):
    """A deployer whose items are programs."""

    api_version: str
    """Of its provider configuration and its provider status."""

    def __init__(self, equipment: Equipment) -> None:
        self._equipment = equipment
        self._grounds = equipment.grounds
        self._terms = Terms(self.api_version, equipment.grace, equipment.log_limit)
        self._garbage = Garbage(equipment.grounds, equipment.grace)
        self._forcing: dict[ObjectKey, asyncio.Event] = {}

    @abstractmethod
    def read(self, config: Mapping[str, Any]) -> Specification:
        """What an item's configuration asks for; OperationFailed, for good, if it makes no sense."""

    async def reconcile(self, item: Item) -> None:
        """Run the program with OPERATION=RECONCILE."""
        await self._run(item, Operation.RECONCILE, self.read(item.config))

    async def delete(self, item: Item) -> None:
        """Run the program with OPERATION=DELETE, and remove everything that was kept for the item."""
        known = memory.read(item.provider_status)
        if known.operation is None:
            return  # no program of it ever began
        if not _is_forced(item.object):
            wanted = self.read(item.config)
            await self._unless_forced(item, self._run(item, Operation.DELETE, wanted))
        await self._forget(item)

    async def serve(self, desk: Desk) -> None:
        """Collect what dead items have left, and notice when somebody wants an item to go by force."""
        async with self._grounds.serving():
            desk.subscribe(lambda key: self._changed(desk, key))
            await self._garbage.collect_for_ever(desk, self._equipment.collect_seconds)

    async def _run(self, item: Item, operation: Operation, wanted: Specification) -> None:
        """Have the program run once under the item's job; an earlier job's is ended before."""
        wanted = await importing.with_imports(item, wanted)
        run = RunId(item_id(item), item.job_id, operation)
        known, terms = memory.read(item.provider_status), self._terms
        last = SandboxName(known.sandbox) if self._grounds.is_there(known.sandbox) else None
        if last is not None and known.operation is not None and not known.is_of(run):
            older = replace(run, job=known.job, operation=known.operation)
            async with self._sandbox(item, last) as former:
                with self._garbage.sparing(older, last):
                    await running.end_older(item, former, older, terms)
        # A run that has begun is where it is, whatever would be chosen now.
        name = last if last is not None and known.is_of(run) else self._grounds.choose(wanted)
        async with self._sandbox(item, name) as sandbox:

            async def order() -> Order:
                await self._carry_state(item, run, sandbox)
                return await self._order(item, run, wanted, name)

            with self._garbage.sparing(run, name):
                await ProgramRun(item, sandbox, run, terms, _hiding(item, wanted)).perform(order)

    async def _carry_state(self, item: Item, run: RunId, sandbox: Sandbox) -> None:
        """Bring the item's state along if its program ran elsewhere the last time."""
        known = memory.read(item.provider_status)
        former = str(SandboxName.KUBERNETES) if known.is_of_original else known.sandbox  # it had pods, and nothing else
        if not moving.is_needed(former, sandbox.name):
            return
        if not self._grounds.is_there(former):
            item.tell(EventType.WARNING, "StateLeftBehind", moving.left_behind(former, sandbox.name))
            return
        async with self._sandbox(item, SandboxName(former)) as source:
            await moving.move(source.state(run.item), sandbox.state(run.item), run.token)
        log.info("the state of the program was taken along from %s to %s", former, sandbox.name)

    async def _order(self, item: Item, run: RunId, wanted: Specification, name: SandboxName) -> Order:
        """All that a sandbox needs for the run."""
        program, known = wanted.program, memory.read(item.provider_status)
        if name is not SandboxName.PROCESS:
            program = self._with_image(program)
            secrets, files = wanted.pull_secrets, self._equipment.pull_files
            credentials = await pulling.pull_credentials(item, program.image or "", secrets, files)
            program = replace(program, pull_credentials=credentials)
        resolver = await self._grounds.resolver(item.surroundings)
        inputs = await gathering.inputs(item, wanted, resolver)
        return Order(run, program, inputs, item.object.metadata.generation or 0, known.is_of_original)

    def _with_image(self, program: Program) -> Program:
        """The program with what the deployer runs where an item says no image."""
        if program.image:
            return program
        default = self._equipment.default
        if program.is_script:
            return replace(program, image=default.image)
        command, args = program.command or default.command, program.args or default.args
        return replace(program, image=default.image, command=command, args=args)

    async def _unless_forced(self, item: Item, work: Coroutine[Any, Any, None]) -> None:
        """Do the work, unless somebody wants the item to go by force meanwhile."""
        forced = self._forcing.setdefault(item.key, asyncio.Event())
        working = asyncio.ensure_future(work)
        forcing = asyncio.ensure_future(forced.wait())
        try:
            await asyncio.wait((working, forcing), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._forcing.pop(item.key, None)
            for task in (working, forcing):
                task.cancel()
            await asyncio.wait((working, forcing))
            if not working.cancelled():
                working.result()  # what it has to say counts more than that it was cut off
        if working.cancelled():
            log.warning("the item is to go by force, its program is given up")

    async def _forget(self, item: Item) -> None:
        """Remove what is left of the item, wherever its programs ran; a place that is gone has taken it along."""
        known = memory.read(item.provider_status)
        if not self._grounds.is_there(known.sandbox):
            return
        async with self._sandbox(item, SandboxName(known.sandbox)) as sandbox:
            if known.operation is not None:
                last = RunId(item_id(item), known.job, known.operation)
                await running.end_older(item, sandbox, last, self._terms)
            await sandbox.forget(item_id(item))

    def _changed(self, desk: Desk, key: ObjectKey) -> None:
        item = desk.get(key)
        if item is not None and _is_forced(item) and key in self._forcing:
            self._forcing[key].set()
        self._garbage.changed(key)

    def _sandbox(self, item: Item, name: SandboxName) -> AbstractAsyncContextManager[Sandbox]:
        return self._grounds.sandbox(name, item.home, item.surroundings)


def _is_forced(item: DeployItem) -> bool:
    """Whether the item is to go without its program being asked; what the annotation says does not matter."""
    return Annotation.FORCE_CLEANUP in (item.metadata.annotations or {})


def _hiding(item: Item, wanted: Specification) -> Callable[[str], str]:
    """Takes out of a text what the program was given in confidence."""
    content = item.target.content if item.target is not None else ""
    return lambda text: Mask([wanted.import_values, content], public=[]).values_hidden(text)
