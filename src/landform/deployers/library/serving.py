"""A deployer as a process of its own, beside others that share its work."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from landform.cluster.informers import Caches
from landform.deployers.library.clusters import Clusters
from landform.deployers.library.controllers import deployer_controller
from landform.deployers.library.selectors import EVERYTHING
from landform.kit.surroundings import Surroundings
from landform.runtime.intents import Hands
from landform.runtime.manager import Entered, Manager
from landform.runtime.metrics import Metrics
from landform.runtime.recorders import Recorder
from landform.runtime.shards import Shards

if TYPE_CHECKING:
    from landform.cluster.connections import Connection
    from landform.cluster.interface import Cluster
    from landform.deployers.library.deployers import Deployer
    from landform.deployers.library.selectors import Selectors
    from landform.runtime.manager import Part


@dataclass(frozen=True)
class Settings:
    """How a deployer runs as a process."""

    identity: str
    """What this process is called, in its lease and in the items it works on."""

    lease_namespace: str = "default"
    """Where the leases are by which several processes share the work."""

    selectors: Selectors = EVERYTHING
    """Which targets it serves. Only processes with the same selectors share their work."""

    home_connection: Connection | None = None
    """How the cluster is reached that the items live in; for targets that name it without an address."""


def group_of(deployer: Deployer, selectors: Selectors) -> str:
    """The name under which processes share the work: the same for the same type and selectors."""
    text = f"{deployer.type}\0{selectors}"
    return f"deployer-{hashlib.blake2b(text.encode(), digest_size=6).hexdigest()}"


def manager(
    deployer: Deployer,
    cluster: Cluster,
    settings: Settings,
    *,
    announcement: Part | None = None,
    surroundings: Surroundings | None = None,
) -> Manager:
    """All that the process runs; `announcement` is started when everything else is ready."""
    surroundings = surroundings or Surroundings()
    caches = Caches(cluster, surroundings=surroundings)
    recorder = Recorder(cluster, deployer.name, surroundings=surroundings)
    clusters = Clusters(cluster, home_connection=settings.home_connection, surroundings=surroundings)
    shards = Shards(
        cluster,
        group_of(deployer, settings.selectors),
        namespace=settings.lease_namespace,
        holder=settings.identity,
        surroundings=surroundings,
    )
    controller = deployer_controller(
        deployer,
        caches,
        Hands(cluster, recorder, caches, shards, surroundings),
        Metrics(),
        clusters,
        selectors=settings.selectors,
        identity=settings.identity,
    )
    shards.join(controller)
    return Manager(
        [
            {"caches": Entered(caches), "recorder": recorder, "clusters": Entered(clusters)},
            {"shards": shards},
            {"deployer": controller},
            {} if announcement is None else {"announcement": announcement},
        ]
    )
