"""Images as archives that both containerd and podman load, written without either, the same bytes each time."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


@dataclass(frozen=True)
class Entry:
    """A file, a link or a folder of an image."""

    content: bytes = b""
    mode: int = 0o644
    link: str | None = None
    """Where a symbolic link leads."""


@dataclass(frozen=True)
class Settings:
    """How the containers of an image run unless told otherwise."""

    entrypoint: Sequence[str] = ()
    command: Sequence[str] = ()
    user: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)


Layer = dict[str, Entry]
"""Files by their path without a leading slash. Folders are made as needed; one of its own mode ends with a slash."""


def write(archive: Path, name: str, layers: Sequence[Layer | bytes], settings: Settings) -> None:
    """Write the archive of an image, of layers or of what `pack` made of them."""
    contents = [layer if isinstance(layer, bytes) else pack(layer) for layer in layers]
    digests = [hashlib.sha256(content).hexdigest() for content in contents]
    config = json.dumps(_config(digests, settings), sort_keys=True).encode()
    config_name = f"{hashlib.sha256(config).hexdigest()}.json"
    layer_names = [f"{digest}.tar" for digest in digests]
    manifest = json.dumps([{"Config": config_name, "RepoTags": [name], "Layers": layer_names}]).encode()

    with tarfile.open(archive, "w") as tar:
        _add(tar, "manifest.json", Entry(manifest))
        _add(tar, config_name, Entry(config))
        for layer_name, content in zip(layer_names, contents, strict=True):
            _add(tar, layer_name, Entry(content))


def _config(digests: Sequence[str], settings: Settings) -> dict[str, object]:
    return {
        "architecture": "amd64",
        "os": "linux",
        "config": {
            "Entrypoint": list(settings.entrypoint),
            "Cmd": list(settings.command),
            "User": settings.user,
            "Env": [f"{name}={value}" for name, value in settings.environment.items()],
            "WorkingDir": "/",
        },
        "history": [{"created_by": f"layer {digest[:12]}"} for digest in digests],  # builders count on one per layer
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}" for digest in digests]},
    }


def pack(layer: Layer) -> bytes:
    """A layer as it lies in an archive."""
    folders = {f"{parent}/" for path in layer for parent in _parents(path)}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for path in sorted({*folders, *layer}):
            _add(tar, path, layer.get(path, Entry(mode=0o755)))
    return buffer.getvalue()


def _parents(path: str) -> list[str]:
    names = path.rstrip("/").split("/")[:-1]
    return ["/".join(names[: count + 1]) for count in range(len(names))]


def _add(tar: tarfile.TarFile, path: str, entry: Entry) -> None:
    info = tarfile.TarInfo(path.rstrip("/"))  # its owner is root and its time is 1970
    info.mode = entry.mode
    if path.endswith("/"):
        info.type = tarfile.DIRTYPE
    elif entry.link is not None:
        info.type, info.linkname, info.mode = tarfile.SYMTYPE, entry.link, 0o777
    else:
        info.size = len(entry.content)
    tar.addfile(info, io.BytesIO(entry.content))
