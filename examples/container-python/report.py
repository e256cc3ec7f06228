"""A program as an image: it reads its imports and its target, and exports a report. It runs as user 1000."""

import json
import os
from pathlib import Path


def main() -> None:
    """Report, or say goodbye."""
    if os.environ["OPERATION"] == "DELETE":
        print("nothing to take away")
        return
    imports = json.loads(Path(os.environ["IMPORTS_PATH"]).read_text())
    target = json.loads(Path(os.environ["TARGET_PATH"]).read_text())
    runs = Path(os.environ["STATE_PATH"]) / "runs"
    count = int(runs.read_text()) + 1 if runs.exists() else 1
    runs.write_text(str(count))
    where = target["target"]["metadata"]["name"] if target else "nowhere"
    print(f"run {count} as user {os.getuid()}, for {where}")
    report = {"greeting": f"Hello, {imports['name']}", "runs": count}
    Path(os.environ["EXPORTS_PATH"]).write_text(json.dumps(report))


if __name__ == "__main__":
    main()
