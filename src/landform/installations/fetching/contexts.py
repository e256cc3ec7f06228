"""What a Context and the objects that it names mean for components."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from landform.api import anyjson
from landform.api.errors import OperationFailed
from landform.cluster.kinds import COMPONENT_VERSION_OVERWRITES
from landform.cluster.resources import CONFIG_MAPS, ObjectKey
from landform.components import contexts
from landform.installations import writing
from landform.installations.fetching import objects
from landform.installations.sources import OPERATION

if TYPE_CHECKING:
    from landform.api.contexts import Context
    from landform.cluster.interface import Reader
    from landform.components.resolving import ComponentContext

_REASON: Final = "SetupRegistries"


async def read(reader: Reader, context: Context) -> ComponentContext:
    """Repository, credentials, resolvers and overwrites; OperationFailed if an object is missing."""
    return contexts.build(
        repository_context=anyjson.value(context.repository_context),
        ocm_config=await _ocm_config(reader, context),
        pull_secrets=await _pull_secrets(reader, context),
        component_version_overwrites=await _overwrites(reader, context),
    )


async def _ocm_config(reader: Reader, context: Context) -> str | None:
    name = context.ocm_config.name if context.ocm_config is not None else None
    if not name:
        return None
    found = await objects.named(reader, CONFIG_MAPS, _key(context, name), title(context), _REASON)
    text: str | None = (found.get("data") or {}).get(contexts.OCM_CONFIG_KEY)
    if text is None:
        message = f"the ConfigMap {name} that {title(context)} names has no key {contexts.OCM_CONFIG_KEY}"
        raise OperationFailed(OPERATION, _REASON, message)
    return text


async def _pull_secrets(reader: Reader, context: Context) -> dict[str, dict[str, str]]:
    found = {}
    for reference in context.registry_pull_secrets or ():
        if reference.name:
            key = _key(context, reference.name)
            found[reference.name] = await objects.secret(reader, key, title(context), _REASON)
    return found


async def _overwrites(reader: Reader, context: Context) -> list[Any]:
    name = context.component_version_overwrites
    if not name:
        return []
    found = await objects.named(reader, COMPONENT_VERSION_OVERWRITES, _key(context, name), title(context), _REASON)
    return [writing.plain(overwrite) for overwrite in found.overwrites or ()]


def title(context: Context) -> str:
    """How people are told of it."""
    return f"the Context {context.metadata.name}"


def _key(context: Context, name: str) -> ObjectKey:
    return ObjectKey(context.metadata.namespace or "", name)
