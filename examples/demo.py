"""What ``make demo`` runs: a home in a temporary folder, an example applied to it, and what is there then.

Everything is done with the `landform` command, in processes of their own, just as a person would do it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
LANDFORM = (sys.executable, "-m", "landform.cli.main")


@contextmanager
def home(environment: dict[str, str]) -> Iterator[str]:
    """A running ``landform up``; gives its URL."""
    process = subprocess.Popen([*LANDFORM, "up"], env=environment, stdout=subprocess.PIPE, text=True)
    try:
        yield url_of(process)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate()


def url_of(process: subprocess.Popen[str]) -> str:
    """Where the home listens, as soon as it says so."""
    for line in process.stdout or ():
        if line.split()[:1] == ["API"]:
            return line.split()[1]
    sys.exit("the home did not start; the reason stands above")


def landform(environment: dict[str, str], *arguments: str, refused: bool = False) -> None:
    """Show a command and what it says; the demo fails if the command does, or if it does not although it should."""
    print(f"\n$ landform {' '.join(arguments)}", flush=True)
    done = subprocess.run(
        [*LANDFORM, *arguments],
        env=environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    print("\n".join(line.rstrip() for line in done.stdout.splitlines()), flush=True)
    if (done.returncode != 0) is not refused:
        sys.exit(f"this should {'have been refused' if refused else 'not have failed'}")


def main() -> None:
    """The demo."""
    with tempfile.TemporaryDirectory(prefix="landform-demo-") as folder:
        environment = {**os.environ, "LANDFORM_DATA": folder}
        with home(environment) as url:
            print(f"A Kubernetes-compatible API is up at {url}, its data in {folder}.")
            landform(environment, "apply", "-f", "examples/first-steps")
            landform(environment, "get", "installations")
            landform(environment, "get", "targets")
            landform(environment, "get", "deployitems")
            print("\nA mistake is refused, with the place where it is:")
            landform(environment, "apply", "-f", "examples/mistakes/two-sources.yaml", refused=True)
    print("\nThe home is stopped and its folder removed. No phase is shown and nothing was deployed:")
    print("controllers and deployers come next. To keep a home, start one with `landform up`.")


if __name__ == "__main__":
    main()
