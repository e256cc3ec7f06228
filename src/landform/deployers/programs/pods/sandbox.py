"""The sandbox of pods: each run is a pod of a host cluster."""

from __future__ import annotations

import base64
import math
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Any

from landform.api.errors import ErrorCode, OperationFailed
from landform.cluster.errors import BadRequest, Conflict, Invalid, NotFound
from landform.cluster.resources import PROGRAM_RUN, SECRETS, SERVICE_ACCOUNTS
from landform.deployers.programs.contract import labels
from landform.deployers.programs.contract.sandboxes import SandboxName
from landform.deployers.programs.pods import inputs, judging, names, permissions, podspecs, results
from landform.deployers.programs.pods.following import Following
from landform.deployers.programs.pods.judging import Observation, Over
from landform.deployers.programs.pods.objects import HostObjects, together
from landform.deployers.programs.pods.output import LogDoor
from landform.deployers.programs.pods.permissions import ROLE_BINDINGS, ROLES
from landform.deployers.programs.pods.podspecs import PODS, Parts, Piece
from landform.deployers.programs.pods.views import HostView
from landform.deployers.programs.states import statechunks
from landform.deployers.programs.states.states import StateStore

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence
    from datetime import timedelta

    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Unstructured
    from landform.deployers.programs.contract.identities import ItemId, RunId
    from landform.deployers.programs.contract.outcomes import Result
    from landform.deployers.programs.contract.sandboxes import Order, Progress, Report
    from landform.deployers.programs.pods.settings import PodSettings
    from landform.deployers.programs.states.slots import Slots
    from landform.kit.surroundings import Surroundings


