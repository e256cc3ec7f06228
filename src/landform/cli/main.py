"""The command ``landform``: its sub-commands and how their errors are shown."""

from __future__ import annotations

import click

from landform import __version__
from landform.cli.backup import backup
from landform.cli.crds import crds
from landform.cli.errors import friendly_errors
from landform.cli.objects import apply, get
from landform.cli.up import up
from landform.cli.webhook import webhook


class _Commands(click.Group):
    """The group of all commands; whatever one raises for the user to read is one sentence, not a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        with friendly_errors():
            return super().invoke(ctx)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="landform")
def main() -> None:
    """Install whole landscapes of software in the right order, with data flowing between the parts.

    Start with `landform up`: a Kubernetes-compatible API in one process, without any set-up.
    """


for command in (up, apply, get, crds, backup, webhook):
    main.add_command(command)

if __name__ == "__main__":
    main()
