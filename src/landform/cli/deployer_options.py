"""Options about deployers. Apart from the others, because most commands run none and need not load them."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import click
import yaml

from landform.engine import deployers as builtin
from landform.kit import yamls


def _configs(_context: click.Context, _parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, Any]:
    """The content of files by the names of deployers, of words such as ``script=settings.yaml``."""
    found = {}
    for word in given:
        name, equals, path = word.partition("=")
        if not equals or name not in builtin.BUILT_IN:
            known = ", ".join(builtin.BUILT_IN)
            raise click.BadParameter(f"{word} names no file for a deployer; give NAME=FILE with one of {known}")
        found[name] = config_file(Path(path))
    return found


def config_file(path: Path) -> dict[str, Any]:
    """What the configuration file of a deployer holds."""
    try:
        content = yamls.load(path.read_text(encoding="utf-8")) or {}
    except (OSError, ValueError, yaml.YAMLError) as fault:
        raise click.ClickException(f"{path} cannot be read: {fault}") from fault
    if not isinstance(content, dict):
        raise click.ClickException(f"{path} must hold one object, such as `identity: here`")
    return content


def deployer_choice(function: Any) -> Any:
    """The options about deployers of commands that run controllers; the command gets `deployers`, a Selection."""

    @functools.wraps(function)
    def wrapped(*args: Any, deployer_names: str, deployer_configs: dict[str, Any], **rest: Any) -> Any:
        builtin.check(deployer_names)
        return function(*args, deployers=builtin.Selection(deployer_names, deployer_configs), **rest)

    for option in (
        click.option(
            "--deployer-config",
            "deployer_configs",
            multiple=True,
            metavar="NAME=FILE",
            callback=_configs,
            help="Settings of a built-in deployer in YAML, such as script=settings.yaml; may be repeated.",
        ),
        click.option(
            "--deployers",
            "deployer_names",
            default="all",
            show_default=True,
            metavar="LIST",
            help="Built-in deployers to run beside the controllers: all, none, or names such as mock,manifest.",
        ),
    ):
        wrapped = option(wrapped)
    return wrapped
