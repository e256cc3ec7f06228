"""Logs: what programs print, kept in a Secret beside the item, so that whoever may see the item's Secrets sees it.

    data.log                  the last of what the current or last run printed
    data.previous             the same of the run before
    annotations.../log        which run, how much of the beginning is not kept, whether it has ended: `Header`
    annotations.../previous   the same of the run before

The Secret is written once a second at most while a program prints, and once at its end. It belongs to the item and
goes with it. Nothing that a program prints ever reaches the deployer's own log.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import logging
from typing import TYPE_CHECKING, Any, Final

import msgspec

from landform.api import scopes
from landform.api.names import DOMAIN
from landform.cluster.errors import ClusterError, NotFound
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.cluster.resources import PROGRAM_LOG, SECRETS, ObjectKey
from landform.deployers.programs.runs.logtexts import LogText

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Unstructured
    from landform.deployers.programs.contract.identities import ItemId, RunId
    from landform.kit.clocks import Clock

log = logging.getLogger(__name__)

TYPE: Final = PROGRAM_LOG
"""The type of the Secret."""

LOG: Final = "log"
PREVIOUS: Final = "previous"
_PREFIX: Final = f"programs.{DOMAIN}/"

_WRITE_SECONDS: Final = 1.0
"""Between two writes while the program runs; and so long it is waited for more before the first."""

_AGAIN_SECONDS: Final = 2.0
"""After so long an output is followed again if following it failed."""

_REST_SECONDS: Final = 5.0
"""How long the rest of an output is waited for when the program has ended."""


class Header(msgspec.Struct, rename="camel", omit_defaults=True):
    """What is known of a kept output."""

    run: str = ""
    """The run's token."""

    job: str = ""
    operation: str = ""
    dropped: int = 0
    """So many bytes at the beginning are not kept."""

    ended: bool = False
    """Whether nothing comes any more."""


class KeptLog(msgspec.Struct, frozen=True):
    """An output that was kept."""

    header: Header
    content: bytes


def key_of(item: ItemId | ObjectKey) -> ObjectKey:
    """The Secret with an item's logs."""
    return ObjectKey(item.namespace, scopes.companion_name(item.name, "logs"))


def read(secret: Unstructured, which: str = LOG) -> KeptLog | None:
    """What a Secret keeps of the last run, or of the one before; None if that was never kept."""
    annotations = secret["metadata"].get("annotations") or {}
    text = annotations.get(_PREFIX + which)
    if text is None:
        return None
    content = base64.b64decode((secret.get("data") or {}).get(which) or "")
    return KeptLog(msgspec.json.decode(text, type=Header), content)


