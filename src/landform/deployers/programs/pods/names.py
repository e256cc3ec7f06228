"""The names, labels and annotations of everything that a run leaves on the host cluster; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from landform.deployers.programs.contract import labels
from landform.deployers.programs.contract.contract import Operation
from landform.deployers.programs.contract.identities import RunId
from landform.deployers.programs.contract.labels import GROUP, ITEM_TOKEN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.deployers.programs.contract.identities import ItemId

FINALIZER: Final = f"{GROUP}/finalizer"
"""Keeps a pod that somebody deletes until its end is known."""

RUN: Final = f"{GROUP}/run"
"""Label: the token of the run."""

KEPT: Final = f"{GROUP}/kept"
"""Label of a pod that has ended and stays for people to look at: it is no run any more."""

JOB: Final = f"{GROUP}/job"
OPERATION: Final = f"{GROUP}/operation"

CONFIGURATION: Final = "configuration"
"""Type of the Secrets with inputs."""

PULL: Final = "registry-pull-secret"
"""Type of the Secret with which images are pulled."""

RESULT: Final = "result"
"""Type of the Secret that holds what became of a run."""


def pod_name(run: RunId) -> str:
    """The name of the pod of a run, and of its Role and RoleBinding."""
    return f"{labels.object_name(run.item).removesuffix(run.item.token)}{run.token}"


def result_name(run: RunId) -> str:
    """The name of the Secret that gets the result of a run."""
    return f"{pod_name(run)}-result"


def pull_name(run: RunId) -> str:
    """The name of the Secret with which the images of a run are pulled."""
    return f"{pod_name(run)}-pull"


def inputs_name(run: RunId, number: int) -> str:
    """The name of a Secret with inputs of a run."""
    return f"{pod_name(run)}-inputs-{number}"


def account_name(item: ItemId) -> str:
    """The name of the ServiceAccount of an item."""
    return labels.object_name(item)


def item_metadata(item: ItemId, name: str, identity: str, *, type: str = "") -> dict[str, Any]:
    """The metadata of an object of an item."""
    return {
        "name": name,
        "labels": labels.labels_of(item, identity=identity, type=type),
        "annotations": labels.annotations_of(item),
    }


def run_metadata(run: RunId, name: str, identity: str, *, type: str = "") -> dict[str, Any]:
    """The metadata of an object of a run."""
    metadata = item_metadata(run.item, name, identity, type=type)
    metadata["labels"] |= {RUN: run.token}
    metadata["annotations"] |= {JOB: run.job, OPERATION: str(run.operation)}
    return metadata


def run_of(obj: Mapping[str, Any]) -> RunId | None:
    """The run that an object belongs to; None if it does not say."""
    item, said = labels.item_of(obj), obj["metadata"].get("annotations") or {}
    if item is None or JOB not in said or said.get(OPERATION) not in list(Operation):
        return None
    return RunId(item, said[JOB], Operation(said[OPERATION]))


def mine(identity: str) -> str:
    """The selector of all objects that the deployer of this identity made."""
    return labels.selector({labels.DEPLOYER_ID: labels.value(identity)}, ITEM_TOKEN)
