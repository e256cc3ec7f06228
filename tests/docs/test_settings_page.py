"""The settings page has every option of every command, and no other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click
import pytest
from tests.docs import pages

from landform.cli.main import main
from landform.cli.options import DATA_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

ROW = re.compile(r"^\| (`--.+?) \| (.+?) \|", re.MULTILINE)


def documented() -> set[tuple[str, str]]:
    """Command and option, as the page has them."""
    return {
        (command, option)
        for options, commands in ROW.findall(pages.read("docs/settings.md"))
        for option in re.findall(r"`(--?[A-Za-z-]+)`", options)
        for command in commands.split(", ")
    }


def commands(group: click.Group, words: str = "") -> Iterator[tuple[str, click.Command]]:
    """All commands with the words behind `landform`."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, f"{words}{name} ")
        elif command is not None:
            yield f"{words}{name}", command


def existing() -> set[tuple[str, str]]:
    """Command and option, as the commands have them."""
    return {
        (name, option)
        for name, command in commands(main)
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for option in parameter.opts
    }


def test_the_page_has_exactly_the_options_there_are() -> None:
    assert documented() == existing()


@pytest.mark.parametrize(
    ("variable", "reader"),
    [
        (DATA_VARIABLE, "src/landform/cli/options.py"),
        ("LANDFORM_CLUSTER_TESTS", "tests/cluster/controlplane/fixtures.py"),
        ("LANDFORM_CACHE", "tests/cluster/controlplane/build.py"),
        ("KUBEBUILDER_ASSETS", "tests/cluster/controlplane/build.py"),
    ],
)
def test_the_variables_of_the_page_are_read(variable: str, reader: str) -> None:
    assert f"| `{variable}` |" in pages.read("docs/settings.md")
    assert f'"{variable}"' in pages.read(reader)
