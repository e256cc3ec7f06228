"""From what a Context and the objects that it names say to what resolution needs. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.components import ocmconfigs, overwrites
from landform.components.resolving import ComponentContext

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

DOCKER_KEY = ".dockerconfigjson"
CREDENTIALS_KEY = ".ocmcredentialconfig"
OCM_CONFIG_KEY = ".ocmconfig"


def build(
    *,
    repository_context: Mapping[str, Any] | None = None,
    ocm_config: str | None = None,
    pull_secrets: Mapping[str, Mapping[str, str]] | None = None,
    component_version_overwrites: Iterable[Mapping[str, Any]] = (),
) -> ComponentContext:
    """The component context of a Context.

    `ocm_config` is the text under ``.ocmconfig`` of the ConfigMap, `pull_secrets` holds the decoded data of the
    registry pull secrets by their names, and `component_version_overwrites` the entries of that object.
    """
    config = ocmconfigs.parse(ocm_config or "")
    for name, data in (pull_secrets or {}).items():
        if data.get(DOCKER_KEY):
            config = ocmconfigs.with_docker(config, [(f"the pull secret {name}", data[DOCKER_KEY])])
        if data.get(CREDENTIALS_KEY):
            config = config.joined(ocmconfigs.parse_credentials(data[CREDENTIALS_KEY]))
    return ComponentContext(repository_context, config, overwrites.from_objects(component_version_overwrites))
