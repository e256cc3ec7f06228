"""The controller of Installations, and who is woken by what."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from landform.api import jobs, phases
from landform.api.errors import OperationFailed
from landform.api.names import Annotation
from landform.api.phases import Phase
from landform.blueprints.questions import Unanswered
from landform.cluster.codec import key_of
from landform.cluster.kinds import CONTEXTS, INSTALLATIONS
from landform.gotemplate import Surroundings as Chance
from landform.installations import decisions, endings, indexes, relations, sources, statuses
from landform.installations.answers import NOTHING, Notebook
from landform.installations.snapshot import Snapshot, Views, is_unfinished
from landform.installations.sources import Desk, NoComponents
from landform.runtime.controllers import Controller, itself
from landform.runtime.intents import Emit
from landform.runtime.recorders import EventType
from landform.runtime.schedules import Priority

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from landform.api.contexts import Context
    from landform.api.executions import Execution
    from landform.api.installations import Installation
    from landform.cluster.informers import Caches
    from landform.cluster.interface import Reader
    from landform.cluster.resources import ObjectKey
    from landform.installations.errands import Errands
    from landform.installations.sources import Components
    from landform.kit.surroundings import Surroundings
    from landform.runtime.controllers import Settings
    from landform.runtime.errors import Terminal
    from landform.runtime.intents import Hands, Intent
    from landform.runtime.metrics import Metrics

NAME = "installations"

_WRITING_CHILDREN = ("handlePhaseInit", "CreateImportsAndSubobjects")
_WRITING_EXPORTS = ("handlePhaseCompleting", "CreateOrUpdateExports")
"""What an Installation was doing when a write was refused, for its last error: operation and reason."""


class Installations:
    """What the controller is told."""

    def __init__(self, views: Views, reader: Reader, components: Components, hands: Hands, notebook: Notebook) -> None:
        self._views = views
        self._reader = reader
        self._surroundings = hands.surroundings
        self._pressure = hands.pressure
        self._notebook = notebook
        self.desk = Desk(components, notebook, _nobody)
        self._chance = _chance(hands.surroundings)

    def observe(self, key: ObjectKey) -> Snapshot | None:
        installation = self._views.installations.get(key)
        if installation is None:
            return None
        uid, job = installation.metadata.uid or "", installation.status.job_id or ""
        is_busy = jobs.is_busy(installation.status)
        if not is_busy:
            self._notebook.forget(uid, job)
        return Snapshot(
            views=self._views,
            installation=installation,
            now=self._surroundings.clock.now(),
            new_job="" if is_busy else self._surroundings.ids.uid(),
            known=self._notebook.known(uid, job) if is_busy else NOTHING,
            chance=self._chance,
            desk=self.desk,
            reader=self._reader,
            under_pressure=self._pressure.is_high,
        )

    def decide(self, snapshot: Snapshot) -> Sequence[Intent]:
        try:
            return decisions.decide(snapshot)
        except Unanswered as unanswered:
            if snapshot.context is None:
                raise
            wanted = sources.Wanted(snapshot.installation, snapshot.context)
            return [sources.Answer(snapshot.desk, wanted, unanswered.question)]

    def mark(self, snapshot: Snapshot, error: Terminal) -> Sequence[Intent]:
        """The cluster refuses something for good: the job has failed."""
        if not jobs.is_busy(snapshot.status):
            return [Emit(INSTALLATIONS, snapshot.installation, EventType.WARNING, error.reason, str(error))]
        status = statuses.entered(snapshot)
        return endings.fail(snapshot, status, OperationFailed(*_step(snapshot, status.phase, error), str(error)))


def controller(
    caches: Caches,
    hands: Hands,
    metrics: Metrics,
    *,
    reader: Reader,
    components: Components | None = None,
    errands: Errands | None = None,
    settings: Settings | None = None,
    root: Callable[[ObjectKey], ObjectKey] = itself,
) -> Controller[Snapshot]:
    """The controller, with the caches it needs.

    `reader` is the cluster itself, for what must not be out of date; `components` fetches what Installations refer to,
    on `errands`, which whoever hands them over ends.
    """
    views = Views.of(caches)
    reconciler = Installations(views, reader, components or NoComponents(), hands, Notebook())
    made = Controller(
        NAME,
        reconciler,
        hands,
        metrics=metrics,
        settings=settings,
        root=root,
        job=lambda snapshot: snapshot.job,
    )
    desk = reconciler.desk
    reconciler.desk = Desk(desk.components, desk.notebook, made.add, errands or desk.errands)
    made.follow(views.installations, lambda changed: _woken(views, changed), _urgency)
    made.follow(views.executions, _owner)
    made.follow(views.contexts, lambda context: _waiting_for(views, context))

    def gone(old: Installation | None, new: Installation | None) -> None:
        """Children that outlive their parent start themselves from now on."""
        if old is None or new is not None:
            return
        for child in views.installations.by_index(indexes.CHILDREN, old.metadata.uid or ""):
            made.add(key_of(child))

    views.installations.subscribe(gone)
    return made


def _step(snapshot: Snapshot, phase: str | None, error: Terminal) -> tuple[str, str]:
    if phase == Phase.INIT:
        return _WRITING_CHILDREN
    is_waiting = any(is_unfinished(child, snapshot.job) for child in snapshot.below)
    if phase == Phase.PROGRESSING and not is_waiting:
        return _WRITING_EXPORTS
    return "handleReconcilePhase", error.reason


def _nobody(key: ObjectKey, *, after: float = 0.0) -> None:
    """Looks at nothing again: there is no controller yet."""


def _chance(surroundings: Surroundings) -> Chance:
    """Time and chance for templates, from the same sources as everybody else's."""

    def random(size: int) -> bytes:
        # Of each uid, hashed, no more is taken than is in it: 122 bits.
        chunks = [hashlib.sha256(surroundings.ids.uid().encode()).digest()[:15] for _ in range(0, size, 15)]
        return b"".join(chunks)[:size]

    return Chance(now=lambda: int(surroundings.clock.now().timestamp() * 1_000_000) * 1_000, random=random)


def _urgency(installation: Installation) -> Priority:
    asked = Annotation.OPERATION in (installation.metadata.annotations or {})
    return Priority.PERSON if asked or installation.metadata.deletion_timestamp is not None else Priority.CHANGE


def _owner(execution: Execution) -> Iterator[ObjectKey]:
    if key := relations.owner_key(execution):
        yield key


def _waiting_for(views: Views, context: Context) -> Iterator[ObjectKey]:
    key = key_of(context)
    for installation in views.installations.by_index(indexes.WAITING, indexes.about(CONTEXTS, key.namespace, key.name)):
        yield key_of(installation)


def _woken(views: Views, changed: Installation) -> Iterator[ObjectKey]:
    """Itself, its parent, those that wait for it to end, and those that wait for it to be gone."""
    yield key_of(changed)
    if above := relations.owner_key(changed):
        yield above
    for value in indexes.exports(changed):
        for importer in views.installations.by_index(indexes.IMPORTS, value):
            if importer.status.phase == Phase.INIT and jobs.is_busy(importer.status):
                yield key_of(importer)
    for value in indexes.imports(changed):
        for exporter in views.installations.by_index(indexes.EXPORTS, value):
            if exporter.metadata.deletion_timestamp is not None and not phases.is_final(exporter.status.phase):
                yield key_of(exporter)
