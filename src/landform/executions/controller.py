"""The controller of Executions: observe, decide, act."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.cluster.codec import key_of
from landform.executions import decisions
from landform.executions.snapshot import Observer, Snapshot, owner_keys
from landform.runtime.controllers import Controller, itself

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from landform.api.installations import Installation
    from landform.cluster.informers import Caches
    from landform.cluster.interface import Reader
    from landform.cluster.resources import ObjectKey
    from landform.runtime.controllers import Settings
    from landform.runtime.errors import Terminal
    from landform.runtime.intents import Hands, Intent
    from landform.runtime.metrics import Metrics

NAME = "executions"


class Executions:
    """What the controller is told."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer

    def observe(self, key: ObjectKey) -> Snapshot | None:
        return self._observer.observe(key)

    def decide(self, snapshot: Snapshot) -> Sequence[Intent]:
        return decisions.decide(snapshot)

    def mark(self, snapshot: Snapshot, error: Terminal) -> Sequence[Intent]:
        return decisions.mark(snapshot, error)


def controller(
    caches: Caches,
    hands: Hands,
    metrics: Metrics,
    *,
    reader: Reader,
    settings: Settings | None = None,
    root: Callable[[ObjectKey], ObjectKey] = itself,
) -> Controller[Snapshot]:
    """The controller, with the caches it needs; `reader` is the cluster itself, for what must not be out of date."""
    observer = Observer(caches, reader, hands)
    made = Controller(
        NAME,
        Executions(observer),
        hands,
        metrics=metrics,
        settings=settings,
        root=root,
        job=lambda snapshot: snapshot.job,
    )
    made.follow(observer.executions, lambda execution: [key_of(execution)])
    made.follow(observer.items, owner_keys)
    made.follow(observer.secrets, observer.exporters)

    def parent_changed(old: Installation | None, new: Installation | None) -> None:
        if old is not None and new is None:
            made.add(key_of(old))  # its Execution has the same name

    observer.installations.subscribe(parent_changed)
    return made
