"""CustomResourceDefinitions: their schemas must be structural, and what objects are filed under stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.embedded import definitions
from landform.embedded.schemas import causes, structural, validation
from landform.embedded.strategies.strategy import Object, Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.cluster.errors import Cause


def _prepare(obj: Object, old: Object | None) -> None:
    """Names that may be left out; the status follows at once, written by the keeper of definitions."""
    spec = obj.get("spec") or {}
    if isinstance(spec, dict) and isinstance(spec.get("names") or {}, dict):  # otherwise it is refused for its types
        obj["spec"] = definitions.defaulted(obj)["spec"]


def _check(obj: Object, old: Object | None) -> Iterator[Cause]:
    yield from structural.check_definition(obj)
    if old is None:
        return
    fields = [("group",), ("names", "plural")]
    if definitions.is_established(old):  # before that no object can exist
        fields = [("scope",), ("names", "kind"), *fields]
    for path in fields:
        before, now = (_at(spec, path) for spec in (old["spec"], obj["spec"]))
        if before != now:
            yield causes.invalid(".".join(("spec", *path)), now, "field is immutable")


def _at(spec: Object, path: tuple[str, ...]) -> object:
    value: object = spec
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _warn(obj: Object) -> list[str]:
    """What of a schema is kept, but not enforced here or anywhere."""
    warnings = structural.unrecognized_formats(obj)
    for index, version in enumerate(obj["spec"]["versions"]):
        schema = (version.get("schema") or {}).get("openAPIV3Schema") or {}
        warnings += [
            f"spec.versions[{index}].schema.openAPIV3Schema.{path}: rules in CEL are kept, but not enforced here"
            for path in validation.unsupported_words(schema)
        ]
    return warnings


STRATEGY = Strategy(_prepare, _check, knows_all=True, warn=_warn)
