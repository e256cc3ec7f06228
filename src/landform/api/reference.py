"""The page `docs/kinds.md`: every kind with an example and all its fields, written from the structs.

Run ``python -m landform.api.reference > docs/kinds.md`` after changing a kind; a test compares the two.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from landform.api.catalog import KINDS
from landform.api.examples import EXAMPLES
from landform.api.schemas import of_kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.api.catalog import KindInfo
    from landform.api.schemas import Schema

_INTRODUCTION = """\
# Kinds

<!-- Written by `python -m landform.api.reference > docs/kinds.md`. Change the structs in src/landform/api instead. -->

All objects that Landform works with, in the API group `landscaper.gardener.cloud`, version `v1alpha1`. Fields in
**bold** are required where they stand. Times are texts such as `2026-01-31T12:00:00Z`, durations such as `1h30m` or
`none`; "any" is any JSON.
"""


def page() -> str:
    """The whole page, in Markdown."""
    links = [f"- [{info.kind}](#{info.kind.lower()}): {_summary(info)}" for info in KINDS]
    sections = ["\n".join(_section(info)) for info in KINDS]
    return "\n".join([_INTRODUCTION, *links, "", *sections])


def _section(info: KindInfo) -> Iterator[str]:
    scope = "namespaced" if info.namespaced else "cluster-scoped"
    short = ", ".join(f"`{name}`" for name in info.short_names)
    status = "; the status is written apart from the rest" if info.status_subresource else ""
    yield f"## {info.kind}"
    yield f"\n{_summary(info)}\n"
    yield f"`{info.plural}` (short {short}), {scope}{status}.\n"
    yield f"```yaml\n{EXAMPLES[info.kind]}```\n"
    yield "| Field | Type | Meaning |"
    yield "|---|---|---|"
    schema = of_kind(info.struct)
    own = {key: value for key, value in schema["properties"].items() if key not in ("apiVersion", "kind", "metadata")}
    yield from _rows({**schema, "properties": own}, "")
    yield ""


def _rows(schema: Schema, prefix: str) -> Iterator[str]:
    """One row per field, each followed by those of the fields within it."""
    for name, field in schema.get("properties", {}).items():
        path = prefix + name
        shown = f"**`{path}`**" if name in schema.get("required", ()) else f"`{path}`"
        meaning = field["description"].replace("\n\n", " ").replace("|", "\\|")
        yield f"| {shown} | {_type(field)} | {meaning} |"
        yield from _rows(field.get("items", {}), f"{path}[].")
        yield from _rows(field.get("additionalProperties", {}), f"{path}{{}}.")
        yield from _rows(field, f"{path}.")


def _type(field: Schema) -> str:
    match field:
        case {"type": "array", "items": items}:
            return f"list of {_type(items)}"
        case {"type": "object", "additionalProperties": values}:
            return f"map of {_type(values)}"
        case {"format": "date-time"}:
            return "time"
        case {"format": "byte"}:
            return "base64"
        case {"type": str(name)}:
            return name
    return "any"


def _summary(info: KindInfo) -> str:
    return str(of_kind(info.struct)["description"])


if __name__ == "__main__":
    sys.stdout.write(page())
