"""DeployItem: one piece of work for a deployer."""

from __future__ import annotations

import msgspec

from landform.api import anyjson
from landform.api.anyjson import ABSENT, AnyJSON
from landform.api.conditions import Condition
from landform.api.errors import Error
from landform.api.executions import OnDelete
from landform.api.names import ItemType
from landform.api.phases import TransitionTimes
from landform.api.references import LocalSecretReference, ObjectReference
from landform.api.sharing import share
from landform.api.structs import Duration, EmbeddedResource, Int64, Kind, OrDefault, Part, Time, use_defaults
from landform.kit import durations

SHORT_TYPES = {
    "container": ItemType.CONTAINER,
    "script": ItemType.SCRIPT,
    "helm": ItemType.HELM,
    "manifest": ItemType.MANIFEST,
    "mock": ItemType.MOCK,
}
"""Older, short names of types."""

DEFAULT_TIMEOUT = durations.parse("10m")
"""How long a deployer may take for an item that does not say."""

MAX_LAST_ERRORS = 5
"""How many errors `status.lastErrors` keeps."""


class DeployItemImport(Part):
    """Older form of input: values in a Secret."""

    secret_ref: LocalSecretReference | None = None
    """Secret of the namespace with the values, in YAML or JSON."""


class DeployItemSpec(Part):
    """The work to be done."""

    type: str
    """Which deployer is responsible, such as ``landscaper.gardener.cloud/helm``; cannot be changed.

    The older short names ``container``, ``script``, ``helm``, ``manifest`` and ``mock`` are accepted.
    """

    target: ObjectReference | None = None
    """The Target to deploy to; its namespace must be named too."""

    context: str | None = None
    """Name of the Context in the same namespace. Default ``default``."""

    config: EmbeddedResource = ABSENT
    """Configuration for the deployer, in its own format, with `apiVersion` and `kind`."""

    provider_config: AnyJSON = ABSENT
    """Older name of `config`; used only when `config` is absent, and need not have `apiVersion` and `kind`."""

    import_: DeployItemImport | None = msgspec.field(default=None, name="import")
    """Older form of input: values in a Secret, for container and script items."""

    timeout: Duration | None = None
    """How long the deployer may take, such as ``15m``; ``none`` means no limit. Default 10m."""

    update_on_change_only: bool | None = None
    """Deploy again only when this specification changed."""

    on_delete: OnDelete | None = None
    """What is special about deleting the item."""

    def __post_init__(self) -> None:
        anyjson.detach(self, "config", "provider_config")
        share(self, "type", "target", "context", "timeout")


class DeployerInformation(Part):
    """Who works on the item."""

    identity: str
    """Unique identity of the deployer instance."""

    name: str
    """Name of the deployer."""

    version: str
    """Version of the deployer."""


class DeployItemExports(Part):
    """Where the exported values are, as the first contract of deployers says it."""

    value: AnyJSON = ABSENT
    """The exported value itself; Landform keeps it in the Secret alone."""

    secret_ref: LocalSecretReference | None = None
    """Secret of the namespace that holds the exported values, and the key in it."""

    def __post_init__(self) -> None:
        anyjson.detach(self, "value")


class DeployItemStatus(Part):
    """How far the item has come."""

    phase: str | None = None
    """Where the item stands in its job."""

    observed_generation: Int64 = msgspec.field(default_factory=int)
    """The generation that the last run worked on."""

    conditions: tuple[Condition, ...] | None = None
    """Statements about the parts of the work."""

    last_error: Error | None = None
    """What went wrong last; absent when nothing did."""

    last_errors: tuple[Error, ...] | None = None
    """The last errors of the current job, at most five, newest last."""

    first_error: Error | None = None
    """The first error of the current job."""

    last_reconcile_time: Time | None = None
    """When a deployer last began to work on the item."""

    deployer: DeployerInformation | None = None
    """Who works on the item."""

    provider_status: EmbeddedResource = ABSENT
    """What the deployer remembers, in its own format, with `apiVersion` and `kind`."""

    export_ref: ObjectReference | None = None
    """The Secret with the exported values."""

    job_id: str | None = msgspec.field(default=None, name="jobID")
    """The current job, given by the Execution."""

    job_id_finished: str | None = msgspec.field(default=None, name="jobIDFinished")
    """The last finished job; a deployer works while it differs from `jobID`."""

    job_id_generation_time: Time | None = msgspec.field(default=None, name="jobIDGenerationTime")
    """When `jobID` was set; a deployer must begin within five minutes."""

    target_version: str | None = None
    """Uid and generation of the item's Target when the Execution last gave the item to a deployer. Landform's own."""

    deploy_item_phase: str | None = None
    """No longer used; removed when met."""

    transition_times: TransitionTimes | None = None
    """When the current job reached its stations."""

    exports: DeployItemExports | None = None
    """Older form of `exportRef`, which also names the key. Executions read `exportRef`."""

    export_generation: Int64 | None = None
    """The generation of the item that the exported values belong to."""

    def __post_init__(self) -> None:
        anyjson.detach(self, "provider_status")
        share(self, "phase", "deployer", "job_id", "job_id_finished")


NO_STATUS = DeployItemStatus()


class DeployItem(Kind):
    """One piece of work for a deployer: a chart, some manifests, a container to run."""

    spec: DeployItemSpec
    """The work to be done."""

    status: OrDefault[DeployItemStatus] = NO_STATUS
    """How far it has come."""

    def __post_init__(self) -> None:
        use_defaults(self, status=NO_STATUS)


def full_type(type_: str) -> str:
    """The type with short names written out: ``manifest`` is ``landscaper.gardener.cloud/kubernetes-manifest``."""
    return str(SHORT_TYPES.get(type_, type_))


def time_allowed(item: DeployItem) -> durations.Duration | None:
    """How long a deployer may take for the item; None for ever. ValueError if what it says is no duration."""
    if not item.spec.timeout:
        return DEFAULT_TIMEOUT
    duration = durations.parse(item.spec.timeout)
    return duration if duration else None


def effective_config(item: DeployItem) -> AnyJSON:
    """The deployer's configuration, by whichever name it is given."""
    return item.spec.config or item.spec.provider_config
