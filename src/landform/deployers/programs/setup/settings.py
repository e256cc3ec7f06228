"""The configuration of a deployer of programs, as the file of `--config` has it; pure.

All of it may be left out. Command lines may be lists or texts, because the original's documentation prints texts.
"""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from landform.deployers.library import selectors
from landform.deployers.programs.engines import quantities
from landform.deployers.programs.grounds.choosing import Wish
from landform.deployers.programs.orders import configurations
from landform.deployers.programs.orders.configurations import Words
from landform.deployers.programs.pods.settings import ContainerSettings
from landform.deployers.programs.runs.logtexts import LIMIT
from landform.kit import durations
from landform.kit.errors import LandformError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

KIND: Final = "Configuration"
DEFAULT_IMAGE: Final = "ubuntu:18.04"
"""What the original runs where nobody says anything."""

_LARGEST_LOG: Final = 256 * 1024
"""Two logs must fit into one Secret, in base64."""

_SIZE: Final = re.compile(r"(\d+)(|Ki|Mi|Gi)")
_UNITS: Final = {"": 1, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}


class SettingsError(LandformError):
    """The configuration of a deployer makes no sense."""


class Container(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """One of the containers of a pod; `defaultImage` counts for container engines too."""

    image: str = ""
    command: Words = None
    args: Words = None
    image_pull_policy: str = "IfNotPresent"

    @property
    def settings(self) -> ContainerSettings:
        """The form that pods are made from."""
        command, args = configurations.words(self.command), configurations.words(self.args)
        return ContainerSettings(self.image, command, args, self.image_pull_policy)


class Oci(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """How registries are reached."""

    allow_plain_http: bool | None = None
    """Whether a registry may be spoken to without TLS where somebody wrote ``http://``; nothing else leads there."""

    insecure_skip_verify: bool = False
    """Whether certificates of registries are not checked."""

    config_files: list[str] = []
    """Docker configuration files with credentials."""


class Debug(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """For people who look for a mistake."""

    keep_pod: bool = False
    """Whether ended pods stay."""


class GarbageCollection(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """How what dead items left is looked for."""

    disable: bool = False
    worker: int = 5
    """Without effect; the original had it."""

    requeue_time_seconds: int = 3600


class Host(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """The cluster that pods run in."""

    kubeconfig: str = ""
    """Path of its kubeconfig; without one it is the cluster that the deployer itself runs in."""

    context: str = ""
    """Context of the kubeconfig; its current one by default."""

    lost_after: str = "5m"
    """How long a node may give no sign of a pod that should be gone before its run counts as lost."""


class Engine(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """The container engine of this machine."""

    socket: str = ""
    """Path of its API socket; without one it is looked for where podman and docker have theirs."""

    network: bool = True
    """Whether containers have a network; an item may only switch it off."""

    read_only_root: bool = False
    """Whether containers can write nothing but their own files, unless an item says otherwise."""

    memory: str | int = ""
    """Most memory of a container, such as ``512Mi``."""

    pids: int = 0
    """Most processes in a container; 0: the engine's own limit."""

    cpus: str | int | float = ""
    """Most processors that a container may use, such as ``2`` or ``500m``."""


class ProcessLimits(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """What one local process may use."""

    memory: str | int = ""
    cpu_seconds: int = 0
    open_files: int = 0
    processes: int = 0
    file_size: str | int = ""


class Process(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """Programs as processes of this machine."""

    slots: int = 50
    """How many may run at once."""

    limits: ProcessLimits = msgspec.field(default_factory=ProcessLimits)


class Settings(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """How a deployer of programs works."""

    identity: str = ""
    """What it is called, on all that it makes in a host cluster. Deployers that share one need different names."""

    namespace: str = "default"
    """The namespace of the host cluster in which pods run."""

    init_container: Container = msgspec.field(default_factory=Container)
    wait_container: Container = msgspec.field(default_factory=Container)
    default_image: Container = msgspec.field(default_factory=lambda: Container(image=DEFAULT_IMAGE))
    """What is run where an item says no image."""

    oci: Oci = msgspec.field(default_factory=Oci)
    target_selector: Any = None
    """Which targets it serves: a list of selectors, or a single one."""

    debug: Debug = msgspec.field(default_factory=Debug)
    garbage_collection: GarbageCollection = msgspec.field(default_factory=GarbageCollection)
    sandbox: Wish = Wish.AUTO
    """Where programs run."""

    host: Host = msgspec.field(default_factory=Host)
    engine: Engine = msgspec.field(default_factory=Engine)
    process: Process = msgspec.field(default_factory=Process)
    folder: str = ""
    """Where the files of programs on this machine lie; below the data folder of a home by default."""

    hpa: Any = None
    """Without effect; the original had it, as `controller`."""

    controller: Any = None
    image_patience: str = "60s"
    """How long an image may fail to be pulled, or a container to be made, before the run is given up."""

    grace: str = "30s"
    """How long a program may take to end when it is asked to."""

    log_size: str | int = LIMIT
    """How many bytes of a program's output are kept, such as ``64Ki``; at most 256 KiB."""

    @property
    def grace_time(self) -> timedelta:
        """How long a program may take to end."""
        return durations.parse(self.grace).timedelta

    @property
    def pull_patience(self) -> timedelta:
        """How long an image may fail to be pulled."""
        return durations.parse(self.image_patience).timedelta

    @property
    def silence(self) -> timedelta:
        """How long a node may give no sign of a pod that should be gone."""
        return durations.parse(self.host.lost_after).timedelta

    @property
    def log_limit(self) -> int:
        """How many bytes of output are kept."""
        return size(self.log_size) or LIMIT

    @property
    def collect_seconds(self) -> float | None:
        """How often what dead items left is looked for; None: never."""
        collection = self.garbage_collection
        return None if collection.disable else float(collection.requeue_time_seconds)

    @property
    def config_files(self) -> tuple[Path, ...]:
        """Docker configuration files with credentials."""
        return tuple(Path(path) for path in self.oci.config_files)


def read(config: Mapping[str, Any], api_version: str) -> Settings:
    """The settings of a configuration file; SettingsError, which names the field, if they make no sense."""
    for field, wanted in (("apiVersion", api_version), ("kind", KIND)):
        if config.get(field, wanted) != wanted:
            raise SettingsError(f"{field}: {config[field]}: the configuration of this deployer has {wanted} there")
    try:
        given = {
            name: value for name, value in config.items() if value is not None and name not in ("apiVersion", "kind")
        }
        found = msgspec.convert(given, Settings)
    except msgspec.ValidationError as fault:
        raise SettingsError(str(fault).replace("`$.", "`").replace("`$[", "`[")) from None
    _check(found)
    return found


def size(given: str | int) -> int | None:
    """The bytes of a number such as ``512Mi``; None if nothing is said."""
    if given in ("", 0):
        return None
    match = _SIZE.fullmatch(str(given))
    if match is None:
        raise ValueError(f"{given} is no number of bytes; write one such as 512Mi")
    return int(match[1]) * _UNITS[match[2]]


def processors(given: str | float) -> float | None:
    """The number of processors that a quantity such as ``500m`` says; None if nothing is said."""
    if given in ("", 0):
        return None
    number = quantities.parse(given)
    if number <= 0:
        raise ValueError(f"{given}: a container needs some of a processor")
    return number


def _not_negative(duration: str) -> None:
    if durations.parse(duration).timedelta < timedelta():
        raise ValueError(f"{duration}: no time can be less than none")


def _check(settings: Settings) -> None:
    """What a type alone cannot say."""
    limits, defaults = settings.process.limits, settings.default_image
    checks: dict[str, Callable[[], object]] = {
        "grace": lambda: _not_negative(settings.grace),
        "imagePatience": lambda: _not_negative(settings.image_patience),
        "host.lostAfter": lambda: _not_negative(settings.host.lost_after),
        "logSize": lambda: size(settings.log_size),
        "engine.memory": lambda: size(settings.engine.memory),
        "engine.cpus": lambda: processors(settings.engine.cpus),
        "process.limits.memory": lambda: size(limits.memory),
        "process.limits.fileSize": lambda: size(limits.file_size),
        "initContainer": lambda: settings.init_container.settings,
        "waitContainer": lambda: settings.wait_container.settings,
        "defaultImage": lambda: defaults.settings,
        "targetSelector": lambda: selectors.parse(settings.target_selector),
    }
    for field, check in checks.items():
        try:
            check()
        except (ValueError, LandformError) as fault:
            raise SettingsError(f"{field}: {fault}") from fault
    if settings.log_limit > _LARGEST_LOG:
        raise SettingsError(f"logSize: {settings.log_size}: at most {_LARGEST_LOG} bytes can be kept in a Secret")
    for field, number in (
        ("process.slots", settings.process.slots),
        ("garbageCollection.requeueTimeSeconds", settings.garbage_collection.requeue_time_seconds),
    ):
        if number < 1:
            raise SettingsError(f"{field}: {number}: at least 1 is needed")
