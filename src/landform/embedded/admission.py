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
        # A status that the schema does not describe is kept or pruned as the object around it says.
        described = type_.custom and type_.status and "status" in type_.schema.properties
        self._status = _StatusWrites(type_) if described else None
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
        return self._told(self.prune(obj), field_validation)

    def _told(self, unknown: list[str], field_validation: str) -> list[str]:
        if unknown and field_validation == STRICT:
            shown = ", ".join(f'unknown field "{path}"' for path in unknown)
            raise faults.undecodable(self._type, f"strict decoding error: {shown}")
        return [] if field_validation == IGNORE else [f'unknown field "{path}"' for path in unknown]

    def complete(self, obj: Object, old: Object | None, field_validation: str) -> list[str]:
        """Bring the object into its stored form, in place; the warnings that the client should see."""
        if self._status is not None and _changes_only_status(obj, old):
            warnings = self._told(self._status.prune(obj), field_validation)
        else:
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
        if self._status is not None and _changes_only_status(obj, old) and self._status.accepts(obj):
            return
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


class _StatusWrites:
    """The checks of writes that change nothing but the status: the most frequent ones, of objects that are large."""

    def __init__(self, type_: ResourceType) -> None:
        node = type_.schema.properties.get("status")
        self._prune = pruning.compile_part(node, "status")
        self._validate = validation.compile(node) if node is not None else None

    def prune(self, obj: Object) -> list[str]:
        """Remove, in place, what the schema does not know; the paths of that."""
        return self._prune(obj.get("status"))

    def accepts(self, obj: Object) -> bool:
        """Whether the status has no fault at all; what is wrong with it is found by the check of the whole object."""
        return self._validate is not None and "status" in obj and self._validate.accepts(obj["status"])


def _changes_only_status(obj: Object, old: Object | None) -> bool:
    """Whether all but the status is, as it was put together, that of the old object; which was checked when it came."""
    if old is None or obj["metadata"] != old["metadata"]:
        return False
    return all(value is old.get(name) for name, value in obj.items() if name not in ("metadata", "status"))
