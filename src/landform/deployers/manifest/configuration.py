"""The configuration of a manifest item, in the form of its newest version."""

from __future__ import annotations

import enum
from typing import Any, Final

from landform.api.structs import Part

GROUP: Final = "manifest.deployer.landscaper.gardener.cloud"
V1ALPHA1: Final = f"{GROUP}/v1alpha1"
V1ALPHA2: Final = f"{GROUP}/v1alpha2"
CONFIGURATION_KIND: Final = "ProviderConfiguration"


class Policy(enum.StrEnum):
    """What the deployer may do with an object."""

    MANAGE = "manage"
    """Create, update and delete it, whoever made it."""

    FALLBACK = "fallback"
    """Create it; update and delete it only while it carries the item's label."""

    KEEP = "keep"
    """Create and update it, never delete it."""

    IGNORE = "ignore"
    """Leave it alone."""

    IMMUTABLE = "immutable"
    """Create it, never update it; delete it if the deployer created it."""


class UpdateStrategy(enum.StrEnum):
    """How an object that exists becomes what its manifest says."""

    UPDATE = "update"
    """It is replaced: what the manifest does not say goes."""

    PATCH = "patch"
    """As `update`, by a merge patch, which changes only what differs and meets no conflict."""

    MERGE = "merge"
    """The manifest fills what is empty."""

    MERGE_OVERWRITE = "mergeOverwrite"
    """The manifest wins, what it does not say stays."""

    APPLY = "apply"
    """Server-side apply: the deployer owns the fields that the manifest says, and no others."""


class Drift(enum.StrEnum):
    """What a scheduled pass does about changes that others made."""

    CORRECT = "correct"
    DETECT = "detect"


class PredefinedType(enum.StrEnum):
    """The groups of objects that need not be described."""

    NAMESPACED = "namespaced-resources"
    CLUSTER_SCOPED = "cluster-scoped-resources"
    """Without definitions of custom resources."""
    CRDS = "crds"
    EMPTY = "empty"
    """No object at all: with this alone, nothing is deleted."""


class Manifest(Part):
    """One object, or a list of objects, and what may be done with it."""

    manifest: dict[str, Any] | None = None
    """The object."""

    policy: str = Policy.MANAGE
    """One of `Policy`."""

    annotate_before_create: dict[str, str] | None = None
    """Annotations that are added when the object is created, and only then."""

    annotate_before_delete: dict[str, str] | None = None
    """Annotations that are set just before the object is deleted."""

    patch_after_deployment: dict[str, Any] | None = None
    """Merged into the object when everything is ready and exported."""

    patch_before_delete: dict[str, Any] | None = None
    """Merged into the object just before it is deleted."""


class TypedReference(Part):
    """An object of the target cluster."""

    api_version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""


class ObjectRefPath(Part):
    """An object that the path's value in a first object names."""

    api_version: str = ""
    kind: str = ""
    json_path: str = ""
    """The value in the second object."""


class Export(Part):
    """A value that is handed on."""

    key: str = ""
    """Under which name; dots lead into nested objects."""

    json_path: str = ""
    """Where in the object the value is, or with `fromObjectRef` the reference to a second object."""

    from_resource: TypedReference | None = None
    """The object. An export without one is ignored."""

    from_object_ref: ObjectRefPath | None = None
    """Read the value from the object that `jsonPath` names by `name` and `namespace`."""

    target_name: str = ""
    """Another Target of the item's namespace whose cluster has the object."""

    follow: bool = False
    """Keep watching the object after the job, and export the item's values anew when this one changes."""


class Exports(Part):
    """All values that are handed on."""

    exports: list[Export] | None = None


class LabelSelector(Part):
    """The objects of a kind that have all these labels, in all namespaces."""

    api_version: str = ""
    kind: str = ""
    match_labels: dict[str, str] | None = None


class Objects(Part):
    """Objects by name and by labels, on the item's target or on another one."""

    resource_selector: list[TypedReference] | None = None
    label_selector: LabelSelector | None = None
    target_name: str = ""
    """Another Target of the item's namespace whose cluster has the objects."""


class Operator(enum.StrEnum):
    """How a value of an object is compared."""

    DOES_NOT_EXIST = "!"
    EXISTS = "exists"
    EQUALS = "="
    DOUBLE_EQUALS = "=="
    NOT_EQUALS = "!="
    IN = "in"
    NOT_IN = "notin"


class ReadinessChecks(Part):
    """When the item is ready."""

    disable_default: bool = False
    """Do not judge the deployed objects by their kinds."""

    default: list[Objects] | None = None
    """Further objects to be judged by their kinds: those that others deploy, also on another target."""

    custom: list[dict[str, Any]] | None = None
    """When objects are ready by their fields; `landform.deployers.manifest.customchecks` reads them."""


class PredefinedGroup(Part):
    """Objects by their scope."""

    type: str = ""
    force_delete: bool = False
    """Take the finalizers off."""


class ResourceType(Part):
    """Objects of a kind."""

    api_version: str = ""
    kind: str = ""
    """The kind, or its plural name as in URLs."""

    names: list[str] | None = None
    """Only these; default: all."""

    namespaces: list[str] | None = None
    """Only in these; default: in all."""


class CustomGroup(Part):
    """Objects by their kinds."""

    resources: list[ResourceType] | None = None
    force_delete: bool = False
    """Take the finalizers off."""

    delete_all_resources: bool = False
    """Delete what is in the cluster, also what the item did not deploy."""

    target_name: str = ""
    """Another Target of the item's namespace; needs `deleteAllResources`."""


class DeletionGroup(Part):
    """Objects that are deleted together, before those of the next group."""

    predefined_resource_group: PredefinedGroup | None = None
    custom_resource_group: CustomGroup | None = None

    @property
    def force_delete(self) -> bool:
        """Whether finalizers are taken off."""
        group = self.predefined_resource_group or self.custom_resource_group
        return group is not None and group.force_delete


class Configuration(Part):
    """What a manifest item says."""

    update_strategy: str = UpdateStrategy.UPDATE
    readiness_checks: ReadinessChecks = ReadinessChecks()
    manifests: list[Manifest] | None = None
    exports: Exports = Exports()
    continuous_reconcile: dict[str, Any] | None = None
    """When finished items are deployed again; the library reads it."""

    drift: str = Drift.CORRECT
    """What a scheduled pass does about changes that others made."""

    deletion_groups: list[DeletionGroup] | None = None
    """In which order objects go when the item is deleted."""

    deletion_groups_during_update: list[DeletionGroup] | None = None
    """In which order objects go that the manifests no longer have."""

    @property
    def values(self) -> list[Export]:
        """The exports that name an object."""
        return [export for export in self.exports.exports or () if export.from_resource is not None]
