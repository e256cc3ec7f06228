"""Asks Kubernetes' own code about the cases in this folder and writes its answers to answers.json. Needs Go.

Run it as ``python -m tests.embedded.schemas.golden.refresh`` after changing a case.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from tests.embedded.schemas.golden import cases


def main() -> None:
    """Build the Go program beside this file, put all questions to it, keep the answers."""
    questions: list[dict[str, Any]] = [
        *({"schema": case.schema, "object": case.object} for case in cases.objects()),
        *({"definition": case.definition} for case in cases.definitions()),
    ]
    with tempfile.TemporaryDirectory() as scratch:
        for source in ("main.go", "go.mod"):
            shutil.copy(cases.FOLDER / source, scratch)
        answers = _ask(Path(scratch), questions)
    titles = [*(case.title for case in cases.objects()), *(case.title for case in cases.definitions())]
    text = json.dumps(dict(zip(titles, answers, strict=True)), indent=1, sort_keys=True, ensure_ascii=False)
    cases.ANSWERS.write_text(text + "\n")


def _ask(folder: Path, questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    subprocess.run(["go", "mod", "tidy"], cwd=folder, check=True)
    asked = "".join(json.dumps(question) + "\n" for question in questions)
    answered = subprocess.run(["go", "run", "."], cwd=folder, input=asked, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in answered.stdout.splitlines()]


if __name__ == "__main__":
    main()
