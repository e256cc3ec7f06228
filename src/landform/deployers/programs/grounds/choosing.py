"""Where a program runs: a choice from what is configured and what is there; pure."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from landform.api.errors import ErrorCode, OperationFailed
from landform.deployers.programs.contract.sandboxes import SandboxName

if TYPE_CHECKING:
    from landform.deployers.programs.orders.specifications import Specification


class Wish(enum.StrEnum):
    """What the configuration of a deployer says about the place."""

    AUTO = "auto"
    KUBERNETES = "kubernetes"
    ENGINE = "engine"
    PROCESS = "process"


@dataclass(frozen=True)
class Available:
    """What is there."""

    host: bool = False
    """Whether there is a host cluster: one is configured, or the deployer runs in a pod."""

    engine: str = ""
    """The socket of a container engine; empty: there is none."""


NOTHING = (
    "it needs a place to run its image, and there is none: install podman (or docker) and start its API socket"
    " (`systemctl --user start podman.socket`), name another socket in CONTAINER_HOST or in `engine.socket` of the"
    " deployer's configuration, or give the deployer a host cluster in `host.kubeconfig`"
)


def choose(wish: Wish, available: Available, wanted: Specification) -> SandboxName:
    """The place for a program; OperationFailed, for good, if there is none."""
    if wish is Wish.PROCESS or (wish is Wish.AUTO and wanted.is_script and wanted.program.image is None):
        if not wanted.is_script:
            raise _none("its image cannot be run as a local process; set `sandbox` of the deployer to another place")
        return SandboxName.PROCESS
    if wish is Wish.KUBERNETES and not available.host:
        raise _none("`sandbox: kubernetes` needs a host cluster: name one in `host.kubeconfig`, or run in a pod")
    if wish is Wish.ENGINE and not available.engine:
        raise _none(
            "`sandbox: engine` needs the API socket of podman or docker, and none was found: install podman and start"
            " it (`systemctl --user start podman.socket`), or name the socket in `engine.socket`"
        )
    if wish is not Wish.ENGINE and available.host:
        return SandboxName.KUBERNETES
    if available.engine:
        return SandboxName.ENGINE
    raise _none(NOTHING)


def _none(message: str) -> OperationFailed:
    return OperationFailed(
        "ChooseSandbox", "NoSandbox", f"the program cannot be run: {message}", codes=(ErrorCode.CONFIGURATION_PROBLEM,)
    )
