"""The configuration of a script item; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from landform.api.names import DOMAIN
from landform.deployers.programs.contract.sandboxes import Program
from landform.deployers.programs.orders import configurations
from landform.deployers.programs.orders.configurations import CommonConfiguration, Words
from landform.deployers.programs.orders.specifications import Specification

if TYPE_CHECKING:
    from collections.abc import Mapping

API_VERSION: Final = f"script.deployer.{DOMAIN}/v1alpha1"

SHELL: Final = "/bin/sh"

_OPERATION: Final = "InitScriptOperation"


class Configuration(CommonConfiguration, rename="camel", kw_only=True):
    """What a script item says of itself."""

    script: str | None = None
    """The script itself."""

    file: str = ""
    """Or the file of the blueprint that has it."""

    interpreter: Words = None
    """What runs the script; `SHELL` by default."""


def read(config: Mapping[str, Any]) -> Specification:
    """What the item wants to have run; OperationFailed, for good, if that makes no sense."""
    found = configurations.read(config, Configuration, API_VERSION, _OPERATION)
    if (found.script is None) is (not found.file):
        has = "neither" if found.script is None else "both"
        raise configurations.invalid(_OPERATION, f"spec.config needs either script or file, and has {has}")
    if found.file and found.blueprint is None:
        raise configurations.invalid(_OPERATION, "spec.config.file is a file of spec.config.blueprint: give one")
    program = Program(
        image=found.image or None,
        command=configurations.words(found.interpreter) or (SHELL,),
        args=configurations.words(found.args),
        env=configurations.environment(found),
        is_script=True,
        settings=configurations.settings(found),
    )
    return Specification(
        program,
        import_values=found.import_values,
        script=found.script,
        script_file=found.file,
        component_descriptor=configurations.component_descriptor(found),
        blueprint=configurations.blueprint(found),
        pull_secrets=configurations.pull_secrets(found),
    )
