"""Record built-in objects as JSON and as protobuf, both as a real API server writes them.

``python -m tests.golden.protobuf.record``; the objects are the samples of the tables and some that use rare fields.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from tests.cluster.controlplane.plane import ControlPlane
from tests.golden.protobuf.samples import RARE
from tests.golden.tables.record import Server, create
from tests.golden.tables.samples import SAMPLES, Sample

FILE = Path(__file__).parent / "objects.json"
PROTOBUF = "application/vnd.kubernetes.protobuf"


def main() -> None:
    """Record all built-in samples with one control plane."""
    samples = [sample for group in SAMPLES.values() for sample in group if "example.com/v1" not in sample.collection]
    with ControlPlane() as plane:
        server = Server(plane)
        recorded = {sample.name: record(server, sample) for sample in [*samples, *RARE]}
    FILE.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n")
    print(f"{len(recorded)} objects")


def record(server: Server, sample: Sample) -> dict[str, Any]:
    """The object in both forms, read again if somebody changed it in between."""
    path = create(server, sample)
    while True:
        before = server.ask("GET", path, accept="application/json")[0]
        binary, _ = server.ask_raw("GET", path, accept=PROTOBUF)
        after = server.ask("GET", path, accept="application/json")[0]
        if before == after:
            return {"json": before, "protobuf": base64.b64encode(binary).decode()}


if __name__ == "__main__":
    main()
