"""As whom a container runs, so that its program can write its files and the deployer can remove them; pure.

The contract says user 1000, group 3000. That is so wherever the engine can give such a user the files of this one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from landform.deployers.programs.contract.contract import FILES_GROUP, GROUP, USER

_CONTRACT: Final = f"{USER}:{GROUP}"


@dataclass(frozen=True)
class Engine:
    """What is known of an engine."""

    is_podman: bool
    is_rootless: bool
    """Whether it runs as an ordinary user, whom the root of its containers is."""

    version: str = ""


@dataclass(frozen=True)
class Who:
    """As whom a container runs."""

    user: str
    groups: tuple[str, ...] = (str(FILES_GROUP),)
    user_namespace: str = ""
    """How users of the container become users of the machine; empty: as the engine does by itself."""


def who(engine: Engine, uid: int, gid: int) -> Who:
    """As whom containers run if the deployer, to whom the files belong, is this user; root gives them away."""
    if engine.is_rootless and engine.is_podman:
        return Who(_CONTRACT, user_namespace=f"keep-id:uid={USER},gid={GROUP}")
    if engine.is_rootless:
        return Who("0:0", groups=())  # that is the deployer's own user, and docker can give no other one its files
    if uid in (0, USER):
        return Who(_CONTRACT)
    return Who(f"{uid}:{gid}")  # any other could not write, and would leave what this user cannot remove
