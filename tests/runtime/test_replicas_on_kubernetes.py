"""Replicas as real processes on a real control plane, under SIGSTOP, SIGCONT and kill -9. Time is real here."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.cluster.controlplane import fixtures
from tests.cluster.controlplane.plane import ControlPlane

from landform.cluster import kubeconfig
from landform.cluster.http import HttpCluster
from landform.cluster.resources import CONFIG_MAPS, LEASES

if TYPE_CHECKING:
    from landform.cluster.interface import Cluster

ROOT = Path(__file__).parents[2]
NAMES = [f"c{number}" for number in range(20)]
TAKE_OVER_SECONDS = 10.0

pytestmark = [
    *fixtures.MARKS,
    pytest.mark.skipif(not fixtures.wanted(), reason="needs a real control plane: LANDFORM_CLUSTER_TESTS=1"),
]


class Driver:
    """Wants values, and sees who provides them."""

    def __init__(self, cluster: Cluster, config: Path, stack: ExitStack) -> None:
        self._cluster = cluster
        self._config = config
        self._stack = stack

    def start(self, holder: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "tests.runtime.replica_process", str(self._config), holder]
        process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process

    async def want(self, value: str) -> None:
        for name in NAMES:
            await self._cluster.patch(CONFIG_MAPS, name, {"data": {"wanted": value}}, namespace="default")

    async def objects(self) -> list[dict[str, Any]]:
        found = (await self._cluster.list(CONFIG_MAPS, namespace="default")).items
        return [obj for obj in found if obj["metadata"]["name"] in NAMES]

    async def writers(self, value: str) -> set[str]:
        """Who wrote the value everywhere; TimeoutError if it takes longer than a take-over may."""
        async with asyncio.timeout(TAKE_OVER_SECONDS):
            while True:
                data = [obj["data"] for obj in await self.objects()]
                if all(one.get("have") == value for one in data):
                    return {one["by"] for one in data}
                await asyncio.sleep(0.1)

    async def versions(self) -> list[str]:
        return [obj["metadata"]["resourceVersion"] for obj in await self.objects()]


async def test_work_goes_on_and_a_late_replica_changes_nothing() -> None:
    with ControlPlane(audit=True) as plane, ExitStack() as stack:
        async with HttpCluster(kubeconfig.load(plane.kubeconfig)) as cluster:
            for name in NAMES:
                await cluster.create(CONFIG_MAPS, {"metadata": {"name": name}, "data": {}}, namespace="default")
            driver = Driver(cluster, plane.kubeconfig, stack)
            first, second = driver.start("first"), driver.start("second")
            await driver.want("1")
            await driver.writers("1")
            await asyncio.sleep(4)
            await driver.want("2")
            assert await driver.writers("2") == {"first", "second"}

            first.send_signal(signal.SIGSTOP)
            await driver.want("3")
            await driver.writers("3")
            await driver.want("4")
            assert await driver.writers("4") == {"second"}
            before = await driver.versions()
            first.send_signal(signal.SIGCONT)
            await asyncio.sleep(5)
            assert await driver.versions() == before
            await driver.want("5")
            assert await driver.writers("5") == {"first", "second"}

            second.kill()
            await driver.want("6")
            await driver.writers("6")
            first.terminate()
            assert await asyncio.to_thread(first.wait, 10) == 0
            assert list((await cluster.list(LEASES, namespace="default")).items) == []
        assert_each_value_was_written_once(plane.audit_log)


def assert_each_value_was_written_once(log: Path) -> None:
    """Six values were wanted of each object: six writes by the driver, six by replicas, and no other that was taken."""
    requests = [json.loads(line) for line in log.read_text().splitlines()]
    for name in NAMES:
        taken = [
            request
            for request in requests
            if request["verb"] == "patch"
            and request["objectRef"].get("resource") == "configmaps"
            and request["objectRef"].get("name") == name
            and request["responseStatus"]["code"] == 200
        ]
        assert len(taken) == 12, f"{name} was written {len(taken)} times"
