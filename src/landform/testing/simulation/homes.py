"""The home of a simulation: without disk, the same in each run, and furnished once for all of them."""

from __future__ import annotations

import atexit
import functools
import random
import shutil
import tempfile
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from landform.embedded.access.keys import to_pem
from landform.embedded.home import open_in_memory
from landform.kit.ids import RandomIds
from landform.kit.surroundings import Surroundings
from landform.testing import time
from landform.testing.simulation.history import CollectingJournal, RecordingJournal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from landform.cluster.interface import Cluster
    from landform.embedded.journal import Row
    from landform.testing.simulation.history import History

_SETTLING_SECONDS = 5.0
_KEY = 20300101
_LIFETIME = timedelta(days=3650)


@asynccontextmanager
async def opened(seed: int | str, history: History) -> AsyncIterator[Cluster]:
    """A home whose writes are told to the history."""
    rows = furniture()
    history.furnish(rows)
    async with open_in_memory(_keys(), _surroundings(seed), RecordingJournal(history), rows) as home:
        yield home.cluster


@functools.cache
def furniture() -> tuple[Row, ...]:
    """What every home has from its start."""
    journal = CollectingJournal()

    async def furnish() -> None:
        async with open_in_memory(_keys(), _surroundings("furniture"), journal):
            await time.VirtualClock().sleep(_SETTLING_SECONDS)

    time.run(furnish())
    return journal.rows()


def _surroundings(seed: int | str) -> Surroundings:
    chance = random.Random(f"{seed}/home")
    return Surroundings(clock=time.VirtualClock(), ids=RandomIds(chance), random=chance)


@functools.cache
def _keys() -> Path:
    """A folder with the keys of all homes, there until the interpreter ends: writing them takes long."""
    folder = Path(tempfile.mkdtemp(prefix="landform-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "ca.pem").write_text(_authority())
    return folder


def _authority() -> str:
    """The home's authority, always the same: its certificate is in a ConfigMap of each namespace.

    It is no secret and signs nothing. Its own signature is of a kind that has no chance in it.
    """
    key = ec.derive_private_key(_KEY, ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "landform simulation")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(_KEY)
        .not_valid_before(time.START - timedelta(days=1))
        .not_valid_after(time.START + _LIFETIME)
        .sign(ed25519.Ed25519PrivateKey.from_private_bytes(_KEY.to_bytes(32, "big")), None)
    )
    return to_pem(key) + certificate.public_bytes(Encoding.PEM).decode("ascii")