class LogKeeper:
    """Keeps what one run prints.

    Whoever goes on with the run after a restart reads its output from the beginning and keeps the same again.
    """

    def __init__(self, cluster: Cluster, run: RunId, clock: Clock, limit: int) -> None:
        self._cluster = cluster
        self._run = run
        self._clock = clock
        self._limit = limit
        self._text = LogText(limit)
        self._key = key_of(run.item)
        self._is_rotated = False
        self._news = asyncio.Event()
        self._writing = asyncio.Lock()

    def tail(self) -> str:
        """The last lines of output, for an error."""
        return self._text.tail()

    async def follow(self, output: Callable[[], AsyncIterator[bytes]]) -> None:
        """Keep the output until its end; whatever fails is tried again, for it must not disturb the program."""
        saving = asyncio.create_task(self._save_now_and_then(), name=f"log of {self._run.item}")
        try:
            while True:
                try:
                    return await self._take(output)
                except Exception as error:  # of a sandbox: only the log suffers
                    log.warning("the output of %s cannot be followed: %s", self._run, type(error).__name__)
                    log.debug("where it failed", exc_info=error)
                await self._clock.sleep(_AGAIN_SECONDS)
        finally:
            async with self._writing:  # a write that is cut off might be done after the next
                saving.cancel()

    async def rest(self, following: asyncio.Task[None]) -> None:
        """Wait a while for the end of the output, because the program has ended."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_REST_SECONDS):
                await asyncio.shield(following)

    async def listen(self, output: Callable[[], AsyncIterator[bytes]]) -> None:
        """Take in the whole output once more, of a program that is being stopped, as long as it can be read."""
        with contextlib.suppress(Exception):  # what cannot be read is not kept
            await self._take(output)

    async def read_again(self, output: Callable[[], AsyncIterator[bytes]]) -> None:
        """Take in the whole output of a program that has been stopped, if it is still there."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_REST_SECONDS):
                await self.listen(output)

    async def end(self) -> None:
        """Nothing comes any more: have the Secret say all of it."""
        await self._save(ended=True)

    async def _take(self, output: Callable[[], AsyncIterator[bytes]]) -> None:
        """Read the output from its beginning; what is known of it already stays until more is read."""
        text = LogText(self._limit)
        async for chunk in output():
            text.add(chunk)
            if text.size >= self._text.size:
                self._text = text
                self._news.set()
        if text is not self._text:  # a sandbox, too, keeps only the last of a long output
            self._text.go_on(text)

    async def _save_now_and_then(self) -> None:
        while True:
            await self._news.wait()
            await self._clock.sleep(_WRITE_SECONDS)
            self._news.clear()
            await self._save(ended=False)

    async def _save(self, *, ended: bool) -> None:
        try:
            async with self._writing:
                await (self._change(ended) if self._is_rotated else self._rotate(ended))
        except NotFound:
            self._is_rotated = False  # somebody has removed it: the next write makes it anew
        except ClusterError as error:
            log.warning("the log of %s cannot be kept: %s", self._run, error)

    async def _rotate(self, ended: bool) -> None:
        """The first write: what the Secret has of another run becomes the previous."""
        try:
            known = await self._cluster.get(SECRETS, self._key.name, namespace=self._key.namespace)
        except NotFound:
            await self._create(ended)
            return
        if not _belongs_to(known, self._run.item):
            log.warning("secret %s, which would hold logs, belongs to someone else; remove it", self._key)
            return
        kept = read(known)
        if kept is not None and kept.header.run != self._run.token:
            await self._change(ended, previous=kept)
        else:
            await self._change(ended)
        self._is_rotated = True

    async def _create(self, ended: bool) -> None:
        if not self._text.content and not self._text.dropped:
            return  # most programs that print nothing never did
        said = self._said(ended)
        where = {"name": self._key.name, "namespace": self._key.namespace, "ownerReferences": [self._owner()]}
        secret = {"apiVersion": SECRETS.api_version, "kind": SECRETS.kind, "type": TYPE, **said}
        secret["metadata"] = {**said["metadata"], **where}
        await self._cluster.create(SECRETS, secret, namespace=self._key.namespace)
        self._is_rotated = True

    async def _change(self, ended: bool, *, previous: KeptLog | None = None) -> None:
        said = self._said(ended)
        if previous is not None:
            said["metadata"]["annotations"][_PREFIX + PREVIOUS] = _text(previous.header)
            said["data"][PREVIOUS] = base64.b64encode(previous.content).decode()
        await self._cluster.patch(SECRETS, self._key.name, said, namespace=self._key.namespace)

    def _said(self, ended: bool) -> dict[str, Any]:
        header = Header(
            run=self._run.token,
            job=self._run.job,
            operation=str(self._run.operation),
            dropped=self._text.dropped,
            ended=ended,
        )
        return {
            "metadata": {"annotations": {_PREFIX + LOG: _text(header)}},
            "data": {LOG: base64.b64encode(self._text.content).decode()},
        }

    def _owner(self) -> dict[str, Any]:
        item = self._run.item
        return {
            "apiVersion": DEPLOY_ITEMS.api_version,
            "kind": DEPLOY_ITEMS.kind,
            "name": item.name,
            "uid": item.uid,
        }


def _belongs_to(secret: Unstructured, item: ItemId) -> bool:
    owners = secret["metadata"].get("ownerReferences") or ()
    return any(owner.get("uid") == item.uid for owner in owners)


def _text(header: Header) -> str:
    return msgspec.json.encode(header).decode()
