"""Fingerprints of imports: whether a job still works with the values that it began with."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class Fingerprints:
    """The fingerprint of everything that is imported, by name of the import; see `of_data` and `of_target`."""

    data: Mapping[str, str] = field(default_factory=dict)
    targets: Mapping[str, str] = field(default_factory=dict)
    target_lists: Mapping[str, Sequence[str]] = field(default_factory=dict)
    target_maps: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def imports_hash(fingerprints: Fingerprints) -> str:
    """One fingerprint of all imports: equal if and only if all of them are."""
    content = {
        "DataObjects": dict(fingerprints.data),
        "Targets": dict(fingerprints.targets),
        "TargetLists": {name: list(elements) for name, elements in fingerprints.target_lists.items()},
        "TargetMaps": {name: dict(elements) for name, elements in fingerprints.target_maps.items()},
    }
    return _sha1(json.dumps(content, sort_keys=True, separators=(",", ":")).encode())


def of_data(content: bytes, annotation: str | None = None) -> str:
    """The fingerprint of data: what the object says of itself in its hash annotation, else that of its content."""
    return annotation or _sha1(content)


def of_target(generation: int | None, secret_version: str | None = None) -> str:
    """The fingerprint of a Target, and of the Secret behind it: who changes the access data changes the import."""
    return str(generation or 0) if secret_version is None else f"{generation or 0}/{secret_version}"


def _sha1(content: bytes) -> str:
    # Tells changes, keeps no secret; DataObjects carry hashes of this kind.
    return hashlib.sha1(content, usedforsecurity=False).hexdigest()
