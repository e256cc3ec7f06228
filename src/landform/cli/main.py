"""The command ``landform``: its sub-commands and how their errors are shown."""

from __future__ import annotations

import importlib

import click

from landform import __version__
from landform.cli.errors import friendly_errors

COMMANDS = {
    "run": "landform.cli.run",
    "up": "landform.cli.up",
    "apply": "landform.cli.apply",
    "tree": "landform.cli.tree",
    "why": "landform.cli.why",
    "get": "landform.cli.get",
    "events": "landform.cli.events",
    "logs": "landform.cli.logs",
    "reconcile": "landform.cli.reconcile",
    "interrupt": "landform.cli.reconcile",
    "delete": "landform.cli.delete",
    "render": "landform.cli.render",
    "component": "landform.cli.component",
    "controller": "landform.cli.controller",
    "deployer": "landform.cli.deployer",
    "crds": "landform.cli.crds",
    "backup": "landform.cli.backup",
    "webhook": "landform.cli.webhook",
}
"""Every command and the module that has it, in the order of the help."""


class _Commands(click.Group):
    """The group of all commands.

    A command's module is loaded when it is asked for: what one needs (a server, a client) takes others' time to load.
    Whatever a command raises for the user to read is one sentence, not a traceback.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(importlib.import_module(COMMANDS[cmd_name]), cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> object:
        with friendly_errors():
            return super().invoke(ctx)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="landform")
def main() -> None:
    """Install whole landscapes of software in the right order, with data flowing between the parts.

    Start with `landform run FOLDER`, or `landform up` for a home that stays: neither needs any set-up.
    """


if __name__ == "__main__":
    main()
