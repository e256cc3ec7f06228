"""How a script item is deployed: the script is run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from landform.api.names import ItemType
from landform.deployers.programs.runs.deployers import ProgramDeployer
from landform.deployers.programs.setup import building, settings
from landform.deployers.programs.setup.building import Site
from landform.deployers.script import configuration

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.deployers.programs.orders.specifications import Specification


class ScriptDeployer(ProgramDeployer):
    """The deployer of script items."""

    type = ItemType.SCRIPT
    name = "script.deployer.landscaper.gardener.cloud"
    api_version = configuration.API_VERSION

    @classmethod
    def configured(cls, config: Mapping[str, Any], site: Site | None = None) -> Self:
        """The deployer with the settings of its configuration file, in a process that gives it a site."""
        given = settings.read(config, cls.api_version)
        return cls(building.equipment(given, site or Site(), "script", runs_processes=True))

    def read(self, config: Mapping[str, Any]) -> Specification:
        """What the configuration asks for."""
        return configuration.read(config)
