"""Installation: a blueprint, put to work with imports and exports."""

from __future__ import annotations

import msgspec

from landform.api import anyjson
from landform.api.anyjson import ABSENT, AnyJSON
from landform.api.conditions import Condition
from landform.api.errors import Error
from landform.api.phases import TransitionTimes
from landform.api.references import LocalConfigMapReference, LocalSecretReference, ObjectReference
from landform.api.sharing import share
from landform.api.structs import Duration, Int32, Int64, Kind, ObjectJSON, OrDefault, Part, Time, use_defaults


class Verification(Part):
    """How the component is verified before it is used."""

    signature_name: str
    """Name of the signature to verify; the Context says which key belongs to it."""


class ComponentDescriptorReference(Part):
    """A component version in a repository."""

    repository_context: ObjectJSON = ABSENT
    """The repository, with its `type`; absent means the Context's."""

    component_name: str
    """Name of the component, such as ``example.com/shop``."""

    version: str
    """Version of the component."""

    def __post_init__(self) -> None:
        anyjson.detach(self, "repository_context")


class ComponentDescriptorDefinition(Part):
    """Where the component descriptor comes from: exactly one of `ref` and `inline`."""

    ref: ComponentDescriptorReference | None = None
    """A component version in a repository."""

    inline: ObjectJSON = ABSENT
    """The component descriptor itself."""

    def __post_init__(self) -> None:
        anyjson.detach(self, "inline")


class RemoteBlueprintReference(Part):
    """A blueprint that is a resource of the component."""

    resource_name: str
    """Name of the resource in the component descriptor."""


class InlineBlueprint(Part):
    """A blueprint written into the object."""

    filesystem: AnyJSON
    """The blueprint's files: a map is a folder, a text is a file; `blueprint.yaml` is at the root."""

    def __post_init__(self) -> None:
        anyjson.detach(self, "filesystem")


class BlueprintDefinition(Part):
    """Where the blueprint comes from: exactly one of `ref` and `inline`."""

    ref: RemoteBlueprintReference | None = None
    """A resource of the component."""

    inline: InlineBlueprint | None = None
    """The blueprint itself."""


class DataImport(Part):
    """Data for one import of the blueprint: exactly one of `dataRef`, `secretRef` and `configMapRef`."""

    name: str
    """Name of the import; unique among all imports of the Installation."""

    data_ref: str | None = None
    """Name of a DataObject in the Installation's scope; with a leading `#`, in any scope, by its literal name."""

    version: str | None = None
    """Accepted for older objects; ignored."""

    secret_ref: LocalSecretReference | None = None
    """A Secret of the namespace; its content is read as YAML."""

    config_map_ref: LocalConfigMapReference | None = None
    """A ConfigMap of the namespace; its content is read as YAML."""


class TargetImport(Part):
    """Targets for one import: exactly one of `target`, `targets`, `targetListRef`, `targetMap`, `targetMapRef`."""

    name: str
    """Name of the import; unique among all imports of the Installation."""

    target: str | None = None
    """Name of one Target in the Installation's scope."""

    targets: tuple[str, ...] | None = None
    """Names of the Targets of a list; an empty list is a list without elements, not an absent one."""

    target_list_ref: str | None = None
    """Name of a target list that the parent Installation imports."""

    target_map: dict[str, str] | None = None
    """Names of the Targets of a map, by key."""

    target_map_ref: str | None = None
    """Name of a target map that the parent Installation imports."""


class InstallationImports(Part):
    """What the Installation gets from its scope."""

    data: tuple[DataImport, ...] | None = None
    """Imported data."""

    targets: tuple[TargetImport, ...] | None = None
    """Imported targets."""


class DataExport(Part):
    """One export of the blueprint that becomes a DataObject."""

    name: str
    """Name of the export; unique among the data exports."""

    data_ref: str
    """Name under which the value is found in the Installation's scope."""


class TargetExport(Part):
    """One export of the blueprint that becomes a Target."""

    name: str
    """Name of the export; unique among the target exports."""

    target: str | None = None
    """Name under which the Target is found in the Installation's scope."""


class InstallationExports(Part):
    """What the Installation gives to its scope."""

    data: tuple[DataExport, ...] | None = None
    """Exported data."""

    targets: tuple[TargetExport, ...] | None = None
    """Exported targets."""


class SucceededReconcile(Part):
    """When a succeeded Installation starts again by itself."""

    interval: Duration | None = None
    """Time between two runs, such as ``1h30m``. Default 24h."""

    cron_spec: str | None = None
    """Schedule in cron syntax (five fields, ``@daily``, ``@every 1h``); used instead of the interval."""


class FailedReconcile(Part):
    """When a failed Installation starts again by itself."""

    number_of_reconciles: Int32 | None = None
    """How many times at most; absent means without limit, 0 never."""

    interval: Duration | None = None
    """Time between two runs, such as ``10m``; the first follows at once. Default 5m."""

    cron_spec: str | None = None
    """Schedule in cron syntax (five fields, ``@daily``, ``@every 1h``); used instead of the interval."""


