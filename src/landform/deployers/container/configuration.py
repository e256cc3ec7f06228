"""The configuration of a container item; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from landform.api.names import DOMAIN
from landform.deployers.programs.contract.sandboxes import Program
from landform.deployers.programs.orders import configurations
from landform.deployers.programs.orders.configurations import CommonConfiguration, Words
from landform.deployers.programs.orders.specifications import Specification

if TYPE_CHECKING:
    from collections.abc import Mapping

API_VERSION: Final = f"container.deployer.{DOMAIN}/v1alpha1"

_OPERATION: Final = "InitContainerOperation"


class Configuration(CommonConfiguration, rename="camel", kw_only=True):
    """What a container item says of itself."""

    command: Words = None
    """What is run instead of the image's entry point."""


def read(config: Mapping[str, Any]) -> Specification:
    """What the item wants to have run; OperationFailed, for good, if that makes no sense."""
    found = configurations.read(config, Configuration, API_VERSION, _OPERATION)
    program = Program(
        image=found.image or None,
        command=configurations.words(found.command),
        args=configurations.words(found.args),
        env=configurations.environment(found),
        settings=configurations.settings(found),
    )
    return Specification(
        program,
        import_values=found.import_values,
        component_descriptor=configurations.component_descriptor(found),
        blueprint=configurations.blueprint(found),
        pull_secrets=configurations.pull_secrets(found),
    )
