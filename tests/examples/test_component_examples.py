"""The examples with components, run as a user runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.cli import processes
from tests.examples.landscapes import EXAMPLES

if TYPE_CHECKING:
    from pathlib import Path

ARCHIVE = EXAMPLES / "component-archive"
REGISTRY = EXAMPLES / "component-registry"
ADDRESS = "https://shop.example.com?database=database.internal/16.4 (everything must go)"


def test_a_shop_comes_from_components_in_a_folder(tmp_path: Path) -> None:
    code, out, err = processes.run(
        *("run", ARCHIVE / "installation.yaml", "--component-root", ARCHIVE / "components"),
        *("--data", tmp_path / "data", "--show-values", "-o", "json"),
    )
    assert code == 0, err
    [shop] = json.loads(out)
    [export] = shop["exports"]
    assert export["value"] == ADDRESS


def test_without_the_root_folder_it_is_said_which_option_is_missing(tmp_path: Path) -> None:
    code, _, err = processes.run("run", ARCHIVE / "installation.yaml", "--data", tmp_path / "data")
    assert code == 1
    assert "--component-root" in err


def test_the_same_shop_comes_from_a_registry(tmp_path: Path) -> None:
    command = [sys.executable, str(REGISTRY / "registry.py"), str(ARCHIVE / "components"), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as registry:
        try:
            assert registry.stdout is not None
            url = registry.stdout.readline().strip()
            text = (REGISTRY / "installation.yaml").read_text()
            assert "http://127.0.0.1:5000 " in text
            (tmp_path / "installation.yaml").write_text(text.replace("http://127.0.0.1:5000", url))
            code, out, err = processes.run(
                *("run", tmp_path / "installation.yaml", "--data", tmp_path / "data", "--show-values", "-o", "json")
            )
        finally:
            registry.terminate()
    assert code == 0, err
    [shop] = json.loads(out)
    assert [export["value"] for export in shop["exports"]] == [ADDRESS]
