"""State as Secrets: pieces of an archive, each in a Secret, and which of them belong together; pure.

A set of pieces is one saved state. Its first piece is written last, so a set with a first piece was written to its
end. The newest one of these is the state; what is missing of it was not left out by a crash but lost, and that is said.

Pieces of the original Landscaper are told by what they lack: it writes no count, no digest and no order.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from landform.deployers.programs.contract import labels
from landform.deployers.programs.contract.faults import Damaged

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

TYPE: Final = "state"
"""Value of the label that says what a Secret is for."""

KEY: Final = "config"
SIZE: Final = 512 * 1024
"""Bytes of a piece; the last one of a set is shorter."""

MOST: Final = 1024
"""Most pieces of a set."""

SET: Final = f"{labels.GROUP}/state-set"
"""Label: which set a piece belongs to. Pieces of the original have none."""

PART: Final = f"{labels.GROUP}/state-part"
"""Label: what a piece is to its set."""

FIRST: Final = "first"
FURTHER: Final = "further"
SLOT: Final = "slot"
"""Prepared for a piece, and not yet written."""

UUID: Final = f"{labels.GROUP}/uuid"
"""Annotation: the set, as the original names it."""

NUMBER: Final = f"{labels.GROUP}/num"
COUNT: Final = f"{labels.GROUP}/count"
DIGEST: Final = f"{labels.GROUP}/digest"
"""Annotation: SHA-256 of the piece."""

STATE_DIGEST: Final = f"{labels.GROUP}/state-digest"
"""Annotation: SHA-256 of the whole state before it is compressed."""

ORDER: Final = f"{labels.GROUP}/order"
"""Annotation: a number higher than that of every set before it."""

PREFIX: Final = f"{labels.GROUP}/prefix"
"""Annotation: what the names of the set's pieces begin with."""

RUN: Final = f"{labels.GROUP}/run"
"""Annotation: the token of the run that left the state."""


@dataclass(frozen=True)
class StateSet:
    """One saved state."""

    id: str
    names: tuple[str, ...]
    """The Secrets of its pieces, in order."""

    digest: str = ""
    """That of the whole state before it is compressed; empty if the original wrote it."""

    order: int = 0
    run: str = ""

    @property
    def is_of_original(self) -> bool:
        return not self.digest


@dataclass(frozen=True)
class Place:
    """Where a set is to be written: chosen before anyone knows how many pieces it has."""

    id: str
    prefix: str
    """What the names of the Secrets begin with; the number of the piece follows."""

    order: int
    run: str
    first: str = ""
    """The Secret of the first piece, if it has a name of its own."""

    def name(self, number: int) -> str:
        """The Secret of a piece."""
        return self.first if self.first and not number else f"{self.prefix}-{number}"


@dataclass(frozen=True)
class SetPlan:
    """A set that is to be written."""

    place: Place
    count: int
    digest: str
    """That of the whole state before it is compressed."""

    def part(self, number: int, payload: bytes) -> dict[str, Any]:
        """What makes a Secret a piece of the set: to be merged into one that is there, or into a new one."""
        place = self.place
        return {
            "metadata": {
                "labels": {SET: place.id, PART: FURTHER if number else FIRST},
                "annotations": {
                    UUID: place.id,
                    NUMBER: str(number),
                    COUNT: str(self.count),
                    DIGEST: hashlib.sha256(payload).hexdigest(),
                    STATE_DIGEST: self.digest,
                    ORDER: str(place.order),
                    PREFIX: place.prefix,
                    RUN: place.run,
                },
            },
            "data": {KEY: base64.b64encode(payload).decode()},
        }

    @property
    def result(self) -> StateSet:
        """The set once it is written."""
        names = tuple(map(self.place.name, range(self.count)))
        return StateSet(self.place.id, names, self.digest, self.place.order, self.place.run)


def count_of(size: int) -> int:
    """How many pieces an archive of that many bytes has."""
    return -(-size // SIZE)


def set_of(first: Mapping[str, Any]) -> StateSet:
    """The set that a first piece belongs to."""
    said = _annotations(first)
    if ((first.get("metadata") or {}).get("labels") or {}).get(PART) != FIRST:
        raise Damaged(f"the labels of secret {name_of(first)} were changed, it cannot be read as state")
    try:
        prefix, count = said[PREFIX], int(said[COUNT])
        names = (name_of(first), *(f"{prefix}-{number}" for number in range(1, count))) if count else ()
        return StateSet(said[UUID], names, said[STATE_DIGEST], int(said[ORDER]), said.get(RUN, ""))
    except (KeyError, ValueError) as error:
        raise Damaged(f"the annotations of secret {name_of(first)} were changed, it cannot be read as state") from error


def payload_of(secret: Mapping[str, Any], number: int) -> bytes:
    """The content of a piece, checked as far as it says what it should be."""
    content = (secret.get("data") or {}).get(KEY)
    if content is None:
        raise Damaged(f"secret {name_of(secret)}, a piece of the state, has no key {KEY}")
    said = _annotations(secret)
    try:
        payload = binascii.a2b_base64(content)  # what is no base64 is overlooked here, and found by the digest
    except ValueError as error:
        raise Damaged(f"secret {name_of(secret)}, a piece of the state, is not encoded with base64") from error
    if said.get(NUMBER) != str(number) or said.get(DIGEST, "") not in ("", hashlib.sha256(payload).hexdigest()):
        raise Damaged(f"secret {name_of(secret)}, a piece of the state, was changed")
    return payload


def originals(secrets: Iterable[Mapping[str, Any]]) -> list[StateSet]:
    """The sets of the original Landscaper that lack no piece before their last one, newest first.

    Whether the last one is there shows only in the archive.
    """
    sets: dict[str, list[Mapping[str, Any]]] = {}
    for secret in secrets:
        said = _annotations(secret)
        if UUID in said and said.get(NUMBER, "").isdecimal():
            sets.setdefault(said[UUID], []).append(secret)
    ordered = sorted(sets, key=lambda id: max(map(created, sets[id])), reverse=True)
    return [found for id in ordered if (found := _original(id, sets[id])) is not None]


def _original(id: str, secrets: Sequence[Mapping[str, Any]]) -> StateSet | None:
    pieces = sorted(secrets, key=_number)
    if [_number(piece) for piece in pieces] != list(range(len(pieces))):
        return None
    return StateSet(id, tuple(map(name_of, pieces)))


def created(secret: Mapping[str, Any]) -> str:
    """When it was created, as text that sorts by time."""
    return str((secret.get("metadata") or {}).get("creationTimestamp") or "")


def _number(secret: Mapping[str, Any]) -> int:
    return int(_annotations(secret)[NUMBER])


def _annotations(secret: Mapping[str, Any]) -> Mapping[str, str]:
    return (secret.get("metadata") or {}).get("annotations") or {}


def name_of(secret: Mapping[str, Any]) -> str:
    """Its name."""
    return str((secret.get("metadata") or {}).get("name") or "")
