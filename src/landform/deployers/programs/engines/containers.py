"""What an engine is asked for: the container of a run, and its names; pure."""

from __future__ import annotations

import base64
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from landform.deployers.programs.contract import contract
from landform.deployers.programs.contract.contract import SHARED, Layout, Operation
from landform.deployers.programs.contract.identities import ItemId, RunId
from landform.deployers.programs.engines import quantities

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.deployers.programs.contract.sandboxes import Program
    from landform.deployers.programs.engines.settings import EngineSettings
    from landform.deployers.programs.engines.users import Who
    from landform.deployers.programs.local.places import Place

LAYOUT: Final = Layout(SHARED)
REALM: Final = "landform.realm"
"""Label: the folder of the deployer, so that two on one machine leave each other's containers alone."""

_RUN: Final = "landform.run"
"""Label: which run it is."""

_CPU: Final = 10**9


@dataclass(frozen=True)
class Making:
    """All that decides how a container is made, besides its program."""

    settings: EngineSettings
    who: Who
    realm: str


def name(run: RunId) -> str:
    """The name of a run's container."""
    return f"landform-{run.token}"


def qualified(image: str) -> str:
    """The image with its tag: without one, some engines pull all that there are."""
    last = image.rpartition("/")[2]
    return image if ":" in last or "@" in last else f"{image}:latest"


def body(place: Place, program: Program, making: Making) -> dict[str, Any]:
    """The container that runs a program, with its files below `SHARED` and nothing else of this machine."""
    command = list(program.command)
    if program.is_script:
        command.append(str(LAYOUT.script))
    env = {**program.env, **contract.environment(LAYOUT, place.run.operation)}
    said: dict[str, Any] = {
        "Image": qualified(program.image or ""),
        "Env": [f"{key}={value}" for key, value in env.items()],
        "User": making.who.user,
        "Labels": {REALM: making.realm, _RUN: _encode(place.run)},
        "HostConfig": _host(place, program.settings, making),
    }
    if command:
        said["Entrypoint"] = command
    if program.args:
        said["Cmd"] = list(program.args)
    return said


def run_of(labels: Mapping[str, str]) -> RunId | None:
    """The run that a container belongs to."""
    try:
        said = json.loads(labels[_RUN])
        return RunId(ItemId(said["namespace"], said["name"], said["uid"]), said["job"], Operation(said["operation"]))
    except (KeyError, ValueError):
        return None


def registry_auth(credentials: bytes | None) -> str | None:
    """The header that carries the credentials of a docker configuration with one entry."""
    auths = json.loads(credentials).get("auths", {}) if credentials else {}
    for host, entry in auths.items():
        said = {"username": entry.get("username"), "password": entry.get("password"), "serveraddress": host}
        return base64.urlsafe_b64encode(json.dumps(said).encode()).decode()
    return None


def _host(place: Place, wishes: Mapping[str, object], making: Making) -> dict[str, Any]:
    settings, who = making.settings, making.who
    said: dict[str, Any] = {
        "Binds": [f"{place.files}:{SHARED}:Z"],  # Z: for this container alone, where SELinux keeps them apart
        "GroupAdd": list(who.groups),
        "CapDrop": ["ALL"],
        "SecurityOpt": ["no-new-privileges"],
        "RestartPolicy": {"Name": "no"},
        "LogConfig": {"Type": "json-file", "Config": {"max-size": str(settings.output)}},
        **_limits(wishes, settings),
    }
    if who.user_namespace:
        said["UsernsMode"] = who.user_namespace
    if not settings.network or wishes.get("network") is False:
        said["NetworkMode"] = "none"
    if wishes.get("readOnlyRoot", settings.read_only_root):
        said |= {"ReadonlyRootfs": True, "Tmpfs": {"/tmp": "rw,mode=1777"}}
    return said


def _limits(wishes: Mapping[str, object], settings: EngineSettings) -> dict[str, Any]:
    """The lower of what the item and what the deployer says."""
    resources = wishes.get("resources")
    wished = resources.get("limits") or {} if isinstance(resources, dict) else {}
    said: dict[str, Any] = {}
    memory = _lower(settings.memory, wished.get("memory"))
    if memory is not None:
        said |= {"Memory": math.ceil(memory), "MemorySwap": math.ceil(memory)}
    cpus = _lower(settings.cpus, wished.get("cpu"))
    if cpus is not None:
        said["NanoCpus"] = math.ceil(cpus * _CPU)
    if settings.pids is not None:
        said["PidsLimit"] = settings.pids
    return said


def _lower(most: float | None, wished: object) -> float | None:
    known = [each for each in (most, None if wished is None else quantities.parse(wished)) if each is not None]
    return min(known, default=None)


def _encode(run: RunId) -> str:
    item = run.item
    said = {"namespace": item.namespace, "name": item.name, "uid": item.uid, "job": run.job, "operation": run.operation}
    return json.dumps(said)
