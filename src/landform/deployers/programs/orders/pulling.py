"""Credentials for images: which of those that an item may use belongs to its image."""

from __future__ import annotations

import base64
import json
import logging
from typing import TYPE_CHECKING, Final

from landform.cluster.errors import ClusterError
from landform.cluster.resources import SECRETS, ObjectKey
from landform.components import contextobjects, credentials
from landform.components.credentials import Identity
from landform.components.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from landform.components.credentials import Consumer, Credentials
    from landform.deployers.library import Item

log = logging.getLogger(__name__)

KEY: Final = ".dockerconfigjson"
_DOCKER: Final = "docker.io"


async def pull_credentials(item: Item, image: str, secrets: Iterable[ObjectKey], files: Sequence[Path]) -> bytes | None:
    """A docker configuration with the one entry that belongs to the image; None if there is none.

    They come from files of the deployer, from the pull secrets of the Context and from those of the item itself, of
    which the later win. What cannot be read is passed over, as kubelets do.
    """
    host, path = registry_of(image)
    known = [*_of_files(files), *await _of_secrets(item, secrets)]
    hostname, _, port = host.partition(":")
    found = credentials.best(known, Identity(hostname=hostname, port=port, path=path))
    return None if found is None else _docker_config(host, found)


def registry_of(image: str) -> tuple[str, str]:
    """The host of an image's registry, with its port, and the path of the image there; docker's own by default."""
    first, slash, rest = image.partition("@")[0].partition("/")
    if slash and ("." in first or ":" in first or first == "localhost"):
        host, path = first, rest
    else:
        host, path = _DOCKER, image.partition("@")[0]
    head, colon, tag = path.rpartition(":")
    return _DOCKER if host == "index.docker.io" else host, head if colon and "/" not in tag else path


async def _of_secrets(item: Item, secrets: Iterable[ObjectKey]) -> list[Consumer]:
    context = item.context
    named = context.registry_pull_secrets if context is not None else None
    keys = [ObjectKey(item.namespace, reference.name) for reference in named or () if reference.name]
    found: list[Consumer] = []
    for key in (*keys, *secrets):
        try:
            secret = await item.home.get(SECRETS, key.name, namespace=key.namespace)
            found += credentials.from_docker(contextobjects.texts(secret).get(KEY, "{}"), f"secret {key}")
        except (ClusterError, ConfigurationError) as fault:
            log.debug("the pull secret %s is passed over: %s", key, fault)
    return found


def _of_files(files: Sequence[Path]) -> list[Consumer]:
    found: list[Consumer] = []
    for path in files:
        try:
            found += credentials.from_docker(path.read_bytes(), str(path))
        except (OSError, ConfigurationError) as fault:
            log.debug("the docker configuration %s is passed over: %s", path, fault)
    return found


def _docker_config(host: str, found: Credentials) -> bytes:
    """The form that kubelets and engines read; docker's own registry has another name there."""
    auth = base64.b64encode(f"{found.username}:{found.password}".encode()).decode()
    name = "index.docker.io" if host == _DOCKER else host
    entry = {"username": found.username, "password": found.password, "auth": auth}
    return json.dumps({"auths": {name: entry}}).encode()
