"""The examples are accepted, the mistakes are refused where their first line says, and the demo shows both."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.docs import pages

from landform.cluster.errors import ApiError
from landform.cluster.interface import PatchType, WriteOptions
from landform.kit import yamls
from landform.testing import homes

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from landform.cluster import Cluster

EXAMPLES = pages.ROOT / "examples"
MISTAKES = {file.stem: file.read_text() for file in sorted((EXAMPLES / "mistakes").glob("*.yaml"))}
STRICT = WriteOptions(field_manager="tests", field_validation="Strict")


def objects(folder: Path) -> list[dict[str, Any]]:
    """Every object of a folder's files, in order."""
    return [obj for file in sorted(folder.glob("*.yaml")) for obj in yamls.load_all(file.read_text())]


async def apply(cluster: Cluster, wanted: Iterable[dict[str, Any]]) -> None:
    """Server-side apply, as `landform apply` does it."""
    resources = {(resource.api_version, resource.kind): resource for resource in await cluster.discover()}
    for obj in wanted:
        resource = resources[obj["apiVersion"], obj["kind"]]
        metadata = obj["metadata"]
        await cluster.patch(
            resource,
            metadata["name"],
            obj,
            namespace=metadata.get("namespace", ""),
            type=PatchType.APPLY,
            options=STRICT,
        )


async def test_the_first_steps_are_accepted_again_and_again() -> None:
    async with homes.in_process() as cluster:
        steps = objects(EXAMPLES / "first-steps")
        assert len(steps) >= 5
        await apply(cluster, steps)
        await apply(cluster, steps)


@pytest.mark.parametrize("text", MISTAKES.values(), ids=MISTAKES)
async def test_a_mistake_is_refused_where_its_first_line_says(text: str) -> None:
    place = text.partition("\n")[0].removeprefix("# refused: ")
    async with homes.in_process() as cluster:
        await apply(cluster, objects(EXAMPLES / "first-steps"))
        with pytest.raises(ApiError) as refusal:
            await apply(cluster, yamls.load_all(text))
    assert place in str(refusal.value)


async def test_the_webhook_configuration_of_its_page_is_accepted() -> None:
    [block] = [block for block in pages.blocks("docs/webhook.md") if block.language == "yaml"]
    async with homes.in_process() as cluster:
        await apply(cluster, yamls.load_all(block.text))


@pytest.mark.timeout(120)  # a person would wait as well; on a busy machine it is some thirty processes
def test_the_demo_runs_without_a_terminal_and_ends_well(tmp_path: Path) -> None:
    command = [sys.executable, str(EXAMPLES / "demo.py")]
    done = subprocess.run(
        command, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=110, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "installations/shop applied and started" in done.stdout
    assert len(re.findall(r"^.─ \w+-\w+ \(\w+\) +Succeeded", done.stdout, re.MULTILINE)) == 3, "sub-installations"
    assert "a new password" in done.stdout
    assert "MockFailed" in done.stdout
    assert "spec.imports.data[0]: Invalid value" in done.stdout
    assert len(done.stdout.splitlines()) < 80
