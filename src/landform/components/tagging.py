"""Listing the tags of a repository, which only people ask for."""

from __future__ import annotations

from typing import Protocol


class Tags(Protocol):
    """Something that knows the tags of repositories."""

    async def tags(self, repository: str) -> list[str]:
        """All tags of a repository; none if there is no such repository."""
        ...
