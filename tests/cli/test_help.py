"""The help of every command, as recorded: a change of it is seen in review.

To record anew: ``LANDFORM_RECORD_HELP=1 pytest tests/cli/test_help.py``.
"""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from landform import __version__
from landform.cli.main import COMMANDS, main

RECORDED = Path(__file__).parent / "help"


def commands() -> list[str]:
    """The words behind `landform`, for each command and for each part of one that has parts."""
    context = click.Context(main)
    parts = {name: main.get_command(context, name) for name in COMMANDS}
    below = [
        f"{name} {part}" for name, found in parts.items() if isinstance(found, click.Group) for part in found.commands
    ]
    return [*COMMANDS, *below]


def command(words: str) -> click.Command:
    """The command of these words."""
    found: click.Command | None = main
    for word in words.split():
        assert isinstance(found, click.Group)
        found = found.get_command(click.Context(found), word)
    assert found is not None
    return found


def helped(*arguments: str) -> str:
    result = CliRunner().invoke(main, [*arguments, "--help"], prog_name="landform", terminal_width=100)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("words", ["", *commands()], ids=lambda words: words or "landform")
def test_the_help_is_as_recorded(words: str) -> None:
    file = RECORDED / f"{words.replace(' ', '-') or 'landform'}.txt"
    text = helped(*words.split())
    if os.environ.get("LANDFORM_RECORD_HELP"):
        file.write_text(text)
    assert text == file.read_text()


def test_no_recorded_help_is_left_of_commands_that_are_gone() -> None:
    assert {file.stem for file in RECORDED.glob("*.txt")} == {
        "landform",
        *(words.replace(" ", "-") for words in commands()),
    }


@pytest.mark.parametrize("words", commands())
def test_every_option_says_what_it_is_for(words: str) -> None:
    unexplained = [p.name for p in command(words).params if isinstance(p, click.Option) and not p.help]
    assert unexplained == []


def test_the_version_is_told() -> None:
    result = CliRunner().invoke(main, ["--version"], prog_name="landform")
    assert (result.exit_code, result.output) == (0, f"landform, version {__version__}\n")


@pytest.mark.parametrize(
    ("word", "told"), [("dance", "there is no command 'dance'\n"), ("aply", "'aply'; did you mean \"apply\"?\n")]
)
def test_an_unknown_command_is_refused(word: str, told: str) -> None:
    result = CliRunner().invoke(main, [word], prog_name="landform")
    assert result.exit_code == 2
    assert told in result.output


def test_every_command_fits_on_a_line_of_the_list() -> None:
    listed = CliRunner().invoke(main, ["--help"], prog_name="landform", terminal_width=80).output
    assert all(f" {name} " in listed and entry.help in listed for name, entry in COMMANDS.items())
