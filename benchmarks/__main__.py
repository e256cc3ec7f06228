"""``python -m benchmarks [NAME...]``: run all benchmarks, or those named, one after the other.

Each runs in a process of its own, so that none measures the memory or the warm caches of another.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def main(names: list[str]) -> int:
    """Run the benchmarks; the number of those that missed a target or failed."""
    folder = Path(__file__).parent
    known = sorted(path.stem.removeprefix("bench_") for path in folder.glob("bench_*.py"))
    unknown = sorted(set(names) - set(known))
    if unknown:
        print(f"there is no benchmark {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    missed = 0
    for name in names or known:
        print(f"== {name}", flush=True)
        missed += subprocess.run([sys.executable, "-m", f"benchmarks.bench_{name}"], check=False).returncode != 0
    return missed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
