"""Reading objects of clusters whose fields may be anything, or missing: what does not fit counts as absent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from landform.deployers.manifest.readiness_verdicts import cut

if TYPE_CHECKING:
    from collections.abc import Iterator

TRUE: Final = "True"
FALSE: Final = "False"

_NOTHING: Final[Mapping[str, Any]] = {}


@dataclass(frozen=True, slots=True)
class Condition:
    """One statement in the status of an object."""

    type: str
    status: str
    reason: str
    message: str
    observed_generation: int | None
    """The generation of the object that it speaks of, if it says so."""

    def __str__(self) -> str:
        """All that it says: ``condition Ready is False: ImagePullBackOff: no such image``."""
        return ": ".join(
            part for part in (f"condition {self.type} is {self.status}", self.reason, self.message) if part
        )


def group(obj: Mapping[str, Any]) -> str:
    """The API group of an object; empty for the core group."""
    return text(obj, "apiVersion").rpartition("/")[0]


def mapping(obj: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
    """The object that stands at the path; an empty one if there is none."""
    for field in path:
        value = obj.get(field)
        if not isinstance(value, Mapping):
            return _NOTHING
        obj = value
    return obj


def mappings(obj: Mapping[str, Any], field: str) -> Iterator[Mapping[str, Any]]:
    """The objects in the list that the field holds."""
    value = obj.get(field)
    if isinstance(value, list | tuple):
        yield from (each for each in value if isinstance(each, Mapping))


def text(obj: Mapping[str, Any], field: str) -> str:
    """The text that the field holds; empty if it holds none."""
    value = obj.get(field)
    return value if isinstance(value, str) else ""


def number(obj: Mapping[str, Any], field: str) -> int | None:
    """The whole number that the field holds, if it holds one."""
    value = obj.get(field)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def count(obj: Mapping[str, Any], field: str) -> int:
    """The whole number that the field holds; 0 if it holds none, for controllers leave zeros out."""
    return number(obj, field) or 0


def generation(obj: Mapping[str, Any]) -> int:
    """The generation of the object's specification; 0 if its kind does not count them."""
    return count(mapping(obj, "metadata"), "generation")


def conditions(obj: Mapping[str, Any]) -> dict[str, Condition]:
    """The conditions in the object's status, by type."""
    found = (_condition(each) for each in mappings(mapping(obj, "status"), "conditions"))
    return {condition.type: condition for condition in found if condition.type}


def _condition(said: Mapping[str, Any]) -> Condition:
    return Condition(
        type=cut(text(said, "type")),
        status=cut(text(said, "status")) or "Unknown",
        reason=cut(text(said, "reason")),
        message=cut(text(said, "message")),
        observed_generation=number(said, "observedGeneration"),
    )
