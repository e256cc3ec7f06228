"""The examples with images do what their page says, in a real engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cluster.node import fixtures, images
from tests.examples.landscapes import EXAMPLES, landscape_of_programs

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cluster.node.podman import Podman

pytestmark = [*fixtures.MARKS]


async def test_a_program_in_an_image_reports_and_counts_its_runs(folder: Path, podman: Podman) -> None:
    source = EXAMPLES / "container-python" / "report.py"
    podman.load(images.of_program("localhost/landform-example-report:1", source))
    config = {"engine": {"socket": str(podman.socket)}}
    async with landscape_of_programs(folder, "container-python", config=config) as office:
        assert await office.phases() == {"report": "Succeeded"}
        assert await office.exported("report") == {"greeting": "Hello, Landform", "runs": 1}
        await office.reconcile("report")
        assert (await office.exported("report"))["runs"] == 2
        await office.delete("report")
