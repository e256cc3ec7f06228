"""Record what a real API server shows of the samples: ``python -m tests.golden.tables.record``.

Of each sample the Table is kept, with the whole object in its row, and the server's time when it was made.
"""

from __future__ import annotations

import json
import ssl
import time
import urllib.error
import urllib.request
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

from tests.cluster.controlplane.plane import ControlPlane
from tests.golden.tables.samples import SAMPLES, Sample

FOLDER = Path(__file__).parent
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


class Server:
    """The API server, asked with plain HTTP requests."""

    def __init__(self, plane: ControlPlane) -> None:
        self._plane = plane
        context = ssl.create_default_context(cafile=plane.ca)
        proxies = urllib.request.ProxyHandler({})
        self._opener = urllib.request.build_opener(proxies, urllib.request.HTTPSHandler(context=context))

    def ask(
        self, method: str, path: str, body: Any = None, *, media_type: str = "application/json", accept: str = "*/*"
    ) -> tuple[Any, str]:
        """The answer's content and its date."""
        raw, date = self.ask_raw(method, path, body, media_type=media_type, accept=accept)
        return json.loads(raw), date

    def ask_raw(
        self, method: str, path: str, body: Any = None, *, media_type: str = "application/json", accept: str = "*/*"
    ) -> tuple[bytes, str]:
        """The answer's bytes and its date."""
        request = urllib.request.Request(
            self._plane.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self._plane.token}",
                "Content-Type": media_type,
                "Accept": accept,
            },
        )
        with self._opener.open(request, timeout=30) as answer:
            return answer.read(), answer.headers["Date"]


def main() -> None:
    """Record all samples with one control plane."""
    with ControlPlane() as plane:
        server = Server(plane)
        for name, samples in SAMPLES.items():
            recorded = {sample.name: record(server, sample) for sample in samples}
            text = json.dumps(recorded, indent=1, sort_keys=True, ensure_ascii=False)
            (FOLDER / f"{name}.json").write_text(text + "\n")
            print(f"{name}: {len(recorded)} tables")


def record(server: Server, sample: Sample) -> dict[str, Any]:
    """Create the object and keep what its table says."""
    path = create(server, sample)
    table, date = server.ask("GET", f"{path}?includeObject=Object", accept=TABLE)
    for row in table["rows"]:
        row["object"]["metadata"].pop("managedFields", None)
    for column in table["columnDefinitions"]:
        column.pop("description")
    return {"now": parsedate_to_datetime(date).isoformat(), "path": sample.collection, "table": table}


def create(server: Server, sample: Sample) -> str:
    """Create the object and bring it into its state; the path of it."""
    metadata = {"name": sample.name, **sample.metadata}
    if sample.deleted:
        metadata["finalizers"] = ["example.com/keep"]
    _create(server, sample, {**sample.object, "metadata": metadata})
    path = f"{sample.collection}/{metadata['name']}"
    if sample.status is not None:
        merge = "application/merge-patch+json"
        server.ask("PATCH", f"{path}/status", {"status": sample.status}, media_type=merge)
    if sample.deleted:
        server.ask("DELETE", path)
    return path


def _create(server: Server, sample: Sample, body: dict[str, Any]) -> None:
    """Create the object; a definition just created needs a moment until its resources are served."""
    for attempt in range(50):
        try:
            server.ask("POST", sample.collection, body)
            return
        except urllib.error.HTTPError as error:
            if error.code != 404 or attempt == 49:
                raise SystemExit(f"{sample.name}: {error.code} {error.read().decode()}") from error
            time.sleep(0.1)


if __name__ == "__main__":
    main()
