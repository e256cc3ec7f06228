"""A program as tools like Terraform are: it compares what is wanted with what its state says, and does the difference.

What it manages here are plain files in a folder, one per account. Deleting the item deletes them.
"""

import json
import os
from pathlib import Path


def read(path: Path) -> dict[str, int]:
    """What the program knew when it ended last; nothing at first."""
    return json.loads(path.read_text()) if path.exists() else {}


def main() -> None:
    """Make the accounts what the imports say; with DELETE: none."""
    state = Path(os.environ["STATE_PATH"]) / "ledger.json"
    imports = json.loads(Path(os.environ["IMPORTS_PATH"]).read_text())
    folder = Path(imports["folder"])
    wanted = imports["accounts"] if os.environ["OPERATION"] == "RECONCILE" else {}
    folder.mkdir(parents=True, exist_ok=True)
    known = read(state)
    for name in sorted(known.keys() - wanted.keys()):
        (folder / name).unlink(missing_ok=True)
        print(f"- {name}")
    for name in sorted(wanted):
        if known.get(name) != wanted[name]:
            (folder / name).write_text(f"{wanted[name]}\n")
            print(f"{'~' if name in known else '+'} {name} {wanted[name]}")
    state.write_text(json.dumps(wanted))
    Path(os.environ["EXPORTS_PATH"]).write_text(json.dumps({"count": len(wanted)}))


if __name__ == "__main__":
    main()
