"""What ``make demo`` runs: a home in a temporary folder, a landscape on it from its start to its end, and two mistakes.

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
    command = [*LANDFORM, "up", "--log-level", "error"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
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
    """Show a command and what it says; the demo fails if the command does, or if it does not although it should.

    On a terminal the command has it for itself, with colours and the tree as it grows. Elsewhere only what counts in
    the end is shown.
    """
    print(f"\n$ landform {' '.join(arguments)}", flush=True)
    kept = None if sys.stdout.isatty() else subprocess.PIPE
    told = subprocess.STDOUT if kept is not None and refused else kept
    done = subprocess.run(
        [*LANDFORM, *arguments], env=environment, cwd=ROOT, stdout=kept, stderr=told, text=True, check=False
    )
    if kept is not None:
        print(done.stdout.rstrip(), flush=True)
    if (done.returncode != 0) is not refused:
        sys.exit(f"this should {'have failed' if refused else 'not have failed'}\n{done.stderr or ''}")


def main() -> None:
    """The demo."""
    with tempfile.TemporaryDirectory(prefix="landform-demo-") as folder:
        environment = {**os.environ, "LANDFORM_DATA": folder}
        with home(environment) as url:
            print(f"A Kubernetes-compatible API is up at {url}, with controllers and deployers inside.")
            print("\nA shop of three parts: the website gets its addresses from the database and the cache.")
            landform(environment, "run", "examples/sub-installations", "--show-values")
            print("\nA script makes a password once and keeps it in its state; a second one uses it.")
            landform(environment, "run", "examples/script-password")
            landform(environment, "logs", "make")
            print("\nAn item that fails, and the way to it:")
            landform(environment, "run", "examples/error-handling/3-failing-item.yaml", refused=True)
            print("\nA mistake is refused, with the place where it is:")
            landform(environment, "apply", "-f", "examples/first-steps/1-namespace.yaml")
            landform(environment, "apply", "-f", "examples/mistakes/two-sources.yaml", refused=True)
    print("\nThe home is stopped and its folder removed. To keep one, start it with `landform up`.")


if __name__ == "__main__":
    main()
