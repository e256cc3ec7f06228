"""Identifiers and chance, given and never taken: uids, generated name suffixes, tokens, jitter."""

from __future__ import annotations

import random
import uuid
from typing import Protocol

# Kubernetes' alphabet for generated names: no vowels and no look-alikes, so no words appear by accident.
SUFFIX_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"


class Ids(Protocol):
    """The only source of new identifiers. The simulator supplies a seeded one."""

    def uid(self) -> str:
        """A new UUID in its canonical text form."""
        ...

    def suffix(self) -> str:
        """Five characters to append to a `generateName`."""
        ...


class RandomIds:
    """Identifiers drawn from a source of chance; the system's own unless one is given."""

    def __init__(self, source: random.Random | None = None) -> None:
        self._source = source or random.SystemRandom()

    def uid(self) -> str:
        return str(uuid.UUID(int=self._source.getrandbits(128), version=4))

    def suffix(self) -> str:
        return "".join(self._source.choices(SUFFIX_ALPHABET, k=5))
