"""Annotations, labels, finalizers and other well-known texts that controllers read and write."""

from __future__ import annotations

import enum
from typing import Final

DOMAIN: Final = "landscaper.gardener.cloud"
_DATA: Final = f"data.{DOMAIN}"
_EXECUTION: Final = f"execution.{DOMAIN}"

DEFAULT_CONTEXT: Final = "default"
"""The Context of objects that name none."""

NO_TARGET: Final = ".noTargetName"
"""Value of `Annotation.DEPLOYER_TARGET_NAME` on a DeployItem without a target."""

TRUE: Final = "true"
"""The only value that switches a yes-or-no annotation on."""


class Finalizer(enum.StrEnum):
    """Who must clean up before an object may go."""

    LANDSCAPER = f"finalizer.{DOMAIN}"
    """On Installation, Execution, DeployItem and TargetSync, held by their controllers."""

    DEPLOYER_MANAGEMENT = f"finalizer.deployermanagement.{DOMAIN}"
    """On Environment, DeployerRegistration and the Installations made from them."""

    AGENT = f"finalizer.agent.{DOMAIN}"
    """On Environment, held by the agent that made it."""


class Operation(enum.StrEnum):
    """What `Annotation.OPERATION` asks for."""

    RECONCILE = "reconcile"
    """Start a new job; on a root Installation (and TargetSync) only, removed elsewhere."""

    RENEW = "renew"
    """As `RECONCILE`, but in the job only items work whose inputs changed or that have not succeeded."""

    INTERRUPT = "interrupt"
    """Let everything unfinished below the object fail at once."""

    TEST_RECONCILE = "test-reconcile"
    """On a DeployItem, for tests: give it a new job id without an Execution."""

    FORCE_RECONCILE = "force-reconcile"
    """Copied from an Installation to its Execution; otherwise without effect."""


class Annotation(enum.StrEnum):
    """Annotation keys that have a meaning."""

    OPERATION = f"{DOMAIN}/operation"
    """What to do with the object now, see `Operation`; removed once begun."""

    RECONCILE_REASON = f"{DOMAIN}/reconcile-reason"
    """On Installation: `RETRY` when the operation was set by automatic reconcile; removed together with it."""

    RECONCILE_IF_CHANGED = f"{DOMAIN}/reconcile-if-changed"
    """On a root Installation, ``true``: a changed (or new) specification starts a job by itself."""

    DELETE_WITHOUT_UNINSTALL = f"{DOMAIN}/delete-without-uninstall"
    """``true``: delete the objects, leave the target as it is; passed down from Installation to DeployItem."""

    DELETE_IGNORE_SUCCESSORS = f"{DOMAIN}/delete-ignore-successors"
    """On Installation, ``true``: delete even though siblings still import its exports."""

    CACHE_HELM_CHARTS = f"{DOMAIN}/cache-helm-charts"
    """``true``: the helm deployer may keep fetched charts; passed down on every job."""

    TOUCH = f"{DOMAIN}/touch"
    """Toggled (set to ``true`` or removed) only to raise a watch event."""

    RECONCILE_TIME = f"{DOMAIN}/reconcile-time"
    """On DeployItem: when its Execution last began; for information."""

    SUBINSTALLATION_NAME = f"{DOMAIN}/subinstallation-name"
    """On a sub-Installation: its name in the blueprint."""

    DEPLOYER_TYPE = f"{DOMAIN}/deployer-type"
    """On DeployItem: copy of `spec.type`, so that deployers can filter events."""

    DEPLOYER_TARGET_NAME = f"{DOMAIN}/deployer-target-name"
    """On DeployItem: copy of `spec.target.name`, or `NO_TARGET`."""

    CLUSTER_NAME = f"{DOMAIN}/clustername"
    """On DeployItem: name of the cluster whose removal makes the uninstallation unnecessary."""

    LAST_TARGET_SYNC = f"{DOMAIN}/lasttargetsync"
    """On Target: when its kubeconfig was last renewed by a TargetSync."""

    ROTATE_TOKEN = f"{DOMAIN}/rotate-token"
    """On TargetSync: its presence asks for a new token."""

    DEPENDS_ON = f"{_EXECUTION}/dependsOn"
    """On DeployItem: comma-joined names of the items it depends on; for information."""

    HASH = f"{_DATA}/hash"
    """On DataObject and Target: sha1 of the content, in hexadecimal."""

    EXPORTS_RENEWED = f"{_DATA}/renewed"
    """On the Secret with a DeployItem's exports: when values came that its last job did not export."""

    ENVIRONMENT = f"{DOMAIN}/environment"
    """On Target: the Environment whose deployers serve it."""

    DEPLOYER_ONLY = f"{DOMAIN}/deployer-only"
    """On Target, ``true``: only for installing deployers, by the agent's own helm deployer."""

    CONTINUOUS_RECONCILE = f"continuousreconcile.extensions.{DOMAIN}/active"
    """On DeployItem: ``false`` switches continuous reconciliation off without changing the specification."""

    FORCE_CLEANUP = f"container.deployer.{DOMAIN}/force-cleanup"
    """On a container DeployItem that is deleted, ``true``: skip the delete container."""


