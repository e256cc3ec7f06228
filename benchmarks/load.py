"""The load generator: a small Go program, built for the run."""

from __future__ import annotations

import json
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import homes, items

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Load:
    """The built program and the object that it writes."""

    program: Path
    object: Path

    def run(self, endpoint: homes.Endpoint, *options: str) -> dict[str, float]:
        """What one run reports; every write must have succeeded."""
        command: list[str | Path] = [
            self.program,
            *("-url", endpoint.url, "-token", endpoint.token, "-ca", str(endpoint.ca)),
            *("-collection", items.COLLECTION, "-object", str(self.object), *options),
        ]
        answer: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        assert answer["failed"] == 0, answer
        return answer


@contextmanager
def generator(size: int) -> Iterator[Load]:
    """The program, ready to write objects of about `size` bytes."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        built = Load(Path(folder) / "load", Path(folder) / "object.json")
        subprocess.run(["go", "build", "-o", built.program, "."], cwd=Path(__file__).parent / "load", check=True)
        built.object.write_text(json.dumps(items.deploy_item("NAME", size)))
        yield built
