"""OCI references taken apart as templates see them: repository and version."""

from __future__ import annotations

from landform.components.errors import InvalidReference

_DOCKER_PREFIXES = ("index.docker.io/library/", "index.docker.io/")


def parse(ref: str) -> tuple[str, str]:
    """Repository and version of a reference; a tag is preferred to a digest.

    The names that docker gives to its own registry are taken off. A port is part of the repository.
    """
    if ":" not in ref:
        raise InvalidReference(f"{ref!r} names neither a tag nor a digest; write repository:tag or repository@digest")
    name, _, digest = ref.partition("@")
    head, colon, tag = name.rpartition(":")
    if colon and "/" not in tag:
        name, version = head, tag
    else:
        version = digest
    if not name or not version:
        raise InvalidReference(
            f"{ref!r} has no tag, no digest or no repository; write repository:tag or repository@digest"
        )
    for prefix in _DOCKER_PREFIXES:
        if name.startswith(prefix):
            return name.removeprefix(prefix), version
    return name, version
