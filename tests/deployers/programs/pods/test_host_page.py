"""The page about the container deployer says what pods need of their cluster."""

from __future__ import annotations

from pathlib import Path

from tests.docs import pages

from landform.deployers.programs.pods.settings import PodSettings
from landform.kit import yamls

PAGE = "docs/deployers/container.md"


def test_the_role_on_the_page_is_the_one_that_deployers_have_in_tests() -> None:
    [block] = [block.text for block in pages.blocks(PAGE) if block.language == "yaml" and "kind: Role" in block.text]
    assert [*yamls.load_all(block)] == [*yamls.load_all((Path(__file__).parent / "host-role.yaml").read_text())]


def test_the_page_says_how_patient_a_deployer_is() -> None:
    text, usual = " ".join(pages.read(PAGE).split()), PodSettings()
    assert f"is waited for {usual.image_patience.total_seconds():g} s" in text
    assert usual.saving.total_seconds() == 600
    assert "the `grace` and ten minutes" in text
