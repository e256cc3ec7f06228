"""The page about blueprints says what is so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from tests.blueprints.templating.blueprints import inputs
from tests.docs import pages

from landform.blueprints.templating.errors import TemplatingError
from landform.blueprints.templating.gofunctions import OWN
from landform.blueprints.templating.rendering import render_deploy_items
from landform.blueprints.templating.spiffs import FUNCTIONS
from landform.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

PAGE = "docs/blueprints.md"


def blocks(language: str) -> list[str]:
    return [block.text for block in pages.blocks(PAGE) if block.language == language]


def test_the_example_renders_as_the_page_says(tmp_path: Path) -> None:
    blueprint, imports, output = blocks("yaml")
    (tmp_path / "blueprint.yaml").write_text(blueprint)
    (tmp_path / "imports.yaml").write_text(imports)
    arguments = ["render", str(tmp_path), "--imports", str(tmp_path / "imports.yaml"), "--show", "items"]
    result = CliRunner().invoke(main, arguments, prog_name="landform")
    assert (result.exit_code, result.output) == (0, output)


def test_the_error_reads_as_the_page_says() -> None:
    execution = {"name": "main", "type": "GoTemplate", "file": "items.yaml"}
    template = "deployItems:\n- name: web\n  config: {{ .imports.host }}\n"
    with pytest.raises(TemplatingError) as caught:
        render_deploy_items(inputs({"deployExecutions": [execution]}, more_files={"items.yaml": template}))
    assert blocks("text") == [f"{caught.value}\n"]


@pytest.mark.parametrize("name", [*OWN, "fromYaml"])
def test_every_function_is_on_the_page_and_marked_if_spiff_has_it(name: str) -> None:
    rows = [row for row in pages.read(PAGE).splitlines() if row.startswith("| `") and f"`{name}" in row.split(" | ")[0]]
    assert len(rows) >= 1
    called = [part for part in rows[0].split(" | ")[0].split(", ") if f"`{name}" in part]
    assert called[0].endswith("*") == (name in FUNCTIONS)
