"""Where the component and the blueprint of an Installation come from.

What is written into the Installation is here at once. Everything else is fetched through `Components`, once for a job,
by an intent; this is where component repositories enter.
"""

from __future__ import annotations

import asyncio
import functools
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Protocol

from landform.api import anyjson
from landform.api.errors import OperationFailed
from landform.blueprints import definitions, files
from landform.blueprints.errors import BlueprintError
from landform.cluster.codec import key_of
from landform.components import versions
from landform.components.errors import ComponentError, Unavailable
from landform.runtime.errors import Retry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from landform.api.contexts import Context
    from landform.api.installations import Installation
    from landform.blueprints.definitions import Blueprint
    from landform.blueprints.files import BlueprintFiles
    from landform.blueprints.questions import Question
    from landform.cluster.resources import ObjectKey
    from landform.components.versions import ComponentVersion
    from landform.installations.answers import Notebook
    from landform.runtime.intents import Hands

OPERATION: Final = "InitPrerequisites"
"""What an Installation was doing when one of these cannot be had."""

_REMEMBERED = 256
"""So many blueprints that stand in Installations are kept read: mostly many Installations have the same."""


@dataclass(frozen=True)
class Sources:
    """What an Installation is made from."""

    files: BlueprintFiles
    component: ComponentVersion | None = None
    component_definition: Mapping[str, Any] | None = None
    """The effective ``spec.componentDescriptor``: after overwrites, with the repository that was used."""

    @functools.cached_property
    def blueprint(self) -> Blueprint:
        """What the blueprint says, read once; a BlueprintError if it cannot be read."""
        return definitions.read(self.files)


@dataclass(frozen=True)
class Wanted:
    """What is to be fetched."""

    installation: Installation
    context: Context


class Components(Protocol):
    """Fetches what is not in the Installation itself.

    Both raise OperationFailed or a ComponentError for what cannot be had; Unavailable and every other error mean that
    it is tried again.
    """

    async def fetch(self, wanted: Wanted) -> Sources:
        """Component and blueprint of an Installation whose blueprint or component is given by reference."""
        ...

    async def answer(self, question: Question, wanted: Wanted) -> Any:
        """What a template of the Installation asks for."""
        ...


class NoComponents:
    """There is no access to anything: Installations must have all that they need written into them."""

    async def fetch(self, wanted: Wanted) -> Sources:
        raise OperationFailed(
            OPERATION,
            "GetComponentVersion",
            "there is no access to component repositories here; write blueprint and component into the Installation",
        )

    async def answer(self, question: Question, wanted: Wanted) -> Any:
        raise OperationFailed(OPERATION, "NoAnswer", f"a template needs to know this, and nobody can tell: {question}")


@dataclass(frozen=True)
class Folders:
    """Blueprints that lie in local folders, by the name of the resource that an Installation wants."""

    folders: Mapping[str, Path]
    otherwise: Components = field(default_factory=NoComponents)

    async def fetch(self, wanted: Wanted) -> Sources:
        reference = wanted.installation.spec.blueprint.ref
        folder = self.folders.get(reference.resource_name) if reference is not None else None
        if folder is None:
            return await self.otherwise.fetch(wanted)
        try:
            found = await asyncio.to_thread(files.from_folder, folder)
        except BlueprintError as error:
            raise OperationFailed(OPERATION, "ResolveBlueprint", str(error)) from error
        component, definition = _component(wanted.installation)
        return Sources(found, component, definition)

    async def answer(self, question: Question, wanted: Wanted) -> Any:
        return await self.otherwise.answer(question, wanted)


def written(installation: Installation) -> Sources | None:
    """The sources of an Installation that has all of them in itself; None if something must be fetched."""
    inline = installation.spec.blueprint.inline
    definition = installation.spec.component_descriptor
    if inline is None or (definition is not None and definition.ref is not None):
        return None
    component, plain = _component(installation)
    try:
        return Sources(_files(bytes(inline.filesystem)), component, plain)
    except BlueprintError as error:
        raise OperationFailed(OPERATION, "ResolveBlueprint", str(error)) from error


def _component(installation: Installation) -> tuple[ComponentVersion | None, Mapping[str, Any] | None]:
    """The component that is written into an Installation, with its definition."""
    definition = installation.spec.component_descriptor
    if definition is None or not definition.inline:
        return None, None
    descriptor = anyjson.value(definition.inline)
    try:
        return versions.inline(descriptor), {"inline": descriptor}
    except ComponentError as error:
        raise OperationFailed(OPERATION, "GetComponentVersion", str(error)) from error


@lru_cache(_REMEMBERED)
def _files(filesystem: bytes) -> BlueprintFiles:
    return files.from_inline(anyjson.value(anyjson.AnyJSON(filesystem)))


@dataclass(frozen=True)
class Desk:
    """What the intents of this module work with; decisions only hand it on."""

    components: Components
    notebook: Notebook
    again: Callable[[ObjectKey], None]
    """Has an Installation looked at again."""


@dataclass(frozen=True)
class Fetch:
    """Fetch what an Installation is made from, and look at it again."""

    desk: Desk
    wanted: Wanted

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        try:
            found: Sources | OperationFailed = await self.desk.components.fetch(self.wanted)
        except OperationFailed as failure:
            found = failure
        except Unavailable as error:
            raise Retry(f"its component or blueprint cannot be fetched now: {error}") from error
        except ComponentError as error:
            found = OperationFailed(OPERATION, "GetComponentVersion", cause=error)
        self.desk.notebook.note_sources(*_whose(self.wanted), found)
        self.desk.again(_key(self.wanted))


@dataclass(frozen=True)
class Answer:
    """Find the answer to a question of a template, and look at the Installation again."""

    desk: Desk
    wanted: Wanted
    question: Question

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        try:
            answer = await self.desk.components.answer(self.question, self.wanted)
        except Unavailable as error:
            raise Retry(f"a question of its templates cannot be answered now: {error}") from error
        except (OperationFailed, ComponentError) as error:
            answer = BlueprintError(error.message if isinstance(error, OperationFailed) else str(error))
        self.desk.notebook.note_answer(*_whose(self.wanted), self.question, answer)
        self.desk.again(_key(self.wanted))


def _whose(wanted: Wanted) -> tuple[str, str]:
    installation = wanted.installation
    return installation.metadata.uid or "", installation.status.job_id or ""


def _key(wanted: Wanted) -> ObjectKey:
    return key_of(wanted.installation)
