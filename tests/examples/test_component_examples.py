"""The examples with components, run as a user runs them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.cli import processes
from tests.examples.landscapes import EXAMPLES

if TYPE_CHECKING:
    from pathlib import Path

ARCHIVE = EXAMPLES / "component-archive"


def test_a_shop_comes_from_components_in_a_folder(tmp_path: Path) -> None:
    code, out, err = processes.run(
        *("run", ARCHIVE / "installation.yaml", "--component-root", ARCHIVE / "components"),
        *("--data", tmp_path / "data", "--show-values", "-o", "json"),
    )
    assert code == 0, err
    [shop] = json.loads(out)
    [export] = shop["exports"]
    assert export["value"] == "https://shop.example.com?database=database.internal/16.4 (everything must go)"


def test_without_the_root_folder_it_is_said_which_option_is_missing(tmp_path: Path) -> None:
    code, _, err = processes.run("run", ARCHIVE / "installation.yaml", "--data", tmp_path / "data")
    assert code == 1
    assert "--component-root" in err
