"""Environment and DeployerRegistration: where deployers run, and which ones."""

from __future__ import annotations

from landform.api import anyjson
from landform.api.anyjson import AnyJSON
from landform.api.errors import Error
from landform.api.installations import (
    NO_IMPORTS,
    BlueprintDefinition,
    ComponentDescriptorDefinition,
    InstallationImports,
)
from landform.api.structs import Base64, Kind, OrDefault, Part, use_defaults
from landform.api.targets import TargetSelector, TargetTemplate


class ClusterRestConfig(Part):
    """How to reach a cluster's API."""

    host: str
    """Address of the API server: a URL, or host and port."""

    api_path: str | None = None
    """Path under which the API begins."""

    insecure: bool | None = None
    """Do not check the server's certificate. For tests only."""

    server_name: str | None = None
    """Name to expect in the server's certificate, if it is not the host."""

    ca_data: Base64 | None = None
    """Certificates to trust, in PEM format."""

    next_protos: tuple[str, ...] | None = None
    """Application protocols, in order of preference."""


class EnvironmentSpec(Part):
    """Where deployers run, and for which Targets."""

    host_target: TargetTemplate
    """The cluster that the deployers are installed into."""

    namespace: str
    """Namespace in that cluster."""

    landscaper_cluster_config: ClusterRestConfig
    """How the Landform API is reached from there."""

    target_selectors: tuple[TargetSelector, ...] | None = None
    """Which Targets these deployers serve."""


class Environment(Kind):
    """A place where deployers run; made by the agent there, or by hand."""

    spec: EnvironmentSpec
    """Where deployers run, and for which Targets."""


class DeployerInstallationTemplate(Part):
    """The Installation that is made of a deployer, once per Environment."""

    component_descriptor: ComponentDescriptorDefinition | None = None
    """The component that the blueprint belongs to."""

    blueprint: BlueprintDefinition
    """The blueprint that installs the deployer."""

    imports: OrDefault[InstallationImports] = NO_IMPORTS
    """Imports beside those that every deployer gets."""

    import_data_mappings: dict[str, AnyJSON] | None = None
    """Values for data imports of the blueprint, by name, as Spiff templates over the imports."""

    def __post_init__(self) -> None:
        anyjson.detach(self, "import_data_mappings")
        use_defaults(self, imports=NO_IMPORTS)


class DeployerRegistrationSpec(Part):
    """Which deployer."""

    types: tuple[str, ...]
    """Types of DeployItems that the deployer is responsible for; for information."""

    installation_template: DeployerInstallationTemplate
    """The Installation that is made of it, once per Environment."""


class DeployerRegistrationStatus(Part):
    """How the installation of the deployer went."""

    last_error: Error | None = None
    """What went wrong last; absent when nothing did."""


NO_STATUS = DeployerRegistrationStatus()


class DeployerRegistration(Kind):
    """A deployer that is installed into every Environment."""

    spec: DeployerRegistrationSpec
    """Which deployer."""

    status: OrDefault[DeployerRegistrationStatus] = NO_STATUS
    """How its installation went."""

    def __post_init__(self) -> None:
        use_defaults(self, status=NO_STATUS)
