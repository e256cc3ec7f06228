"""The pod of a run; pure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from landform.cluster.resources import untyped
from landform.deployers.programs.contract import contract, labels
from landform.deployers.programs.contract.contract import SHARED, Layout
from landform.deployers.programs.pods import handover, names
from landform.deployers.programs.pods.handover import INIT, MAIN, WAIT
from landform.deployers.programs.pods.settings import INIT_COMMAND, WAIT_COMMAND

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from landform.deployers.programs.contract.sandboxes import Order, Program
    from landform.deployers.programs.pods.settings import ContainerSettings, PodSettings
    from landform.deployers.programs.states.slots import Slots

PODS: Final = untyped("v1", "Pod", "pods")

_ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount"
_TOKEN_SECONDS = 3600
"""How long a token is valid; the kubelet replaces it in time."""

_LAYOUT = Layout(SHARED)


@dataclass(frozen=True)
class Piece:
    """One key of a Secret, in the order of what it is a piece of."""

    secret: str
    key: str


@dataclass(frozen=True)
class Parts:
    """The objects that were made for the pod before it."""

    inputs: Sequence[str]
    """The Secrets with its inputs."""

    state: Sequence[Piece]
    """The item's last state."""

    slots: Slots
    """The Secrets that it may write its new state to."""

    pull_secret: str | None = None


def pod(order: Order, parts: Parts, settings: PodSettings, identity: str) -> dict[str, Any]:
    """The pod that runs an order."""
    run, wishes = order.run, order.program.settings
    metadata = names.run_metadata(run, names.pod_name(run), identity)
    metadata["labels"] |= {labels.ITEM_GENERATION: str(order.generation)}
    spec = {
        "restartPolicy": "Never",
        "serviceAccountName": names.account_name(run.item),
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": int((settings.grace + settings.saving).total_seconds()),
        "securityContext": {
            "runAsUser": contract.USER,
            "runAsGroup": contract.GROUP,
            "fsGroup": contract.FILES_GROUP,
            "runAsNonRoot": True,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "initContainers": [_init(settings.init), _wait(order, parts, settings.wait)],
        "containers": [_main(order, settings.default)],
        "volumes": [_empty_volume("shared"), _empty_volume("scratch"), _inputs_volume(parts), _account_volume()],
        **{name: wishes[name] for name in ("nodeSelector", "tolerations") if wishes.get(name)},
    }
    if parts.pull_secret:
        spec["imagePullSecrets"] = [{"name": parts.pull_secret}]
    return {"metadata": {**metadata, "finalizers": [names.FINALIZER]}, "spec": spec}


def _init(settings: ContainerSettings) -> dict[str, Any]:
    mounts = [{"name": "inputs", "mountPath": handover.INPUTS, "readOnly": True}]
    return _own_container(INIT, settings, INIT_COMMAND, {}, mounts)


def _wait(order: Order, parts: Parts, settings: ContainerSettings) -> dict[str, Any]:
    """A sidecar in the sense of Kubernetes: it is told to end only after main has ended, however that came about."""
    env = {
        handover.RESULT_NAME: names.result_name(order.run),
        handover.SLOTS: json.dumps(parts.slots.to_json()),
        "DEPLOY_ITEM_NAME": order.run.item.name,
        "DEPLOY_ITEM_NAMESPACE": order.run.item.namespace,
    }
    mounts: list[dict[str, Any]] = [
        {"name": "account", "mountPath": _ACCOUNT_FOLDER, "readOnly": True},
        {"name": "scratch", "mountPath": handover.SCRATCH},
    ]
    return {**_own_container(WAIT, settings, WAIT_COMMAND, env, mounts), "restartPolicy": "Always"}


def _own_container(
    name: str,
    settings: ContainerSettings,
    command: tuple[str, ...],
    env: Mapping[str, str],
    mounts: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    return {
        **_container(name, settings.image, settings.image_pull_policy),
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "command": [*(settings.command or command)],
        "args": [*settings.args],
        "env": _variables(env),
        "volumeMounts": [_shared_mount(), *mounts],
        "securityContext": _confined(read_only=True),
    }


def _main(order: Order, default: ContainerSettings) -> dict[str, Any]:
    program = order.program
    # What it prints may hold secrets, and is kept elsewhere: it is not taken for its last words.
    container = {
        **_container(MAIN, program.image or default.image, default.image_pull_policy),
        "env": _variables({**program.env, **contract.environment(_LAYOUT, order.run.operation)}),
        "volumeMounts": [_shared_mount()],
        "securityContext": _confined(read_only=bool(program.settings.get("readOnlyRoot"))),
        **_command(program, default),
    }
    if resources := program.settings.get("resources"):
        container["resources"] = resources
    return container


def _command(program: Program, default: ContainerSettings) -> dict[str, Any]:
    """What is run, where it is not what the image says. The default command belongs to the default image."""
    command, args = program.command, program.args
    if program.image is None:
        command, args = command or default.command, args or default.args
    if program.is_script:
        return {"command": [*command, str(_LAYOUT.script)], "args": [*args]}
    return {name: [*value] for name, value in (("command", command), ("args", args)) if value}


def _container(name: str, image: str, pull_policy: str) -> dict[str, Any]:
    return {"name": name, "image": image, "imagePullPolicy": pull_policy}


def _confined(*, read_only: bool) -> dict[str, Any]:
    """As the pod security level *restricted* wants it."""
    return {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        **({"readOnlyRootFilesystem": True} if read_only else {}),
    }


def _variables(values: Mapping[str, str]) -> list[dict[str, Any]]:
    fields = {"POD_NAME": "metadata.name", "POD_NAMESPACE": "metadata.namespace"}
    said = [{"name": name, "value": value} for name, value in values.items() if name not in fields]
    return [*said, *({"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}} for name, path in fields.items())]


def _shared_mount() -> dict[str, Any]:
    return {"name": "shared", "mountPath": str(SHARED)}


def _empty_volume(name: str) -> dict[str, Any]:
    return {"name": name, "emptyDir": {}}


def _inputs_volume(parts: Parts) -> dict[str, Any]:
    """One folder of the inputs' pieces, and below it one of the state's, in their order."""
    state = [
        {"secret": {"name": piece.secret, "items": [{"key": piece.key, "path": handover.state_piece(number)}]}}
        for number, piece in enumerate(parts.state)
    ]
    sources = [*({"secret": {"name": name}} for name in parts.inputs), *state]
    return {"name": "inputs", "projected": {"sources": sources, "defaultMode": 0o440}}


def _account_volume() -> dict[str, Any]:
    """What `automountServiceAccountToken` would give to every container, for one of them alone."""
    namespace = {"path": "namespace", "fieldRef": {"fieldPath": "metadata.namespace"}}
    return {
        "name": "account",
        "projected": {
            "sources": [
                {"serviceAccountToken": {"path": "token", "expirationSeconds": _TOKEN_SECONDS}},
                {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
                {"downwardAPI": {"items": [namespace]}},
            ],
            "defaultMode": 0o440,
        },
    }
