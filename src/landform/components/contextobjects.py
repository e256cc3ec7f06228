"""What a Context and the objects that it names mean for components, read from the cluster that they are in.

They are read from the cluster itself: a cache may not have them yet.
"""

from __future__ import annotations

import base64
import binascii
import logging
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from landform.api import anyjson
from landform.cluster import codec
from landform.cluster.errors import NotFound
from landform.cluster.kinds import COMPONENT_VERSION_OVERWRITES
from landform.cluster.resources import CONFIG_MAPS, SECRETS, ObjectKey
from landform.components import contexts
from landform.components.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from landform.api.contexts import Context
    from landform.cluster.interface import Reader
    from landform.cluster.resources import Resource, Unstructured
    from landform.components.resolving import ComponentContext

T = TypeVar("T")

log = logging.getLogger(__name__)


class ObjectMissing(ConfigurationError):
    """An object that another one names is not there, or has not the entry that it is named for."""


async def read(reader: Reader, context: Context, further_pull_secrets: Iterable[ObjectKey] = ()) -> ComponentContext:
    """Repository, credentials, resolvers and overwrites of a Context; ObjectMissing if an object that it names is.

    Further pull secrets add credentials; one that does not exist adds none, as kubelets have it.
    """
    return contexts.build(
        repository_context=anyjson.value(context.repository_context),
        ocm_config=await _ocm_config(reader, context),
        pull_secrets={**await _further(reader, further_pull_secrets), **await _pull_secrets(reader, context)},
        component_version_overwrites=await _overwrites(reader, context),
    )


async def named(reader: Reader, resource: Resource[T], key: ObjectKey, by: str) -> T:
    """An object; ObjectMissing that tells by whom it is named if there is none."""
    try:
        return await reader.get(resource, key.name, namespace=key.namespace)
    except NotFound as error:
        message = f"{by} names the {resource.kind} {key.name}, which does not exist in namespace {key.namespace}"
        raise ObjectMissing(message) from error


def texts(secret: Unstructured) -> dict[str, str]:
    """The texts of a Secret by their keys; entries that are no text are left out."""
    found = {}
    for key, data in (secret.get("data") or {}).items():
        try:
            found[key] = base64.b64decode(data or "").decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
    return found


def title(context: Context) -> str:
    """How people are told of it."""
    return f"the Context {context.metadata.name}"


async def _ocm_config(reader: Reader, context: Context) -> str | None:
    name = context.ocm_config.name if context.ocm_config is not None else None
    if not name:
        return None
    found = await named(reader, CONFIG_MAPS, _key(context, name), title(context))
    text: str | None = (found.get("data") or {}).get(contexts.OCM_CONFIG_KEY)
    if text is None:
        raise ObjectMissing(f"the ConfigMap {name} that {title(context)} names has no key {contexts.OCM_CONFIG_KEY}")
    return text


async def _pull_secrets(reader: Reader, context: Context) -> dict[str, dict[str, str]]:
    keys = [_key(context, reference.name) for reference in context.registry_pull_secrets or () if reference.name]
    return {key.name: texts(await named(reader, SECRETS, key, title(context))) for key in keys}


async def _further(reader: Reader, keys: Iterable[ObjectKey]) -> dict[str, dict[str, str]]:
    found = {}
    for key in keys:
        try:
            found[str(key)] = texts(await reader.get(SECRETS, key.name, namespace=key.namespace))
        except NotFound:
            log.debug("the pull secret %s does not exist", key)
    return found


async def _overwrites(reader: Reader, context: Context) -> list[Any]:
    name = context.component_version_overwrites
    if not name:
        return []
    found = await named(reader, COMPONENT_VERSION_OVERWRITES, _key(context, name), title(context))
    return [msgspec.json.decode(codec.encode(overwrite)) for overwrite in found.overwrites or ()]


def _key(context: Context, name: str) -> ObjectKey:
    return ObjectKey(context.metadata.namespace or "", name)
