"""The state of templates: what an execution remembers from one job to the next, in a Secret of the Installation."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any, Final

from landform.api import scopes
from landform.blueprints.templating import states
from landform.blueprints.templating.states import ExecutionKind
from landform.cluster.resources import SECRETS
from landform.installations import writing
from landform.kit import yamls
from landform.runtime.errors import Retry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from landform.blueprints.definitions import Blueprint
    from landform.installations.snapshot import Snapshot
    from landform.runtime.intents import Intent

_KEY: Final = "config"


def read(snapshot: Snapshot, blueprint: Blueprint) -> dict[str, Any]:
    """What the executions of a blueprint remember, by `states.key`."""
    found = {}
    for key in _keys(blueprint):
        secret = snapshot.states.get(secret_name(snapshot, key))
        content = ((secret or {}).get("data") or {}).get(_KEY)
        if content:
            found[key] = yamls.load(base64.b64decode(content).decode())
    return found


def write(snapshot: Snapshot, changed: Mapping[str, Any]) -> list[Intent]:
    """Keep what executions want to remember."""
    intents: list[Intent] = []
    for key, state in changed.items():
        name = secret_name(snapshot, key)
        existing = snapshot.secret(name)
        if existing is not None and name not in snapshot.states:
            raise Retry(f"secret {name} for the state of a template belongs to somebody else; it must go first")
        content = base64.b64encode(json.dumps(state, sort_keys=True, ensure_ascii=False).encode()).decode()
        metadata = {
            "name": name,
            "namespace": snapshot.namespace,
            "ownerReferences": [writing.owner_reference(snapshot.installation, controller=True)],
        }
        wanted = {"metadata": metadata, "type": "Opaque", "data": {_KEY: content}}
        intents.extend(writing.ensure(SECRETS, existing, wanted))
    return intents


def secret_name(snapshot: Snapshot, key: str) -> str:
    """The name of the Secret that holds a state."""
    return scopes.object_name(snapshot.name, key)


def _keys(blueprint: Blueprint) -> Iterator[str]:
    executions = {
        ExecutionKind.SUBINSTALLATION: blueprint.subinstallation_executions,
        ExecutionKind.DEPLOY: blueprint.deploy_executions,
        ExecutionKind.EXPORT: blueprint.export_executions,
    }
    for kind, of_kind in executions.items():
        for execution in of_kind:
            if key := states.key(kind, execution.name):
                yield key
