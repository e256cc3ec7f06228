"""The settings page has every option of every command, and no other."""

from __future__ import annotations

import re

import click
import pytest
from tests.docs import pages

from landform.cli.main import main
from landform.cli.options import DATA_VARIABLE

ROW = re.compile(r"^\| (`--.+?) \| (.+?) \|", re.MULTILINE)


def documented() -> set[tuple[str, str]]:
    """Command and option, as the page has them."""
    return {
        (command, option)
        for options, commands in ROW.findall(pages.read("docs/settings.md"))
        for option in re.findall(r"`(--?[A-Za-z-]+)`", options)
        for command in commands.split(", ")
    }


def existing() -> set[tuple[str, str]]:
    """Command and option, as the commands have them."""
    with main.make_context("landform", [], resilient_parsing=True) as context:
        commands = {name: main.get_command(context, name) for name in main.list_commands(context)}
    return {
        (name, option)
        for name, command in commands.items()
        if command is not None
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
