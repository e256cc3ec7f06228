"""Contexts: every namespace has one called `default`, for the Installations that name none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from landform.api import anyjson
from landform.api.contexts import Context
from landform.api.names import DEFAULT_CONTEXT
from landform.api.structs import ObjectMeta
from landform.cluster.kinds import CONTEXTS
from landform.cluster.resources import NAMESPACES, ObjectKey
from landform.runtime.controllers import Controller
from landform.runtime.intents import Create, Emit, Patch
from landform.runtime.recorders import EventType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from landform.cluster.informers import Caches
    from landform.cluster.resources import Unstructured
    from landform.runtime.errors import Terminal
    from landform.runtime.intents import Hands, Intent
    from landform.runtime.metrics import Metrics

NAME: Final = "contexts"


@dataclass(frozen=True)
class Rules:
    """What the Contexts are like."""

    excluded: frozenset[str] = frozenset({"kube-system", "kube-public", "kube-node-lease"})
    """Namespaces that get none."""

    repository_context: Mapping[str, Any] | None = None
    """The repository that every default Context names; None leaves it to whoever writes them."""


@dataclass(frozen=True)
class Snapshot:
    """A namespace and its default Context."""

    namespace: Unstructured
    context: Context | None
    rules: Rules


def decide(snapshot: Snapshot) -> list[Intent]:
    """Create the Context, or have it name the repository that it should; everything else in it is its owner's."""
    name = snapshot.namespace["metadata"]["name"]
    is_going = snapshot.namespace["metadata"].get("deletionTimestamp") is not None
    if is_going or name in snapshot.rules.excluded:
        return []
    wanted = snapshot.rules.repository_context
    if snapshot.context is None:
        metadata = ObjectMeta(name=DEFAULT_CONTEXT, namespace=name)
        return [Create(CONTEXTS, Context(metadata=metadata, repository_context=anyjson.of(wanted)))]
    if wanted is None or anyjson.value(snapshot.context.repository_context) == wanted:
        return []
    # A merge patch would leave fields of another type of repository in place.
    given = anyjson.value(snapshot.context.repository_context) or {}
    return [Patch(CONTEXTS, snapshot.context, {"repositoryContext": {**dict.fromkeys(given), **wanted}})]


class Contexts:
    """What the controller is told; its keys are the namespaces."""

    def __init__(self, caches: Caches, rules: Rules) -> None:
        self.namespaces = caches.informer(NAMESPACES)
        self.contexts = caches.informer(CONTEXTS)
        self._rules = rules

    def observe(self, key: ObjectKey) -> Snapshot | None:
        namespace = self.namespaces.get(key)
        if namespace is None:
            return None
        return Snapshot(namespace, self.contexts.get(ObjectKey(key.name, DEFAULT_CONTEXT)), self._rules)

    def decide(self, snapshot: Snapshot) -> Sequence[Intent]:
        return decide(snapshot)

    def mark(self, snapshot: Snapshot, error: Terminal) -> Sequence[Intent]:
        return [Emit(NAMESPACES, snapshot.namespace, EventType.WARNING, error.reason, str(error))]


def controller(caches: Caches, hands: Hands, metrics: Metrics, *, rules: Rules | None = None) -> Controller[Snapshot]:
    """The controller, with the caches it needs. A default Context that somebody deletes comes back."""
    told = Contexts(caches, rules or Rules())
    made = Controller(NAME, told, hands, metrics=metrics)
    made.follow(told.namespaces, lambda namespace: [ObjectKey("", namespace["metadata"]["name"])])
    made.follow(told.contexts, _namespace_of_default)
    return made


def _namespace_of_default(context: Context) -> list[ObjectKey]:
    is_default = context.metadata.name == DEFAULT_CONTEXT
    return [ObjectKey("", context.metadata.namespace or "")] if is_default else []
