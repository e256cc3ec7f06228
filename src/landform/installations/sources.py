"""Where the component and the blueprint of an Installation come from.

What is written into the Installation is here at once. Everything else is fetched through `Components`, once for a job,
by an intent; this is where component repositories enter.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Protocol

from landform.api import anyjson
from landform.api.errors import OperationFailed
from landform.blueprints import definitions, files
from landform.blueprints.errors import BlueprintError
from landform.components import versions
from landform.components.errors import ComponentError, Unavailable
from landform.installations import errands
from landform.installations.errands import Errand, Errands, whose

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.api.contexts import Context
    from landform.api.installations import InlineBlueprint, Installation
    from landform.blueprints.definitions import Blueprint
    from landform.blueprints.files import BlueprintFiles
    from landform.blueprints.questions import Question
    from landform.cluster.resources import ObjectKey
    from landform.components.versions import ComponentVersion
    from landform.installations.answers import Notebook
    from landform.installations.errands import Again
    from landform.runtime.intents import Hands

OPERATION: Final = errands.OPERATION
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

    overwrite: str | None = None
    """What was replaced by ComponentVersionOverwrites; empty if nothing was, None if there was nothing to replace."""

    @functools.cached_property
    def blueprint(self) -> Blueprint:
        """What the blueprint says, read once; OperationFailed if it cannot be read."""
        try:
            return definitions.read(self.files)
        except BlueprintError as error:
            raise OperationFailed(OPERATION, "ResolveBlueprint", str(error)) from error


@dataclass(frozen=True)
class Wanted:
    """What is to be fetched."""

    installation: Installation
    context: Context


class Components(Protocol):
    """Fetches what is not in the Installation itself.

    Both of its errands raise OperationFailed or a ComponentError for what cannot be had; Unavailable and every other
    error mean that it is tried again.
    """

    def must_see(self, installation: Installation) -> bool:
        """Whether an Installation is to be fetched though everything is written into it; pure."""
        ...

    async def fetch(self, wanted: Wanted) -> Sources:
        """Component and blueprint of an Installation whose blueprint or component is given by reference."""
        ...

    async def answer(self, question: Question, wanted: Wanted) -> Any:
        """What a template of the Installation asks for."""
        ...


class NoComponents:
    """There is no access to anything: Installations must have all that they need written into them."""

    def must_see(self, installation: Installation) -> bool:
        return False

    async def fetch(self, wanted: Wanted) -> Sources:
        message = (
            "there is no access to component repositories here; write blueprint and component into the Installation"
        )
        if _names_no_repository(wanted):
            # Whoever gives access would be told this next.
            reason, message = "RepositoryContextMissing", f"nobody says which repository has the component; {message}"
            raise OperationFailed(OPERATION, reason, message)
        raise OperationFailed(OPERATION, "GetComponentVersion", message)

    async def answer(self, question: Question, wanted: Wanted) -> Any:
        raise OperationFailed(OPERATION, "NoAnswer", f"a template needs to know this, and nobody can tell: {question}")


def _names_no_repository(wanted: Wanted) -> bool:
    """Whether neither the Installation nor its Context says where the component is to be looked for."""
    definition, context = wanted.installation.spec.component_descriptor, wanted.context
    reference = definition.ref if definition is not None else None
    if reference is None or reference.repository_context or context.repository_context:
        return False
    return context.ocm_config is None or not context.ocm_config.name


def written(installation: Installation, components: Components) -> Sources | None:
    """The sources of an Installation that has all of them in itself; None if something must be fetched."""
    inline = installation.spec.blueprint.inline
    definition = installation.spec.component_descriptor
    if inline is None or (definition is not None and definition.ref is not None) or components.must_see(installation):
        return None
    component, plain = _component(installation)
    try:
        return Sources(inline_files(inline), component, plain)
    except BlueprintError as error:
        raise OperationFailed(OPERATION, "ResolveBlueprint", str(error)) from error


def inline_files(inline: InlineBlueprint) -> BlueprintFiles:
    """The files of a blueprint that is written into an Installation; a BlueprintError if they cannot be read."""
    return _files(bytes(inline.filesystem))


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
    again: Again
    """Has an Installation looked at again."""

    errands: Errands = field(default_factory=Errands)
    """Where what takes long is done."""


@dataclass(frozen=True)
class Fetch:
    """Have fetched what an Installation is made from, and look at it again."""

    desk: Desk
    wanted: Wanted

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        Errand(self.desk, self.wanted.installation, hands, root).send("sources", self._bring)

    async def _bring(self) -> None:
        try:
            found: Sources | OperationFailed = await self.desk.components.fetch(self.wanted)
        except OperationFailed as failure:
            found = failure
        except Unavailable:
            raise
        except ComponentError as error:
            found = OperationFailed(OPERATION, "GetComponentVersion", cause=error)
        self.desk.notebook.note_sources(*whose(self.wanted.installation), found)


@dataclass(frozen=True)
class Answer:
    """Have found the answer to a question of a template, and look at the Installation again."""

    desk: Desk
    wanted: Wanted
    question: Question

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        Errand(self.desk, self.wanted.installation, hands, root).send(self.question, self._bring)

    async def _bring(self) -> None:
        try:
            answer = await self.desk.components.answer(self.question, self.wanted)
        except Unavailable:
            raise
        except (OperationFailed, ComponentError) as error:
            answer = BlueprintError(error.message if isinstance(error, OperationFailed) else str(error))
        self.desk.notebook.note_answer(*whose(self.wanted.installation), self.question, answer)
