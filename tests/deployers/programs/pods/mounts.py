"""What a kubelet gives to the containers of a pod, by hand: mounted Secrets, an account, and the files they share."""

from __future__ import annotations

import base64
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tests.deployers.programs.pods.nodes import NAMESPACE, SETTINGS

from landform.cluster.interface import WriteOptions
from landform.cluster.resources import SECRETS, SERVICE_ACCOUNTS
from landform.deployers.programs.pods import handover, init, names
from landform.deployers.programs.pods.apiserver import ApiServer
from landform.deployers.programs.pods.podspecs import PODS
from landform.deployers.programs.pods.sandbox import PodSandbox
from landform.deployers.programs.pods.wait import Task
from landform.deployers.programs.states.slots import Slots
from landform.kit.surroundings import Surroundings
from landform.testing import homes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from landform.cluster.http import HttpCluster
    from landform.cluster.resources import Unstructured
    from landform.deployers.programs.contract.identities import RunId


@dataclass
class Pod:
    """A run whose init and wait containers are real, on a node that is not."""

    home: HttpCluster
    sandbox: PodSandbox
    run: RunId
    folder: Path

    @property
    def shared(self) -> Path:
        """What the program sees."""
        return self.folder / "shared"

    async def stage(self) -> None:
        """Mount what the pod says into its init container, and do what that does."""
        source = self.folder / "inputs"
        for each in (self.shared, source):
            each.mkdir(parents=True)
        [volume] = [each for each in (await self.pod())["spec"]["volumes"] if each["name"] == "inputs"]
        for projected in volume["projected"]["sources"]:
            await self._mount(projected["secret"], source)
        init.stage(source, self.shared)

    async def _mount(self, said: dict[str, Any], folder: Path) -> None:
        secret = await self.home.get(SECRETS, said["name"], namespace=NAMESPACE)
        data = {key: base64.b64decode(value) for key, value in secret["data"].items()}
        for key, value in data.items():
            [path] = [each["path"] for each in said.get("items", []) if each["key"] == key] or [key]
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_bytes(value)

    async def pod(self) -> Unstructured:
        """As it is stored."""
        return await self.home.get(PODS, names.pod_name(self.run), namespace=NAMESPACE)

    async def task(self) -> Task:
        """What the wait container is told."""
        [container] = [each for each in (await self.pod())["spec"]["initContainers"] if each["name"] == handover.WAIT]
        env = {each["name"]: each.get("value", "") for each in container["env"]}
        slots = Slots.from_json(json.loads(env[handover.SLOTS]))
        return Task(names.pod_name(self.run), env[handover.RESULT_NAME], slots, self.shared, self.folder)

    async def server(self) -> ApiServer:
        """The API server as the wait container reaches it: with the account of the item."""
        review = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        answer = await self.home.create(
            SERVICE_ACCOUNTS,
            review,
            namespace=NAMESPACE,
            name=names.account_name(self.run.item),
            options=WriteOptions(subresource="token"),
        )
        account = self.folder / "account"
        account.mkdir(exist_ok=True)
        (account / "token").write_text(answer["status"]["token"])
        (account / "ca.crt").write_bytes(self.home.connection.ca or b"")
        address = urlsplit(self.home.connection.server)
        assert address.hostname is not None
        assert address.port is not None
        return ApiServer(address.hostname, address.port, NAMESPACE, account)

    async def say(self, status: dict[str, Any]) -> None:
        """Write what the kubelet would say of the pod."""
        options = WriteOptions(subresource="status")
        await self.home.patch(PODS, names.pod_name(self.run), {"status": status}, namespace=NAMESPACE, options=options)


@asynccontextmanager
async def served() -> AsyncIterator[tuple[HttpCluster, PodSandbox]]:
    """A home behind HTTPS, with access control, and a sandbox on it."""
    async with homes.over_https() as home:
        sandbox = PodSandbox(home, NAMESPACE, "gardener", SETTINGS, Surroundings())
        try:
            yield home, sandbox
        finally:
            await sandbox.close()
