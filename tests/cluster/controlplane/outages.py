"""An API server that goes away and comes back where it was, with everything that it knew."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cluster.controlplane.parts import Part
    from tests.cluster.controlplane.plane import ControlPlane

_NAME = "kube-apiserver"


class ApiServer:
    """The API server of a control plane; etcd and the controller manager stay."""

    def __init__(self, plane: ControlPlane) -> None:
        self._plane = plane

    def stop(self) -> None:
        """Kill it, as a machine that dies would."""
        process = self._part.process
        process.kill()
        process.wait()

    async def start(self) -> None:
        """Start it on the same port, and return when it answers."""
        arguments = self._part.process.args
        assert isinstance(arguments, list)
        self._plane._parts.remove(self._part)
        part = self._plane._launch(_NAME, *map(str, arguments[1:]))
        await asyncio.to_thread(part.wait_until, lambda: self._plane._answers(f"{self._plane.url}/readyz"))

    @property
    def _part(self) -> Part:
        return next(part for part in self._plane._parts if part.name == _NAME)
