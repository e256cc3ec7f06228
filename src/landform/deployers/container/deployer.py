"""How a container item is deployed: its image is run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from landform.api.names import ItemType
from landform.deployers.container import configuration
from landform.deployers.programs.runs.deployers import ProgramDeployer
from landform.deployers.programs.setup import building, settings
from landform.deployers.programs.setup.building import Site

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.deployers.programs.orders.specifications import Specification


class ContainerDeployer(ProgramDeployer):
    """The deployer of container items."""

    type = ItemType.CONTAINER
    name = "container.deployer.landscaper.gardener.cloud"
    api_version = configuration.API_VERSION

    @classmethod
    def configured(cls, config: Mapping[str, Any], site: Site | None = None) -> Self:
        """The deployer with the settings of its configuration file, in a process that gives it a site."""
        given = settings.read(config, cls.api_version)
        return cls(building.equipment(given, site or Site(), "container", runs_processes=False))

    def read(self, config: Mapping[str, Any]) -> Specification:
        """What the configuration asks for."""
        return configuration.read(config)
