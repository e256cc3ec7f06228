"""YAML as Kubernetes reads it (sigs.k8s.io/yaml): what a document means once it has become JSON.

YAML 1.1 booleans (``yes``, ``on``, ``y``) are booleans, whole numbers may be written in other bases, dates and
``12:30:45`` stay text, keys become text, and of a key given twice the last counts.

`documents` reads every text with a real parser, and writes; `plain` reads what programs write many times faster.
"""

from __future__ import annotations

from typing import Any

from landform.kit.yamls import documents, plain
from landform.kit.yamls.documents import DEEPEST, MOST_NODES, Dumper, Loader, check_depth, dump, load_all

__all__ = ["DEEPEST", "MOST_NODES", "Dumper", "Loader", "check_depth", "dump", "load", "load_all"]


def load(text: str) -> Any:
    """The one document that a text holds, as JSON data; None if it is empty. Raises yaml.YAMLError or ValueError."""
    try:
        return plain.load(text)
    except plain.NotPlain:
        return documents.load(text)
