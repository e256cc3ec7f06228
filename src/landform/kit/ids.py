"""Identifiers and chance, given and never taken: uids, generated name suffixes, tokens, jitter."""

from __future__ import annotations

import os
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
        self._source = source or _SystemChance()

    def uid(self) -> str:
        return str(uuid.UUID(int=self._source.getrandbits(128), version=4))

    def suffix(self) -> str:
        return "".join(self._source.choices(SUFFIX_ALPHABET, k=5))


class _SystemChance(random.SystemRandom):
    """The system's source of chance, asked for many bytes at a time: each question costs a system call."""

    _STOCK = 4096

    def __init__(self) -> None:
        self._bytes = b""
        self._used = 0
        self._asked_by = os.getpid()
        super().__init__()

    def random(self) -> float:
        return self.getrandbits(53) * 2.0**-53

    def getrandbits(self, k: int, /) -> int:
        size = (k + 7) // 8
        if size > len(self._bytes) - self._used or self._asked_by != os.getpid():  # a fork must not repeat its parent
            self._bytes, self._used, self._asked_by = os.urandom(max(size, self._STOCK)), 0, os.getpid()
        taken = self._bytes[self._used : self._used + size]
        self._used += size
        return int.from_bytes(taken, "big") >> (size * 8 - k)
