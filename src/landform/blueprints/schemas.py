"""JSON schemas of imports and exports: makes them whole and holds values against them.

No message shows a value, because it may be a secret: it says where the value is wrong, and what is asked for there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

import jsonschema_rs

from landform.blueprints.errors import Fault, SchemaError
from landform.blueprints.questions import Answers
from landform.blueprints.schemarefs import Resolution, Surroundings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from landform.blueprints.files import BlueprintFiles
    from landform.components.versions import ComponentVersion

MOST_FAULTS: Final = 20
"""How many faults of one value are listed."""

_DRAFTS: Final[Mapping[str, type[jsonschema_rs.Validator]]] = {
    "json-schema.org/draft-04/schema": jsonschema_rs.Draft4Validator,
    "json-schema.org/draft-06/schema": jsonschema_rs.Draft6Validator,
    "json-schema.org/draft-07/schema": jsonschema_rs.Draft7Validator,
    "json-schema.org/draft/2019-09/schema": jsonschema_rs.Draft201909Validator,
    "json-schema.org/draft/2020-12/schema": jsonschema_rs.Draft202012Validator,
}
_MASK: Final = "the value"


class Schemas:
    """The JSON schemas of one blueprint."""

    def __init__(
        self,
        local_types: Mapping[str, Any] | None = None,
        files: BlueprintFiles | None = None,
        component: ComponentVersion | None = None,
        answers: Answers | None = None,
    ) -> None:
        self._surroundings = Surroundings(local_types or {}, files, component)
        self._answers = answers or Answers()

    def faults(self, schema: Any, value: Any) -> list[Fault]:
        """What is wrong with a value: nothing if it fits. SchemaError if the schema itself is at fault."""
        validator = _compiled(self.resolved(schema))
        try:
            faults = [Fault(_path(error.instance_path), error.message) for error in validator.iter_errors(value)]
        except ValueError:
            return [Fault("", "the value has no form in JSON: it nests too deep, or a text in it is not Unicode")]
        if len(faults) > MOST_FAULTS:
            faults[MOST_FAULTS:] = [Fault("", f"and {len(faults) - MOST_FAULTS} more faults")]
        return faults

    def resolved(self, schema: Any) -> Any:
        """The schema with the content of its references in place of them."""
        return Resolution(self._answers).resolved(schema, self._surroundings, whole=True)


def _compiled(schema: Any) -> jsonschema_rs.Validator:
    draft = _DRAFTS.get(_schema_uri(schema))
    if draft is None:
        # Of no draft or an unknown one: as a mixture of the drafts 4 to 7, which is what the original knows.
        draft, schema = jsonschema_rs.Draft7Validator, _as_draft_7(schema)
    try:
        return draft(schema, mask=_MASK, validate_formats=True, retriever=_refuse)
    except jsonschema_rs.ValidationError as exc:
        path = _path(exc.instance_path)
        raise SchemaError(f"the JSON schema is invalid{f' at {path}' if path else ''}: {_cause(exc)}") from exc
    except ValueError as exc:
        raise SchemaError(f"the JSON schema cannot be compiled: {exc}") from exc


def _cause(exc: jsonschema_rs.ValidationError) -> str:
    return str(exc.message).replace(_MASK, "what stands there")


def _schema_uri(schema: Any) -> str:
    uri = schema.get("$schema") if isinstance(schema, dict) else None
    return uri.partition("://")[2].rstrip("#") if isinstance(uri, str) else ""


def _as_draft_7(schema: Any) -> Any:
    """The schema without a `$schema` that nobody knows, and with limits of draft 4 in today's form."""
    if isinstance(schema, list):
        return [_as_draft_7(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    result = {name: _as_draft_7(inner) for name, inner in schema.items() if name != "$schema"}
    for limit, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if isinstance(result.get(exclusive), bool) and _is_number(result.get(limit)) and result.pop(exclusive):
            result[exclusive] = result.pop(limit)
    return result


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _refuse(uri: str) -> NoReturn:
    """Answers the validator's wish for another document: schemas are checked without any network."""
    raise LookupError(f"schemas are not fetched from elsewhere; copy {uri} into the blueprint and use blueprint://")


def _path(steps: Iterable[str | int]) -> str:
    text = ""
    for step in steps:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.removeprefix(".")
