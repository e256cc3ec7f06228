"""A registry for trying things out: it serves the components of a `local` folder on this machine, until Ctrl-C.

    python examples/component-registry/registry.py examples/component-archive/components

It lays them out as OCM tools do in a real registry: one artifact for each component version, its tag the version, its
first layer the descriptor, further layers the content.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from landform.components import archives
from landform.kit import yamls

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.ocm.software.component.config.v1+json"
DESCRIPTOR = "application/vnd.ocm.software.component-descriptor.v2+yaml+tar"


class Content:
    """What the registry holds: manifests and blobs by their path."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[str, bytes]] = {}

    def add(self, folder: Path, descriptor: dict[str, Any]) -> None:
        """Lay out a component version."""
        component = descriptor["component"]
        repository = f"component-descriptors/{component['name']}"
        layers = [
            self._moved(repository, folder, resource)
            for resource in component["resources"]
            if resource["access"]["type"] == "localFilesystemBlob"
        ]
        packed = archives.pack({"component-descriptor.yaml": yamls.dump(descriptor).encode()})
        first = self._blob(repository, DESCRIPTOR, packed)
        text = json.dumps({"componentDescriptorLayer": first}).encode()
        config = self._blob(repository, CONFIG, text)
        manifest = {"schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": [first, *layers]}
        self.answers[f"/v2/{repository}/manifests/{component['version']}"] = (MANIFEST, json.dumps(manifest).encode())

    def _moved(self, repository: str, folder: Path, resource: dict[str, Any]) -> dict[str, Any]:
        """Make a layer of a resource that is a file or a folder; its access says so from now on."""
        place, kind = folder / "blobs" / resource["access"]["fileName"], resource["access"]["mediaType"]
        files = [path for path in place.rglob("*") if path.is_file()]
        packed = archives.pack({path.relative_to(place).as_posix(): path.read_bytes() for path in files})
        layer = self._blob(repository, kind, packed if place.is_dir() else place.read_bytes())
        resource["access"] = {"type": "localBlob", "mediaType": kind, "localReference": layer["digest"]}
        return layer

    def _blob(self, repository: str, kind: str, content: bytes) -> dict[str, Any]:
        digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
        self.answers[f"/v2/{repository}/blobs/{digest}"] = ("application/octet-stream", content)
        return {"mediaType": kind, "digest": digest, "size": len(content)}


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve the components of a folder as a registry.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, default=5000, help="0 takes any free one")
    given = parser.parse_args()
    content = Content()
    for file in sorted(given.folder.glob("*.yaml")):
        content.add(given.folder, yamls.load(file.read_text()))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, body = content.answers.get(self.path, ("text/plain", b"there is nothing"))
            self.send_response(200 if self.path in content.answers else 404)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is told of single requests."""

    with ThreadingHTTPServer(("127.0.0.1", given.port), Handler) as server:
        print(f"http://127.0.0.1:{server.server_port}", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()


if __name__ == "__main__":
    main()
