"""The schemas of the kinds in the recorded data."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tests.golden.ownership.kinds import KINDS, WIDGET_SCHEMA

from landform.embedded.schemas import nodes

if TYPE_CHECKING:
    from landform.embedded.schemas.nodes import Node

GOLDEN = Path(__file__).parents[2] / "golden"


@cache
def node_of(kind: str) -> Node:
    """The schema of a kind; those of built-in kinds are the real API server's."""
    name = KINDS[kind].definition
    if not name:
        return nodes.parse(WIDGET_SCHEMA)
    definitions = json.loads(gzip.decompress((GOLDEN / "ownership" / "schemas.json.gz").read_bytes()))["schemas"]
    return nodes.parse(definitions[name], definitions)
