"""The deployers that come with Landform, by the names that people give them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from landform.deployers.container import ContainerDeployer
from landform.deployers.library import selectors
from landform.deployers.manifest import ManifestDeployer
from landform.deployers.mock import MockDeployer
from landform.deployers.programs.setup.building import Site
from landform.deployers.script import ScriptDeployer
from landform.kit.errors import LandformError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from landform.deployers.library import Deployer, Selectors

BUILT_IN: Final[Mapping[str, Callable[[Mapping[str, Any], Site], Deployer]]] = {
    "mock": lambda config, _: MockDeployer.configured(config),
    "manifest": lambda config, _: ManifestDeployer.configured(config),
    "container": ContainerDeployer.configured,
    "script": ScriptDeployer.configured,
}
"""How each is made from its configuration, for the process that it runs in."""

ALL: Final = "all"
NONE: Final = "none"


class UnknownDeployer(LandformError):
    """Somebody asks for a deployer that does not come with Landform."""


def check(names: str) -> list[str]:
    """The names in a list such as ``mock,helm``; ``all`` of them, or ``none``."""
    if names == NONE:
        return []
    wanted = list(BUILT_IN) if names == ALL else [name.strip() for name in names.split(",")]
    for name in wanted:
        if name not in BUILT_IN:
            raise UnknownDeployer(
                f'there is no deployer "{name}" in Landform; choose {ALL}, {NONE}, or of {", ".join(BUILT_IN)}.'
                " Others run with `landform deployer run`"
            )
    return wanted


@dataclass(frozen=True)
class Selection:
    """Which deployers a process runs, and how they are configured."""

    names: str = ALL
    """A list such as ``mock,helm``; ``all`` of them, or ``none``."""

    configs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The content of configuration files, by the names of deployers."""

    def made(self, site: Site) -> dict[Deployer, Selectors]:
        """The deployers, each with the targets that it serves."""
        return {
            BUILT_IN[name](config, site): selectors.parse(config.get("targetSelector"))
            for name in check(self.names)
            for config in (self.configs.get(name, {}),)
        }


def chosen(names: str, site: Site | None = None) -> list[Deployer]:
    """The deployers of a list such as ``mock,helm``, without configuration of their own."""
    return list(Selection(names).made(site or Site()))