class PodSandbox:
    """Implements `landform.deployers.programs.contract.sandboxes.Sandbox` with pods of a host cluster.

    The host is the caller's: `close` ends the watches on it, not its connections. Everything that is known of a run is
    on the host, so another process, or this one after it was killed, goes on where it was left.
    """

    name = SandboxName.KUBERNETES

    def __init__(
        self, host: Cluster, namespace: str, identity: str, settings: PodSettings, surroundings: Surroundings
    ) -> None:
        self._host = host
        self._namespace = namespace
        self._identity = identity
        self._settings = settings
        self._surroundings = surroundings
        self._objects = HostObjects(host, namespace)
        self.view = HostView(host, namespace, identity, surroundings)
        """What is seen of all runs."""

    async def begin(self, order: Order) -> None:
        await self.view.ready()
        run = order.run
        if self.view.pod(run) is not None:
            return
        # These two are what items and runs are found by, so nothing else is made before them.
        account = permissions.service_account(run.item, self._identity)
        secret = self._secret(run, names.result_name(run), names.RESULT, {})
        _, result = await together(
            partial(self._objects.ensure, SERVICE_ACCOUNTS, account), partial(self._objects.ensure, SECRETS, secret)
        )
        self.view.results.observe_write(result)
        if results.has_begun(result):
            return
        pod = await self._create_pod(order, await self._prepare(order))
        self.view.pods.observe_write(pod)
        # From now on a missing pod means a lost one, not one that was never made.
        await self._change_result(run, results.begun(pod["metadata"]["uid"]))

    async def has(self, run: RunId) -> bool:
        await self.view.ready()
        pod, result = await self._find_pod(run), self.view.result(run)
        held = pod is not None and names.FINALIZER in (pod["metadata"].get("finalizers") or ())
        return held or (result is not None and results.has_begun(result))

    async def finished(self, run: RunId, report: Report) -> Result:
        await self.view.ready()
        troubled_since, last = None, None
        with self.view.bell(run) as bell:
            while True:
                bell.clear()
                if (result := await self._complete_result(run)) is not None:
                    return result
                await self._offer_slots(run)
                seen = Observation(await self._find_pod(run), self._surroundings.clock.now(), troubled_since)
                judgement = judging.judge(seen, self._settings)
                if isinstance(judgement, Over):
                    return await self._complete(run, judgement.result)
                last = _tell(report, last, judgement.progress)
                troubled_since = judging.waited(judgement, seen)
                await self.view.rung(bell, judging.seconds_until(judgement.until, seen.now))

    async def output(self, run: RunId) -> AsyncGenerator[bytes]:
        if not isinstance(self._host, LogDoor):
            raise OperationFailed("ReadOutput", "NoNodes", "the host cluster has no nodes, so nothing can run or print")
        following = Following(self._host, self._namespace, run, self.view, self._surroundings)
        async with aclosing(following.chunks()) as chunks:
            async for chunk in chunks:
                yield chunk

    async def stop(self, run: RunId, grace: timedelta) -> None:
        await self.view.ready()
        # The wait container has what the program leaves of this time, and two seconds in any case. A longer one that is
        # cut short later does not help: the kubelet lets its sidecars wait until the first is over.
        await self._objects.delete_pod(names.pod_name(run), max(math.ceil(grace.total_seconds()), 1))
        with self.view.bell(run) as bell:
            while True:
                bell.clear()
                pod = await self._find_pod(run)
                if pod is None or judging.is_over(pod):
                    return
                await self._offer_slots(run)
                await self.view.rung(bell)

    async def remove(self, run: RunId) -> None:
        await self.view.ready()
        pod = await self._find_pod(run)
        stays = pod is not None and not await self._remove_pod(pod, keep=self._settings.keep_pod)
        await together(partial(self._objects.delete_of_run, run), self._store(run.item).settle)
        await self._unseen(run, stays=stays)

    async def runs(self) -> Sequence[RunId]:
        await self.view.ready()
        pods = [pod for pod in self.view.pods.list() if names.KEPT not in pod["metadata"]["labels"]]
        found = map(names.run_of, [*pods, *self.view.results.list()])
        return [*dict.fromkeys(run for run in found if run is not None)]

    async def items(self) -> Sequence[ItemId]:
        accounts = await self._objects.listed(SERVICE_ACCOUNTS, names.mine(self._identity))
        found = map(labels.item_of, accounts)
        running = [run.item for run in await self.runs()]
        return [*dict.fromkeys([*(item for item in found if item is not None), *running])]

    async def forget(self, item: ItemId) -> None:
        await self.view.ready()
        stays = {}
        for pod in await self._objects.listed(PODS, f"{labels.ITEM_TOKEN}={item.token}"):
            stays[names.run_of(pod)] = not await self._remove_pod(pod)
        await self._store(item).remove()
        await self._objects.delete_of_item(item)
        for run in [run for run in await self.runs() if run.item == item]:
            await self._unseen(run, stays=stays.get(run, False))

    def state(self, item: ItemId) -> StateStore:
        return self._store(item)

    async def close(self) -> None:
        await self.view.close()

    async def _prepare(self, order: Order) -> Parts:
        """Make everything that the pod needs."""
        run, credentials = order.run, order.program.pull_credentials
        packed = {names.inputs_name(run, number): data for number, data in enumerate(inputs.pack(order.inputs))}
        secrets = [self._secret(run, name, names.CONFIGURATION, data) for name, data in packed.items()]
        if credentials is not None:
            secrets.append(self._pull_secret(run, credentials))
        [(state, slots), *_] = await together(
            partial(self._prepare_state, run),
            *(partial(self._objects.put, SECRETS, secret) for secret in secrets),
        )
        return Parts([*packed], state, slots, names.pull_name(run) if credentials is not None else None)

    async def _prepare_state(self, run: RunId) -> tuple[list[Piece], Slots]:
        """The pieces of the item's last state, and Secrets for the next one, with leave to write to them."""
        store = self._store(run.item)
        state = await store.current()
        pieces = [Piece(name, statechunks.KEY) for name in state.names] if state else []
        slots = await store.prepare(run.token, max(len(pieces), 1))
        # The Role comes first: nobody may bind one that cannot be looked at, for it might give more than he has.
        await self._objects.put(ROLES, permissions.role(run, self._identity, slots.names))
        await self._objects.ensure(ROLE_BINDINGS, permissions.role_binding(run, self._identity, self._namespace))
        return pieces, slots

    async def _offer_slots(self, run: RunId) -> None:
        """Make as many Secrets for the state as the wait container asks for, and let it write to them."""
        result = self.view.result(run)
        if result is None or results.wanted_slots(result) <= results.ready_slots(result):
            return
        wanted = results.wanted_slots(result)
        slots = await self._store(run.item).prepare(run.token, wanted)
        await self._objects.put(ROLES, permissions.role(run, self._identity, slots.names))
        await self._change_result(run, results.offering(wanted))

    def _store(self, item: ItemId) -> StateStore:
        return StateStore(self._host, self._namespace, item, identity=self._identity)

    def _secret(self, run: RunId, name: str, type: str, data: dict[str, str]) -> Unstructured:
        metadata = names.run_metadata(run, name, self._identity, type=type)
        return {"metadata": metadata, "type": PROGRAM_RUN, "data": data}

    def _pull_secret(self, run: RunId, credentials: bytes) -> Unstructured:
        data = {".dockerconfigjson": base64.b64encode(credentials).decode()}
        return {**self._secret(run, names.pull_name(run), names.PULL, data), "type": "kubernetes.io/dockerconfigjson"}

    async def _create_pod(self, order: Order, parts: Parts) -> Unstructured:
        pod = podspecs.pod(order, parts, self._settings, self._identity)
        try:
            return await self._objects.ensure(PODS, pod)
        except (Invalid, BadRequest) as refusal:
            message = f"the host cluster refuses the pod of {order.run.item}: {refusal}"
            codes = [ErrorCode.CONFIGURATION_PROBLEM]
            raise OperationFailed("CreatePod", "InvalidPod", message, codes=codes) from refusal

    async def _find_pod(self, run: RunId) -> Unstructured | None:
        """The pod as it was seen last; one that was never seen may have been made by somebody else just now."""
        return self.view.pod(run) or await self._objects.find(PODS, names.pod_name(run))

    async def _complete_result(self, run: RunId) -> Result | None:
        """The result, if it is there."""
        seen = self.view.result(run)
        if seen is None or not results.is_complete(seen):
            return None
        secret = await self._objects.find(SECRETS, names.result_name(run))
        return results.read(secret) if secret is not None and results.is_complete(secret) else None

    async def _complete(self, run: RunId, result: Result) -> Result:
        """Write down what became of a run, so that it is the same for ever; unless the wait container was faster."""
        while (secret := await self._objects.find(SECRETS, names.result_name(run))) is not None:
            if results.is_complete(secret):
                return results.read(secret)
            if (left := results.left(secret)) is not None:
                result = left.result(result.outcome)
            try:
                await self._change_result(run, results.completing(secret, result))
                return result
            except (Conflict, NotFound):
                continue
        return result

    async def _change_result(self, run: RunId, change: dict[str, Any]) -> None:
        self.view.results.observe_write(await self._objects.patch(SECRETS, names.result_name(run), change))

    async def _remove_pod(self, pod: Unstructured, *, keep: bool = False) -> bool:
        """Remove a pod, or mark it as kept; False if it stays, by wish or because its node has not agreed yet."""
        name = pod["metadata"]["name"]
        if not judging.has_main_ended(pod):
            pod = await self._objects.find(PODS, name) or pod
        has_ended = judging.has_main_ended(pod) or judging.is_over(pod)
        if keep and has_ended:
            await self._objects.let_go(name, keep=True)
            return False
        # Once the program has ended there is nothing to wait for. Otherwise it may run as long as its node is silent.
        await self._objects.delete_pod(name, 0 if has_ended else None)
        await self._objects.let_go(name)
        return has_ended

    async def _unseen(self, run: RunId, *, stays: bool) -> None:
        """Wait until the watches have told of what was removed, so that it is not found again; `stays`: but the pod."""
        with self.view.bell(run) as bell:
            while self.view.result(run) is not None or (not stays and self.view.pod(run) is not None):
                bell.clear()
                await self.view.rung(bell)


def _tell(report: Report, last: Progress | None, progress: Progress) -> Progress:
    if progress != last:
        report(progress)
    return progress
