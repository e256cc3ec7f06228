"""What a user does with kubectl in a namespace, and what he sees there."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from landform.api import jobs
from landform.api.names import Annotation
from landform.cluster.errors import NotFound
from landform.cluster.kinds import DATA_OBJECTS, DEPLOY_ITEMS, EXECUTIONS, INSTALLATIONS
from landform.kit import yamls

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.cluster.controlplane.plane import ControlPlane

    from landform.api.deployitems import DeployItem
    from landform.api.executions import Execution
    from landform.api.installations import Installation
    from landform.cluster import Unstructured
    from landform.cluster.http import HttpCluster

T = TypeVar("T")

EXAMPLES = Path(__file__).parents[3] / "examples"
PATIENCE_SECONDS = 30.0
LOOK_SECONDS = 0.05


@dataclass(frozen=True)
class User:
    """Somebody with a namespace of his own on a control plane."""

    plane: ControlPlane
    cluster: HttpCluster
    namespace: str

    async def kubectl(self, *arguments: str, given: str | None = None) -> str:
        """What kubectl prints; KubectlError if it says no."""
        return await asyncio.to_thread(self.plane.kubectl, f"--namespace={self.namespace}", *arguments, input=given)

    async def apply(self, *documents: Unstructured) -> None:
        """`kubectl apply` of all of them."""
        await self.kubectl("apply", "--filename=-", given="---\n".join(map(yamls.dump, documents)))

    async def annotate(self, what: str, **annotations: str) -> None:
        """Set annotations of our domain; in their names an underscore stands for a hyphen."""
        words = [f"landscaper.gardener.cloud/{key.replace('_', '-')}={value}" for key, value in annotations.items()]
        await self.kubectl("annotate", "--overwrite", what, *words)

    async def run(self, *names: str) -> list[Installation]:
        """Start a job of each Installation, and wait for its end."""
        before = {name: (await self.installation(name)).status.job_id for name in names}
        for name in names:
            await self.annotate(f"inst/{name}", operation="reconcile")
        return [await self.ended(name, before=before[name]) for name in names]

    async def ended(self, name: str, *, before: str | None = None) -> Installation:
        """The Installation once a job other than the one before is over, and no other is asked for."""

        async def look() -> Installation | None:
            found = await self.installation(name)
            asked = Annotation.OPERATION in (found.metadata.annotations or {})
            new = bool(found.status.job_id) and found.status.job_id != before
            return found if new and not asked and not jobs.is_busy(found.status) else None

        return await self.until(look, f"the job of {name} to end")

    async def waiting(self, name: str) -> str:
        """What an Installation says that it waits for, once it does."""

        async def look() -> str:
            return condition(await self.installation(name), "Waiting")

        return await self.until(look, f"{name} to say what it waits for")

    async def gone(self, name: str) -> None:
        """Wait until an Installation is gone."""

        async def look() -> bool:
            try:
                await self.installation(name)
            except NotFound:
                return True
            return False

        await self.until(look, f"{name} to go")

    async def installation(self, name: str) -> Installation:
        return await self.cluster.get(INSTALLATIONS, name, namespace=self.namespace)

    async def installations(self) -> list[Installation]:
        return list((await self.cluster.list(INSTALLATIONS, namespace=self.namespace)).items)

    async def executions(self) -> list[Execution]:
        return list((await self.cluster.list(EXECUTIONS, namespace=self.namespace)).items)

    async def items(self) -> list[DeployItem]:
        return list((await self.cluster.list(DEPLOY_ITEMS, namespace=self.namespace)).items)

    async def item(self, name: str) -> DeployItem:
        """The one DeployItem that a blueprint calls so."""
        label = "execution.landscaper.gardener.cloud/name"
        (found,) = [item for item in await self.items() if (item.metadata.labels or {})[label] == name]
        return found

    async def data(self, name: str) -> Any:
        """The value of a DataObject."""
        found = await self.cluster.get(DATA_OBJECTS, name, namespace=self.namespace)
        return json.loads(bytes(found.data))

    async def left(self) -> list[str]:
        """All that the namespace holds of ours, but for the Context and what the user brought along."""
        text = await self.kubectl("get", "inst,exec,di", "--output=name")
        return text.split()

    async def until(self, look: Callable[[], Awaitable[T | None]], what: str) -> T:
        """What `look` finds, once it finds something."""
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while True:
                    if found := await look():
                        return found
                    await asyncio.sleep(LOOK_SECONDS)
        except TimeoutError:
            state = await self.kubectl("get", "inst,exec,di", "--output=yaml")
            raise AssertionError(f"waited in vain for {what}:\n{state}") from None


def condition(obj: Installation | Execution | DeployItem, type_: str) -> str:
    """The message of a condition; empty if there is none."""
    return next((each.message for each in obj.status.conditions or () if each.type == type_), "")
