"""What every object goes through before it is stored: pruning, defaults, its kind's rules, its schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.embedded import faults, metadata, strategies
from landform.embedded.merging import structs
from landform.embedded.merging.scopes import Scope
from landform.embedded.schemas import defaulting, pruning, validation
from landform.embedded.strategies import Unchangeable

if TYPE_CHECKING:
    from landform.cluster.errors import Cause
    from landform.embedded.catalog import ResourceType

Object = dict[str, Any]

STRICT = "Strict"
IGNORE = "Ignore"


class Admission:
    """The checks of one resource type, compiled once from its schema."""

    def __init__(self, type_: ResourceType) -> None:
        self._type = type_
        self._prune = pruning.compile_pruning(type_.schema)
        self._default = defaulting.compile_defaults(type_.schema) if type_.custom else None
        self._validate = validation.compile(type_.schema)
        self._strategy = strategies.strategy_of(type_)
        self._scopes: dict[str, Scope] = {}

    def scope(self, subresource: str) -> Scope:
        """What field ownership needs to know of this type."""
        scope = self._scopes.get(subresource)
        if scope is None:
            type_ = self._type
            own = subresource == "status"
            scope = self._scopes[subresource] = Scope(
                type_.schema,
                type_.api_version,
                type_.kind,
                subresource,
                ignored={"f:spec": {}} if own else {"f:status": {}} if type_.status else {},
                built_in=not type_.custom,
            )
        return scope

    def prune(self, obj: Object) -> list[str]:
        """Remove, in place, what the schema does not know; the paths of that."""
        if not self._type.custom:
            self._empty(obj)
        return self._prune(obj)

    def _empty(self, obj: Object) -> None:
        """Remove, in place, what a built-in type does not keep: nulls, and empty lists and maps."""
        metadata = obj.pop("metadata")  # whose own rules have seen to that
        kept = structs.held(obj, self._type.schema)
        obj.clear()
        obj["metadata"] = metadata
        obj.update(kept)

    def screen(self, obj: Object, field_validation: str) -> list[str]:
        """Prune the object, or refuse it for what would be pruned; the warnings that the client should see."""
        unknown = self.prune(obj)
        if unknown and field_validation == STRICT:
            shown = ", ".join(f'unknown field "{path}"' for path in unknown)
            raise faults.undecodable(self._type, f"strict decoding error: {shown}")
        return [] if field_validation == IGNORE else [f'unknown field "{path}"' for path in unknown]

    def complete(self, obj: Object, old: Object | None, field_validation: str) -> list[str]:
        """Bring the object into its stored form, in place; the warnings that the client should see."""
        warnings = self.screen(obj, field_validation)
        if self._default is not None:
            self._default(obj)
        self._strategy.prepare(obj, old)
        return warnings

    def warnings(self, obj: Object) -> list[str]:
        """What the author of an object that is taken should know."""
        return self._strategy.warn(obj)

    def check(self, obj: Object, old: Object | None) -> None:
        """Refuse the object if it breaks a rule: Invalid, or BadRequest if it is not even of this kind."""
        type_ = self._type
        causes = metadata.check(type_, obj["metadata"], old["metadata"] if old else None)
        shape = self._validate(obj, old)
        if shape and not type_.custom:
            wrong_type = [cause for cause in shape if cause.reason == "FieldValueTypeInvalid"]
            if wrong_type:
                raise faults.undecodable(type_, f"{wrong_type[0].field}: {wrong_type[0].message}")
            shape = [cause for cause in shape if not self._is_at_liberty(cause)]
        causes += shape
        if not shape:  # a kind's own rules may rely on the types that the schema promises
            causes += self._strategy.check(obj, old)
        if not causes:
            return
        name = obj["metadata"].get("name", "")
        unchangeable = [cause for cause in causes if isinstance(cause, Unchangeable)]
        if unchangeable:
            text = f"{unchangeable[0].field}: {unchangeable[0].message}"
            raise faults.forbidden(type_.group_resource, name, text, unchangeable)
        raise faults.invalid(type_, name, causes)

    def _is_at_liberty(self, cause: Cause) -> bool:
        """Whether a built-in kind is not really held to its schema: a zero stands in for what a status leaves out."""
        return self._strategy.knows_all or (cause.reason == "FieldValueRequired" and cause.field.startswith("status."))
