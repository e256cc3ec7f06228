"""The binaries of a control plane, built from Go modules once per version and kept outside the repository.

``python -m tests.cluster.controlplane.build`` builds what is missing and prints the folder; ``--node`` adds the
scheduler and the kubelet. With ``$KUBEBUILDER_ASSETS`` set that folder is used as it is and nothing is built, but for
the scheduler and the kubelet if it has none.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# The last 1.34 release that Go's checksum database knows, and the etcd that its own go.mod asks for: an older etcd
# cannot serve lists from the API server's watch cache, which makes everything that lists many times slower.
KUBERNETES = "v1.34.10"
ETCD = "v3.6.4"

PACKAGES = {
    "etcd": "go.etcd.io/etcd/server/v3",
    "kubectl": "k8s.io/kubernetes/cmd/kubectl",
    "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
    "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
    "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
    "kubelet": "k8s.io/kubernetes/cmd/kubelet",
}
CONTROL_PLANE = ("etcd", "kubectl", "kube-controller-manager", "kube-apiserver")
NODE = ("kube-scheduler", "kubelet")


class BuildError(Exception):
    """The binaries are not there and could not be made."""


def binaries(names: Sequence[str] = CONTROL_PLANE) -> Path:
    """The folder that holds the named binaries; builds those that are missing."""
    assets = os.environ.get("KUBEBUILDER_ASSETS")
    if assets and not _lacks_node(Path(assets), names):
        return _given(Path(assets), names)
    folder = cache_folder(os.environ)
    if missing(folder, names):
        _build(folder, names)
    return folder


def cache_folder(environment: Mapping[str, str]) -> Path:
    """Where binaries of these versions are kept between runs."""
    if own := environment.get("LANDFORM_CACHE"):
        base = Path(own)
    elif shared := environment.get("XDG_CACHE_HOME"):
        base = Path(shared) / "landform"
    else:
        base = Path.home() / ".cache" / "landform"
    return base / "controlplane" / f"{KUBERNETES}-etcd{ETCD.removeprefix('v')}"


def missing(folder: Path, names: Sequence[str]) -> list[str]:
    """The named binaries that the folder does not hold."""
    return [name for name in names if not os.access(folder / name, os.X_OK)]


def _lacks_node(assets: Path, names: Sequence[str]) -> bool:
    """Whether the folder is one of the usual ones, which hold a control plane but nothing for nodes."""
    return set(names) <= set(NODE) and bool(missing(assets, names))


def _given(assets: Path, names: Sequence[str]) -> Path:
    if absent := missing(assets, names):
        raise BuildError(
            f"$KUBEBUILDER_ASSETS is {assets}, but {', '.join(absent)} cannot be run from there; "
            "add what is missing or unset the variable to have it built"
        )
    return assets


def _build(folder: Path, names: Sequence[str]) -> None:
    """Build what is missing. A binary gets its name only when it is complete, so a killed build leaves no false one."""
    go = shutil.which("go")
    if go is None:
        raise BuildError(
            "no `go` on the PATH, and the control plane's binaries are built from Go modules; "
            "install Go 1.24 or newer, or set $KUBEBUILDER_ASSETS to a folder that has them"
        )
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder), _scratch(folder) as scratch:
        absent = missing(folder, names)  # again: another run may have built them while we waited for the lock
        if not absent:
            return
        started = time.monotonic()
        _write_module(go, scratch)
        _say(f"modules ready after {time.monotonic() - started:.0f} s")
        for name in absent:
            started = time.monotonic()
            _go(go, scratch, "build", "-trimpath", "-ldflags", _linker_flags(), "-o", f"bin/{name}", PACKAGES[name])
            (scratch / "bin" / name).replace(folder / name)
            _say(f"{name} built in {time.monotonic() - started:.0f} s")


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; the kernel gives it back even if we are killed."""
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("another run is building, waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def _scratch(folder: Path) -> Iterator[Path]:
    """A folder to build in, on the same file system as the result; what a killed build left behind is removed."""
    for leftover in folder.glob(".building-*"):
        shutil.rmtree(leftover, ignore_errors=True)  # its compiler may live a little longer and still write there
    with tempfile.TemporaryDirectory(prefix=".building-", dir=folder) as scratch:
        yield Path(scratch)


def _write_module(go: str, scratch: Path) -> None:
    """Make `scratch` a Go module that can build everything in PACKAGES."""
    source = _kubernetes_source(go, scratch)
    described = json.loads(_go(go, scratch, "mod", "edit", "-json", str(source / "go.mod")))
    (scratch / "go.mod").write_text(module_file(described))
    (scratch / "go.sum").write_bytes((source / "go.sum").read_bytes())
    imports = "".join(f'\t_ "{package}"\n' for package in PACKAGES.values())
    (scratch / "tools.go").write_text(f"//go:build tools\n\npackage tools\n\nimport (\n{imports})\n")
    _go(go, scratch, "mod", "tidy")


def module_file(kubernetes: dict[str, object]) -> str:
    """A go.mod that requires Kubernetes, from what `go mod edit -json` says of Kubernetes' own.

    Kubernetes lists its staging modules as v0.0.0 and replaces them with folders, which only works in its own
    repository; published, they carry its version with a leading 0.
    """
    staging = KUBERNETES.replace("v1.", "v0.", 1)
    lines = ["module landform.test/controlplane", f"go {kubernetes['Go']}"]
    lines += [f"godebug {line['Key']}={line['Value']}" for line in _entries(kubernetes, "GoDebug")]
    lines += [f"require k8s.io/kubernetes {KUBERNETES}", f"require go.etcd.io/etcd/server/v3 {ETCD}"]
    lines += [
        f"replace {line['Path']} => {line['Path']} {staging}"
        for line in _entries(kubernetes, "Require")
        if line["Version"] == "v0.0.0"
    ]
    return "\n".join(lines) + "\n"


def _entries(module: dict[str, object], key: str) -> list[dict[str, str]]:
    entries = module.get(key) or []
    assert isinstance(entries, list)
    return entries


def _kubernetes_source(go: str, scratch: Path) -> Path:
    """The folder of Kubernetes' own module, downloaded if need be."""
    answer = json.loads(_go(go, scratch, "mod", "download", "-json", f"k8s.io/kubernetes@{KUBERNETES}"))
    return Path(answer["Dir"])


def _linker_flags() -> str:
    """Small binaries that know their version: without the stamp clients see v0.0.0-master and some refuse it."""
    major, minor, _ = KUBERNETES.removeprefix("v").split(".")
    stamps = {"gitVersion": KUBERNETES, "gitMajor": major, "gitMinor": minor}
    return " ".join(["-s -w", *(f"-X k8s.io/component-base/version.{key}={value}" for key, value in stamps.items())])


def _go(go: str, folder: Path, *arguments: str) -> str:
    """What the go command prints; where it fetches modules from is its own configuration's matter."""
    environment = {**os.environ, "GOFLAGS": "-mod=mod -buildvcs=false", "GOWORK": "off", "CGO_ENABLED": "0"}
    done = subprocess.run([go, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        tail = "\n".join((done.stderr or done.stdout).strip().splitlines()[-20:])
        raise BuildError(f"`go {' '.join(arguments)}` failed with exit code {done.returncode}:\n{tail}")
    return done.stdout


def _say(text: str) -> None:
    print(f"control plane {KUBERNETES}: {text}", file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build what is missing and print the folder."""
    parser = argparse.ArgumentParser(prog="python -m tests.cluster.controlplane.build", description=__doc__)
    parser.add_argument("--node", action="store_true", help="also the scheduler and the kubelet")
    wanted = parser.parse_args(arguments)
    try:
        print(binaries(CONTROL_PLANE + NODE if wanted.node else CONTROL_PLANE))
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
