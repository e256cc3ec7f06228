"""The command ``landform``: its sub-commands and how their errors are shown."""

from __future__ import annotations

import importlib
from typing import NamedTuple

import click

from landform import __version__
from landform.cli import streams
from landform.cli.errors import friendly_errors
from landform.cli.suggestions import perhaps


class Entry(NamedTuple):
    """One command in the list of all."""

    module: str
    """The one that has it; loaded when it is asked for."""

    help: str
    """What it does, on one line."""


COMMANDS = {
    "run": Entry("landform.cli.run", "Apply files and folders, wait, and show the finished tree."),
    "up": Entry("landform.cli.up", "Start a home, and keep it up until Ctrl-C."),
    "apply": Entry("landform.cli.apply", "Create or change objects from files, and start Installations."),
    "tree": Entry("landform.cli.tree", "Show Installations with all that is below them."),
    "why": Entry("landform.cli.why", "Say what is in the way of an object, and what to do next."),
    "get": Entry("landform.cli.get", "Show objects of any kind."),
    "events": Entry("landform.cli.events", "Show what controllers and deployers told."),
    "logs": Entry("landform.cli.logs", "Show what the program of an item prints, or printed."),
    "reconcile": Entry("landform.cli.reconcile", "Start a new job of root Installations."),
    "interrupt": Entry("landform.cli.reconcile", "End the jobs of Installations at once."),
    "delete": Entry("landform.cli.delete", "Uninstall Installations and delete them."),
    "render": Entry("landform.cli.render", "Show offline what becomes of a blueprint."),
    "component": Entry("landform.cli.component", "Show, verify and download component versions."),
    "controller": Entry("landform.cli.controller", "Run the controllers on a Kubernetes cluster."),
    "deployer": Entry("landform.cli.deployer", "Run a deployer as a process of its own."),
    "crds": Entry("landform.cli.crds", "Print the CustomResourceDefinitions."),
    "backup": Entry("landform.cli.backup", "Copy the data of a home while it runs or not."),
    "webhook": Entry("landform.cli.webhook", "Check Landform's objects on a Kubernetes cluster."),
}
"""Every command, in the order of the help."""


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
        command: click.Command = getattr(importlib.import_module(COMMANDS[cmd_name].module), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"there is no command {args[0]!r}{perhaps(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> object:
        streams.prepare()
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
