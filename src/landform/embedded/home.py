"""The embedded home, put together: store, catalog, registry, access and housekeeping, opened and closed as one."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from landform import __version__
from landform.embedded import bootstrap
from landform.embedded.access import tokens as token_rules
from landform.embedded.access.authentication import Authenticator
from landform.embedded.access.certificates import Authority
from landform.embedded.access.tokens import Claims, Tokens
from landform.embedded.catalog import Catalog, GroupResource
from landform.embedded.client import LocalCluster
from landform.embedded.documents import Documents
from landform.embedded.housekeeping.accounts import ACCOUNTS, AccountKeeper
from landform.embedded.housekeeping.definitions import DefinitionKeeper
from landform.embedded.housekeeping.expiry import EventExpiry
from landform.embedded.housekeeping.garbage import GarbageCollector
from landform.embedded.housekeeping.namespaces import NamespaceKeeper
from landform.embedded.journal import Journal, MemoryJournal, SqliteJournal
from landform.embedded.kinds.types import builtin_types
from landform.embedded.objects import StoreKey
from landform.embedded.policies import Policies
from landform.embedded.reading import Reading
from landform.embedded.registry import Registry
from landform.embedded.store import Store
from landform.embedded.verbs import Verbs

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from landform.embedded.folder import DataFolder
    from landform.embedded.journal import Row
    from landform.kit.surroundings import Surroundings

KUBERNETES_VERSION = "v1.34.0"
"""The version of the Kubernetes API that the home speaks."""


def version() -> dict[str, str]:
    """What ``/version`` says."""
    _, major, minor = KUBERNETES_VERSION.replace("v", ".").split(".")[:3]
    return {
        "major": major,
        "minor": minor,
        "gitVersion": f"{KUBERNETES_VERSION}+landform.{__version__}",
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "none",
        "compiler": "python",
        "platform": "any/any",
    }


class Housekeeper(Protocol):
    """Something the home does by itself."""

    def start(self) -> None: ...
    async def close(self) -> None: ...


@dataclass(frozen=True)
class EmbeddedHome:
    """A running home. `cluster` is the door for code in this process, `verbs` what the HTTPS server stands on."""

    cluster: LocalCluster
    verbs: Verbs
    documents: Documents
    authority: Authority
    surroundings: Surroundings


@asynccontextmanager
async def open_home(folder: DataFolder, surroundings: Surroundings) -> AsyncIterator[EmbeddedHome]:
    """The home of a data folder."""
    journal = SqliteJournal(folder.database)
    try:
        store = Store(journal, journal.load(), journal.version())
    except BaseException:
        journal.close()
        raise
    async with _running(store, folder.pki, surroundings) as home:
        yield home


@asynccontextmanager
async def open_in_memory(
    pki: Path, surroundings: Surroundings, journal: Journal | None = None, rows: Sequence[Row] = ()
) -> AsyncIterator[EmbeddedHome]:
    """A home that keeps nothing but its keys in `pki`: for tests and the simulator.

    `rows` is all that such a home with the same keys held before: then it need not be furnished, which takes most of
    the time.
    """
    store = Store(journal or MemoryJournal(), rows, max((row.version for row in rows), default=0))
    async with _running(store, pki, surroundings, furnished=bool(rows)) as home:
        yield home


@asynccontextmanager
async def _running(
    store: Store, pki: Path, surroundings: Surroundings, *, furnished: bool = False
) -> AsyncIterator[EmbeddedHome]:
    clock = surroundings.clock
    catalog = Catalog(builtin_types())
    policies = Policies(store)
    registry = Registry(store, policies, surroundings)
    authority = Authority.load_or_create(pki, clock)
    tokens = Tokens.load_or_create(pki, ids=surroundings.ids)
    authenticator = Authenticator(
        authority.is_admin_token, tokens, lambda claims: _why_revoked(store, claims, clock.now()), clock
    )
    housekeepers: tuple[Housekeeper, ...] = (
        DefinitionKeeper(store, catalog, registry, clock),
        GarbageCollector(store, catalog, registry, clock),
        NamespaceKeeper(store, catalog, registry, clock),
        AccountKeeper(store, catalog, registry, clock, tokens, authority.ca),
        EventExpiry(store, catalog, registry, clock),
    )
    verbs = Verbs(store, catalog, registry, Reading(store), policies, authenticator, tokens, clock)
    try:
        for housekeeper in housekeepers:
            housekeeper.start()
        if not furnished:
            await bootstrap.furnish(store, catalog, registry)
        yield EmbeddedHome(LocalCluster(verbs, version()), verbs, Documents(catalog), authority, surroundings)
    finally:
        for housekeeper in reversed(housekeepers):
            await housekeeper.close()
        store.close()


def _why_revoked(store: Store, claims: Claims, now: datetime) -> str:
    account = store.get(StoreKey(ACCOUNTS, claims.namespace, claims.name))
    bound = None
    if claims.bound is not None:
        resource = GroupResource("", f"{claims.bound.kind.lower()}s")
        namespace = "" if claims.bound.kind == "Node" else claims.namespace
        found = store.get(StoreKey(resource, namespace, claims.bound.name))
        bound = found.decode() if found else None
    return token_rules.why_revoked(claims, account.decode() if account else None, bound, now)
