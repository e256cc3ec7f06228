"""How pods are made."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta


@dataclass(frozen=True)
class ContainerSettings:
    """One of the containers of a pod."""

    image: str = ""
    command: tuple[str, ...] = ()
    """Instead of what the container runs by itself."""

    args: tuple[str, ...] = ()
    image_pull_policy: str = "IfNotPresent"


INIT_COMMAND = ("python", "-m", "landform.deployers.programs.pods.init")
WAIT_COMMAND = ("python", "-m", "landform.deployers.programs.pods.wait")


@dataclass(frozen=True)
class PodSettings:
    """How the pods of a deployer are made, and how patient it is with them."""

    init: ContainerSettings = field(default_factory=ContainerSettings)
    """The container that stages; `INIT_COMMAND` unless it says a command."""

    wait: ContainerSettings = field(default_factory=ContainerSettings)
    """The container that collects; `WAIT_COMMAND` unless it says a command."""

    default: ContainerSettings = field(default_factory=ContainerSettings)
    """What is run where the item does not say."""

    keep_pod: bool = False
    """Whether ended pods stay, for people to look at; they are removed with their item."""

    grace: timedelta = timedelta(seconds=30)
    """Between TERM and KILL; where somebody else deletes the pod, the time for saving is added."""

    saving: timedelta = timedelta(minutes=10)
    """How long the sidecar may take to keep what a program left that has ended by itself: as long as a deployer that
    gives it room, or an API server, may be away."""

    image_patience: timedelta = timedelta(seconds=60)
    """How long the kubelet may fail to pull an image, or to make a container, before the run is given up."""

    lost_after: timedelta = timedelta(minutes=5)
    """How long a node may give no sign of a pod that should be gone before the run counts as lost."""
