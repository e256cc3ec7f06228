"""Data mappings: values for imports or exports, computed from others by Spiff templates."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from landform import spiff
from landform.blueprints.errors import MappingError
from landform.blueprints.templating.masking import Mask

if TYPE_CHECKING:
    from collections.abc import Mapping


def evaluate(mapping: Any, values: Mapping[str, Any], title: str) -> Any:
    """What a mapping becomes. It is a document of its own: it sees the values, but no other mapping and no file."""
    template = json.dumps(mapping, ensure_ascii=False)
    try:
        return spiff.evaluate(template, values).result
    except spiff.SpiffError as exc:
        # Spiff's words may quote what it worked on.
        raise MappingError(f"{title}: {Mask([values], [template]).message(str(exc))}") from None
