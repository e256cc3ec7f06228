"""What the init container runs: it writes the files of the contract from the Secrets that are mounted into it.

It needs no network and no credentials, and loads little more than the standard library.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from landform.deployers.programs.contract.contract import SHARED
from landform.deployers.programs.contract.faults import ProgramDataError
from landform.deployers.programs.files import archives, staging
from landform.deployers.programs.pods import handover, inputs, pieces, termination

if TYPE_CHECKING:
    from collections.abc import Callable


def stage(source: Path, folder: Path) -> None:
    """Write the files of a run into a folder, from the pieces of its inputs and state."""
    staging.stage(folder, inputs.unpack(source), restore=_restore(source / handover.STATE))


def _restore(source: Path) -> Callable[[Path], object] | None:
    """What fills the state's folder; None if there is no state yet."""
    if not source.exists():
        return None
    found = sorted(path for path in source.iterdir() if path.is_file())

    def restore(folder: Path) -> None:
        with pieces.opened(found) as archive:
            archives.unpack(archive, folder)

    return restore


def main() -> int:
    """Stage; exit code 1 and a sentence in the termination log if that cannot be done."""
    os.umask(0)
    try:
        stage(Path(handover.INPUTS), Path(SHARED))
    except (ProgramDataError, OSError) as fault:
        termination.tell(str(fault))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