RETRY: Final = "retry"
"""Value of `Annotation.RECONCILE_REASON` when automatic reconcile asked."""


class Label(enum.StrEnum):
    """Label keys that have a meaning."""

    ENCOMPASSED_BY = f"{DOMAIN}/encompassed-by"
    """On a sub-Installation: name of its parent."""

    MANAGED_BY = f"{_EXECUTION}/managed-by"
    """On DeployItem: name of its Execution."""

    ITEM_NAME = f"{_EXECUTION}/name"
    """On DeployItem: its name in the Execution."""

    DATA_CONTEXT = f"{_DATA}/context"
    """On DataObject and Target: the scope it lives in; absent in the root scope."""

    DATA_SOURCE = f"{_DATA}/source"
    """On DataObject and Target: scope name of whoever wrote it."""

    DATA_SOURCE_TYPE = f"{_DATA}/sourceType"
    """On DataObject and Target: see `SourceType`."""

    DATA_KEY = f"{_DATA}/key"
    """On DataObject and Target: import name, or the reference it was exported under."""

    DATA_INDEX = f"{_DATA}/index"
    """On Target: position in an imported list."""

    DATA_TARGET_MAP_KEY = f"{_DATA}/targetmapkey"
    """On Target: key in an imported map."""

    DATA_JOB_ID = f"{_DATA}/jobid"
    """On DataObject and Target: the job that wrote it."""

    TARGET_SYNC = f"{DOMAIN}/targetsync"
    """On Target and Secret: `TARGET_SYNC_OK` when made by a TargetSync."""

    SKIP_VALIDATION = f"validation.{DOMAIN}/skip-validation"
    """On any object, ``true``: the validating webhook lets it pass."""

    DEPLOYER_REGISTRATION = f"deployers.{DOMAIN}/deployer-registration"
    """On an Installation of a deployer: the DeployerRegistration it was made from."""

    DEPLOYER_ENVIRONMENT = f"deployers.{DOMAIN}/environment"
    """On an Installation of a deployer: the Environment it was made for."""


TARGET_SYNC_OK: Final = "ok"
"""Value of `Label.TARGET_SYNC`."""


class SourceType(enum.StrEnum):
    """Why a DataObject or a Target was written."""

    IMPORT = "import"
    EXPORT = "export"


class ItemType(enum.StrEnum):
    """The types of DeployItem that Landform has deployers for."""

    CONTAINER = f"{DOMAIN}/container"
    SCRIPT = f"{DOMAIN}/script"
    HELM = f"{DOMAIN}/helm"
    MANIFEST = f"{DOMAIN}/kubernetes-manifest"
    MOCK = f"{DOMAIN}/mock"


KUBERNETES_CLUSTER: Final = f"{DOMAIN}/kubernetes-cluster"
"""The Target type that names a Kubernetes cluster."""
