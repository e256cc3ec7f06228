"""From the settings of a deployer to what it works with: sandboxes are made here, and nowhere else."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from landform import __version__
from landform.cluster import kubeconfig
from landform.cluster.http import HttpCluster
from landform.cluster.resources import NAMESPACES
from landform.components.settings import Repositories
from landform.deployers.programs.contract.sandboxes import SandboxName
from landform.deployers.programs.engines.api import EngineApi
from landform.deployers.programs.engines.launcher import EngineLauncher
from landform.deployers.programs.engines.settings import EngineSettings
from landform.deployers.programs.grounds.grounds import Grounds
from landform.deployers.programs.local.folders import FolderSandbox, home_states
from landform.deployers.programs.pods.sandbox import PodSandbox
from landform.deployers.programs.pods.settings import PodSettings
from landform.deployers.programs.processes.launcher import ProcessLauncher
from landform.deployers.programs.processes.settings import Limits, ProcessSettings
from landform.deployers.programs.runs.deployers import Equipment
from landform.deployers.programs.setup import finding
from landform.deployers.programs.setup.settings import processors, size

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping

    from landform.cluster.interface import Cluster
    from landform.deployers.programs.contract.sandboxes import Sandbox
    from landform.deployers.programs.grounds.grounds import Builder
    from landform.deployers.programs.local.launchers import Launcher
    from landform.deployers.programs.pods.settings import ContainerSettings
    from landform.deployers.programs.setup.settings import Container, Settings
    from landform.kit.surroundings import Surroundings


IMAGE_VARIABLE: Final = "LANDFORM_IMAGE"
"""Environment variable with the image that the init and wait containers of pods run; a deployer's own, in a pod."""


@dataclass(frozen=True)
class Site:
    """What a process gives to its deployers of programs, unless their settings say otherwise."""

    folder: Path | None = None
    """Where files of programs on this machine lie."""

    repositories: Repositories | None = None
    """How component repositories are reached."""

    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))


def equipment(settings: Settings, site: Site, deployer: str, *, runs_processes: bool) -> Equipment:
    """What a deployer works with; its name keeps what it leaves apart from what others leave."""
    builders = _Builders(settings, site, deployer)
    made: dict[SandboxName, Builder] = {SandboxName.KUBERNETES: builders.pods, SandboxName.ENGINE: builders.engine}
    if runs_processes:
        made[SandboxName.PROCESS] = builders.processes
    return Equipment(
        Grounds(
            settings.sandbox,
            lambda: finding.available(settings, site.environ),
            made,
            component_repositories(settings, site),
        ),
        grace=settings.grace_time,
        log_limit=settings.log_limit,
        default=settings.default_image.settings,
        pull_files=settings.config_files,
        collect_seconds=settings.collect_seconds,
    )


def component_repositories(settings: Settings, site: Site) -> Repositories:
    """How the component versions that items name are reached; pure."""
    given = site.repositories or Repositories(_folder(settings, site).with_name("components"))
    http = replace(
        given.http,
        verify=given.http.verify and not settings.oci.insecure_skip_verify,
        plain=given.http.plain and settings.oci.allow_plain_http is not False,
    )
    return replace(given, docker_configs=(*given.docker_configs, *settings.config_files), http=http)


def pod_settings(settings: Settings, site: Site) -> PodSettings:
    """How pods are made; pure."""
    return PodSettings(
        init=_own(settings.init_container, site),
        wait=_own(settings.wait_container, site),
        default=settings.default_image.settings,
        keep_pod=settings.debug.keep_pod,
        grace=settings.grace_time,
        image_patience=settings.pull_patience,
        lost_after=settings.silence,
    )


def engine_settings(settings: Settings) -> EngineSettings:
    """How containers of an engine are made; pure."""
    given = settings.engine
    return EngineSettings(
        network=given.network,
        read_only_root=given.read_only_root,
        memory=size(given.memory),
        pids=given.pids or None,
        cpus=processors(given.cpus),
        pull_patience=settings.pull_patience,
    )


def _own(container: Container, site: Site) -> ContainerSettings:
    """A container that runs Landform itself."""
    image = container.image or site.environ.get(IMAGE_VARIABLE) or f"localhost/landform:{__version__}"
    return replace(container.settings, image=image)


def _folder(settings: Settings, site: Site) -> Path:
    if settings.folder:
        return Path(settings.folder).absolute()
    return site.folder or finding.default_folder(site.environ, os.geteuid())


def _remove_empty(folders: Iterable[Path]) -> None:
    """Leave no folder behind in which nothing is."""
    with contextlib.suppress(OSError):
        for folder in folders:
            folder.rmdir()


async def _token(home: Cluster) -> str:
    """Tells what is left of one home's items from what is left of another's: who collects it asks his own home."""
    uid = (await home.get(NAMESPACES, "default"))["metadata"]["uid"]
    return hashlib.blake2b(uid.encode(), digest_size=5).hexdigest()


@dataclass(frozen=True)
class _Builders:
    """How sandboxes are opened."""

    settings: Settings
    site: Site
    deployer: str

    @asynccontextmanager
    async def pods(self, home: Cluster, surroundings: Surroundings) -> AsyncIterator[Sandbox]:
        settings, host = self.settings, self.settings.host
        connection = (
            kubeconfig.load(Path(host.kubeconfig), host.context or None, exec_plugins=True)
            if host.kubeconfig
            else kubeconfig.in_cluster(self.site.environ)
        )
        pods = pod_settings(settings, self.site)
        async with HttpCluster(connection, surroundings=surroundings) as cluster:
            identity = settings.identity or f"{self.deployer}-{await _token(home)}"
            sandbox = PodSandbox(cluster, settings.namespace, identity, pods, surroundings)
            try:
                yield sandbox
            finally:
                await sandbox.close()

    async def _root(self, home: Cluster, name: SandboxName) -> Path:
        """The folder of a sandbox on this machine."""
        return _folder(self.settings, self.site) / self.deployer / await _token(home) / name

    @asynccontextmanager
    async def engine(self, home: Cluster, surroundings: Surroundings) -> AsyncIterator[Sandbox]:
        settings = engine_settings(self.settings)
        api = EngineApi(finding.available(self.settings, self.site.environ).engine)
        realm = str(await self._root(home, SandboxName.ENGINE))
        launcher = EngineLauncher(api, realm, settings, clock=surroundings.clock)
        async with self._in_folder(home, launcher) as sandbox:
            yield sandbox

    @asynccontextmanager
    async def processes(self, home: Cluster, surroundings: Surroundings) -> AsyncIterator[Sandbox]:
        given = self.settings.process
        limits = Limits(
            memory=size(given.limits.memory),
            cpu_seconds=given.limits.cpu_seconds or None,
            open_files=given.limits.open_files or None,
            processes=given.limits.processes or None,
            file_size=size(given.limits.file_size),
        )
        launcher = ProcessLauncher(ProcessSettings(given.slots, limits), clock=surroundings.clock)
        async with self._in_folder(home, launcher) as sandbox:
            yield sandbox

    @asynccontextmanager
    async def _in_folder(self, home: Cluster, launcher: Launcher) -> AsyncIterator[Sandbox]:
        root = await self._root(home, launcher.name)
        states = home_states(home, identity=self.settings.identity or self.deployer)
        sandbox = FolderSandbox(root, launcher, states)
        try:
            yield sandbox
        finally:
            await sandbox.close()
            made = 2 if self.settings.folder else 3  # a folder that somebody named is his
            await asyncio.to_thread(_remove_empty, (root, *root.parents[:made]))