class AutomaticReconcile(Part):
    """Runs that nobody asks for by hand."""

    succeeded_reconcile: SucceededReconcile | None = None
    """Runs after success."""

    failed_reconcile: FailedReconcile | None = None
    """Runs after a failure."""

    late_data: bool | None = None
    """Whether a job begins by itself when exported values below have changed after the last one; in it only items work
    whose inputs changed. Landform's own. Default false; only on a root Installation."""


class Optimization(Part):
    """Promises that save looking at siblings."""

    has_no_sibling_imports: bool | None = None
    """Nothing is imported that a sibling exports."""

    has_no_sibling_exports: bool | None = None
    """Nothing is exported that a sibling imports."""


NO_IMPORTS = InstallationImports()
NO_EXPORTS = InstallationExports()


class InstallationSpec(Part):
    """What is to be installed."""

    context: str | None = None
    """Name of the Context in the same namespace. Default ``default``."""

    verification: Verification | None = None
    """Verify the component's signature first."""

    component_descriptor: ComponentDescriptorDefinition | None = None
    """The component that the blueprint and its resources belong to."""

    blueprint: BlueprintDefinition
    """The blueprint."""

    imports: OrDefault[InstallationImports] = NO_IMPORTS
    """What the Installation gets from its scope."""

    import_data_mappings: dict[str, AnyJSON] | None = None
    """Values for data imports of the blueprint, by name, as Spiff templates over the imports."""

    exports: OrDefault[InstallationExports] = NO_EXPORTS
    """What the Installation gives to its scope."""

    export_data_mappings: dict[str, AnyJSON] | None = None
    """Values for data exports, by name, as Spiff templates over the blueprint's exports."""

    automatic_reconcile: AutomaticReconcile | None = None
    """Runs that nobody asks for by hand; effective on root Installations."""

    optimization: Optimization | None = None
    """Promises that save looking at siblings."""

    def __post_init__(self) -> None:
        anyjson.detach(self, "import_data_mappings", "export_data_mappings")
        use_defaults(self, imports=NO_IMPORTS, exports=NO_EXPORTS)
        share(self, "context")


class SubInstallationName(Part):
    """One sub-Installation by its two names."""

    spec_name: str | None = None
    """Name in the blueprint."""

    object_name: str | None = None
    """Name of the Installation object."""


class SubInstallationCache(Part):
    """The sub-Installations of the current job."""

    active_subs: tuple[SubInstallationName, ...] | None = None
    """Those that the blueprint wants."""

    orphaned_subs: tuple[str, ...] | None = None
    """Object names of those that it no longer wants and that are being deleted."""


class AutomaticReconcileStatus(Part):
    """Where the automatic runs stand."""

    generation: Int64 | None = None
    """Generation of the Installation that the count belongs to."""

    number_of_reconciles: Int32 | None = None
    """Automatic runs so far."""

    last_reconcile_time: Time | None = None
    """When the last one was started."""

    on_failed: bool | None = None
    """Whether it followed a failure."""


class DependentToTrigger(Part):
    """A sibling that imports what this Installation exports."""

    name: str | None = None
    """Name of the sibling."""


class InstallationStatus(Part):
    """How far the Installation has come."""

    observed_generation: Int64 = msgspec.field(default_factory=int)
    """The generation that the last run worked on."""

    conditions: tuple[Condition, ...] | None = None
    """Statements about the parts of the work."""

    last_error: Error | None = None
    """What went wrong last; absent when nothing did."""

    sub_inst_cache: SubInstallationCache | None = None
    """The sub-Installations of the current job."""

    execution_ref: ObjectReference | None = None
    """The Execution that holds the deploy items."""

    job_id: str | None = msgspec.field(default=None, name="jobID")
    """The current job; the same in everything below the root Installation."""

    job_id_finished: str | None = msgspec.field(default=None, name="jobIDFinished")
    """The last finished job; work goes on while it differs from `jobID`."""

    phase: str | None = None
    """Where the Installation stands in its job."""

    phase_transition_time: Time | None = None
    """When the phase last changed."""

    imports_hash: str | None = None
    """Fingerprint of the imported values that the job works with."""

    automatic_reconcile_status: AutomaticReconcileStatus | None = None
    """Where the automatic runs stand."""

    dependents_to_trigger: tuple[DependentToTrigger, ...] | None = None
    """Siblings to be started or woken because this Installation has finished."""

    transition_times: TransitionTimes | None = None
    """When the current job reached its stations."""

    def __post_init__(self) -> None:
        share(self, "phase", "job_id", "job_id_finished")


NO_STATUS = InstallationStatus()


class Installation(Kind):
    """A blueprint, put to work: renders it, creates what it asks for, and connects imports and exports."""

    spec: InstallationSpec
    """What is to be installed."""

    status: OrDefault[InstallationStatus] = NO_STATUS
    """How far it has come."""

    def __post_init__(self) -> None:
        use_defaults(self, status=NO_STATUS)
