"""What an operator decides about components: where content is kept, what may be read, who is trusted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from landform.components import ocmconfigs
from landform.components.caches import BlobCache
from landform.components.errors import ConfigurationError
from landform.components.folders import DiskFolder
from landform.components.httpclients import HttpClient, HttpSettings
from landform.components.limits import DEFAULT, MEBIBYTE, Limits
from landform.components.resolving import Resolver, ResolverSettings
from landform.components.verification import Policy

if TYPE_CHECKING:
    from pathlib import Path

    from landform.components.credentials import Consumer
    from landform.kit.surroundings import Surroundings


@dataclass(frozen=True)
class Repositories:
    """How component repositories are reached."""

    cache: Path
    """Folder in which content is kept by its digest; processes may share it."""

    cache_limit: int = 2048 * MEBIBYTE
    """Bytes that it may hold, more or less."""

    root: Path | None = None
    """Folder that repositories in files lie in; without one they cannot be read."""

    docker_configs: tuple[Path, ...] = ()
    """Docker configuration files with credentials for everybody; those of a Context are preferred."""

    limits: Limits = DEFAULT
    """How much may be read."""

    http: HttpSettings = field(default_factory=HttpSettings)
    """How to speak to registries."""

    policy: Policy = Policy.DO_NOT_ENFORCE
    """When component versions are verified."""

    def resolver(self, surroundings: Surroundings | None = None) -> Resolver:
        """A resolver with these settings; reads the docker configurations."""
        root = DiskFolder(self.root) if self.root is not None else None
        settings = ResolverSettings(self.limits, root, self._consumers())
        return Resolver(HttpClient(self.http, surroundings), BlobCache(self.cache, self.cache_limit), settings)

    def _consumers(self) -> tuple[Consumer, ...]:
        try:
            documents = [(f"the docker configuration {path}", path.read_bytes()) for path in self.docker_configs]
        except OSError as error:
            raise ConfigurationError(f"a docker configuration cannot be read: {error}") from error
        return ocmconfigs.with_docker(ocmconfigs.EMPTY, documents).consumers
