"""Commands as people type them, run in this process: a process for each would cost half a second."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
from click.testing import CliRunner

from landform.cli import loops
from landform.cli.main import main
from landform.cluster.interface import WriteOptions
from landform.cluster.kinds import DATA_OBJECTS, DEPLOY_ITEMS, EXECUTIONS, INSTALLATIONS
from landform.cluster.resources import CONFIG_MAPS, EVENTS, NAMESPACES

if TYPE_CHECKING:
    from tests.cli.processes import Up

    from landform.cluster import Cluster

# libuv opens a pipe for signals when it is first used and keeps it; no single test is to blame for that.
loops.run(asyncio.sleep(0))

BLUEPRINT = {"blueprint.yaml": "apiVersion: landscaper.gardener.cloud/v1alpha1\nkind: Blueprint\n"}
_RESOURCES: dict[str, Any] = {
    each.kind: each for each in (INSTALLATIONS, EXECUTIONS, DEPLOY_ITEMS, DATA_OBJECTS, CONFIG_MAPS)
}


@dataclass(frozen=True)
class Said:
    """How a command ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Terminal:
    """A person at the home, in a namespace of their own."""

    home: Up
    namespace: str

    def type(self, command: str, *arguments: str, stdin: str = "") -> Said:
        """What a command says and how it ends."""
        words = [command, "--data", str(self.home.folder), "-n", self.namespace, *arguments]
        result = CliRunner().invoke(main, words, input=stdin, prog_name="landform")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Said(result.exit_code, result.stdout, result.stderr)

    def read(self, command: str, *arguments: str, stdin: str = "") -> list[str]:
        """The lines of a command that succeeds and complains about nothing, without what is at their ends."""
        said = self.type(command, *arguments, stdin=stdin)
        assert (said.code, said.err) == (0, ""), said
        return [line.rstrip() for line in said.out.splitlines()]

    def refused(self, command: str, *arguments: str, stdin: str = "") -> str:
        """The sentence that a command fails with."""
        said = self.type(command, *arguments, stdin=stdin)
        assert (said.code, said.out) == (1, ""), said
        return said.err.removeprefix("Error: ").strip()

    def store(self, *objects: Any) -> None:
        """Have objects in the namespace, with the status that they have."""
        asyncio.run(self._store(objects))

    async def _store(self, objects: tuple[Any, ...]) -> None:
        async with self.home.cluster() as cluster:
            for obj in objects:
                await self._create(cluster, obj)

    async def _create(self, cluster: Cluster, obj: Any) -> None:
        plain = msgspec.json.decode(msgspec.json.encode(obj))
        resource = _RESOURCES[plain["kind"]].untyped()
        plain["metadata"]["namespace"] = self.namespace
        plain["metadata"].pop("uid", None)
        status = plain.pop("status", None)
        await cluster.create(resource, plain, namespace=self.namespace)
        if status:
            name, options = plain["metadata"]["name"], WriteOptions(subresource="status")
            await cluster.patch(resource, name, {"status": status}, namespace=self.namespace, options=options)

    def tell(self, kind: str, name: str, message: str, count: int = 1) -> None:
        """Have an Event about an object."""
        about = self.get(kind, name)
        subject = {
            "apiVersion": about["apiVersion"],
            "kind": kind,
            "name": name,
            "namespace": self.namespace,
            "uid": about["metadata"]["uid"],
        }
        event = {
            "metadata": {"name": f"{name}.1"},
            "involvedObject": subject,
            "type": "Normal",
            "reason": "Told",
            "message": message,
            "count": count,
            "lastTimestamp": "2030-01-01T00:00:00Z",
        }

        async def create() -> None:
            async with self.home.cluster() as cluster:
                await cluster.create(EVENTS, event, namespace=self.namespace)

        asyncio.run(create())

    def get(self, kind: str, name: str) -> Any:
        """An object as it is stored."""

        async def read() -> Any:
            async with self.home.cluster() as cluster:
                return await cluster.get(_RESOURCES[kind].untyped(), name, namespace=self.namespace)

        return asyncio.run(read())


def terminal(home: Up, namespace: str) -> Terminal:
    """A person in a new namespace."""

    async def create() -> None:
        async with home.cluster() as cluster:
            await cluster.create(NAMESPACES, {"metadata": {"name": namespace}})

    asyncio.run(create())
    return Terminal(home, namespace)
