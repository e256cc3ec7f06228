"""Execution: the deploy items of one Installation, in their order."""

from __future__ import annotations

import base64
import binascii
import gzip
import zlib
from typing import TYPE_CHECKING, Any

import msgspec

from landform.api import anyjson
from landform.api.conditions import Condition
from landform.api.errors import Error
from landform.api.phases import TransitionTimes
from landform.api.references import ObjectReference
from landform.api.sharing import share
from landform.api.structs import (
    Base64,
    Duration,
    EmbeddedResource,
    Int64,
    Kind,
    OrDefault,
    Part,
    Time,
    use_defaults,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_INFLATED = 32 * 1024 * 1024
"""Largest list of items that a compressed one may stand for, in bytes; the API takes objects of about 1.5 MB."""


class OnDelete(Part):
    """What is special about deleting an item."""

    skip_uninstall_if_cluster_removed: bool | None = None
    """Do not uninstall when the target cluster no longer exists; needs a TargetSync that knows the cluster."""


class DeployItemTemplate(Part):
    """One item of an Execution, to become a DeployItem."""

    name: str
    """Name, unique in the Execution."""

    type: str
    """Which deployer is responsible, such as ``landscaper.gardener.cloud/helm``."""

    target: ObjectReference | None = None
    """The Target to deploy to."""

    labels: dict[str, str] | None = None
    """Labels for the DeployItem."""

    config: EmbeddedResource
    """Configuration for the deployer, in its own format, with `apiVersion` and `kind`."""

    depends_on: tuple[str, ...] | None = None
    """Names of items that must be finished first."""

    timeout: Duration | None = None
    """How long the deployer may take, such as ``15m``; ``none`` means no limit. Default 10m."""

    update_on_change_only: bool | None = None
    """Deploy again only when the item's specification changed."""

    on_delete: OnDelete | None = None
    """What is special about deleting the item."""

    def __post_init__(self) -> None:
        anyjson.detach(self, "config")


class ExecutionSpec(Part):
    """The deploy items; read them with `items`, whichever form they have."""

    context: str | None = None
    """Name of the Context in the same namespace. Default ``default``."""

    deploy_items: tuple[DeployItemTemplate, ...] | None = None
    """The items, as a plain list."""

    deploy_items_compressed: Base64 | None = None
    """The items as a JSON list, gzipped; wins over `deployItems`. Controllers store this form."""


class DeployItemName(Part):
    """One deploy item by its two names."""

    spec_name: str | None = None
    """Name in the Execution."""

    object_name: str | None = None
    """Name of the DeployItem object."""


class DeployItemCache(Part):
    """The DeployItems of the current job."""

    active_dis: tuple[DeployItemName, ...] | None = msgspec.field(default=None, name="activeDIs")
    """Those that the Execution wants."""

    orphaned_dis: tuple[str, ...] | None = msgspec.field(default=None, name="orphanedDIs")
    """Object names of those that it no longer wants and that are being deleted."""


class ExecutionStatus(Part):
    """How far the Execution has come."""

    observed_generation: Int64 | None = None
    """Accepted for older objects; not written."""

    conditions: tuple[Condition, ...] | None = None
    """`Waiting`: what it stands still for. `Healthy`: whether all items are as the last job left them."""

    last_error: Error | None = None
    """What went wrong last; absent when nothing did."""

    export_ref: ObjectReference | None = None
    """The DataObject with the exports of all items."""

    deploy_item_cache: DeployItemCache | None = None
    """The DeployItems of the current job."""

    job_id: str | None = msgspec.field(default=None, name="jobID")
    """The current job, given by the Installation."""

    job_id_finished: str | None = msgspec.field(default=None, name="jobIDFinished")
    """The last finished job; work goes on while it differs from `jobID`."""

    phase: str | None = None
    """Where the Execution stands in its job."""

    phase_transition_time: Time | None = None
    """When the phase last changed."""

    transition_times: TransitionTimes | None = None
    """When the current job reached its stations."""

    def __post_init__(self) -> None:
        share(self, "phase", "job_id", "job_id_finished")


NO_STATUS = ExecutionStatus()


class Execution(Kind):
    """The deploy items of one Installation: creates DeployItems, starts them in their order, collects exports."""

    spec: ExecutionSpec
    """The deploy items."""

    status: OrDefault[ExecutionStatus] = NO_STATUS
    """How far it has come."""

    def __post_init__(self) -> None:
        use_defaults(self, status=NO_STATUS)


class CompressionError(ValueError):
    """The compressed items are not gzipped JSON in base64, or stand for more than `MAX_INFLATED` bytes."""


_decode_items = msgspec.json.Decoder(tuple[DeployItemTemplate, ...]).decode


def items(spec: ExecutionSpec) -> tuple[DeployItemTemplate, ...]:
    """The items, inflated if they are compressed; CompressionError if they cannot be read."""
    if spec.deploy_items_compressed:
        try:
            return _decode_items(inflate(spec.deploy_items_compressed))
        except msgspec.DecodeError as exc:
            raise CompressionError(f"not a list of deploy items: {exc}") from exc
    return spec.deploy_items or ()


def compress(deploy_items: Sequence[DeployItemTemplate] | list[dict[str, Any]]) -> str:
    """The items in the form that `deployItemsCompressed` holds; equal items give equal text."""
    return base64.b64encode(gzip.compress(msgspec.json.encode(deploy_items), mtime=0)).decode()


def inflate(compressed: str) -> bytes:
    """The JSON list behind the content of `deployItemsCompressed`."""
    try:
        inflater = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        content = inflater.decompress(base64.b64decode(compressed, validate=True), MAX_INFLATED)
    except binascii.Error as exc:
        raise CompressionError(f"not base64: {exc}") from exc
    except (zlib.error, ValueError) as exc:
        raise CompressionError(f"not gzip: {exc}") from exc
    if inflater.unconsumed_tail:
        raise CompressionError(f"more than {MAX_INFLATED} bytes when inflated")
    if not inflater.eof:
        raise CompressionError("not gzip: the end is missing")
    return content
