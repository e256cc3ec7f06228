"""Target selectors: which of the items of its type a deployer takes, by their targets.

Several instances of one deployer can share the work by targets: each is given selectors, and takes an item if one of
them matches the item's target. The rules that the original leaves open:

- an item without a target is taken by an instance without selectors, or with an empty one;
- a target that does not exist is judged by its name, as one without labels and annotations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from landform.api.targets import TargetSelector
from landform.cluster.selectors import LabelSelector, Operator, Requirement, parse_labels
from landform.kit.errors import LandformError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from landform.api import targets
    from landform.api.references import ObjectReference
    from landform.api.targets import Target
    from landform.cluster.resources import ObjectKey

_SINGLE = (Operator.EQUALS, Operator.DOUBLE_EQUALS, Operator.NOT_EQUALS, Operator.GREATER_THAN, Operator.LESS_THAN)
_SEVERAL = (Operator.IN, Operator.NOT_IN)


class SelectorError(LandformError):
    """A target selector cannot be understood."""


@dataclass(frozen=True)
class Selector:
    """One selector: every part that is given must match."""

    targets: tuple[ObjectReference, ...]
    annotations: LabelSelector
    labels: LabelSelector

    @property
    def is_empty(self) -> bool:
        """Whether it matches everything."""
        return not (self.targets or self.annotations or self.labels)

    def matches(self, key: ObjectKey, labels: Mapping[str, str], annotations: Mapping[str, str]) -> bool:
        """Whether it matches the target of that name with these labels and annotations."""
        named = not self.targets or any(_names(reference, key) for reference in self.targets)
        return named and self.annotations.matches(annotations) and self.labels.matches(labels)


@dataclass(frozen=True)
class Selectors:
    """The selectors of one instance; without any it takes everything."""

    selectors: tuple[Selector, ...] = ()

    def matches_none(self) -> bool:
        """Whether an item without a target is taken."""
        return not self.selectors or any(selector.is_empty for selector in self.selectors)

    def matches(self, key: ObjectKey, target: Target | None) -> bool:
        """Whether an item with the target of that name is taken; None if there is no such target."""
        if not self.selectors:
            return True
        labels = (target.metadata.labels if target else None) or {}
        annotations = (target.metadata.annotations if target else None) or {}
        return any(selector.matches(key, labels, annotations) for selector in self.selectors)


EVERYTHING = Selectors()


def parse(content: Any) -> Selectors:
    """The selectors of a configuration's `targetSelector`, a list; a single one may stand for itself."""
    if content is None:
        return EVERYTHING
    try:
        given = msgspec.convert(content if isinstance(content, list) else [content], list[TargetSelector])
    except msgspec.ValidationError as fault:
        raise SelectorError(f"targetSelector is not a list of target selectors: {fault}") from fault
    return of(given)


def of(selectors: Iterable[TargetSelector]) -> Selectors:
    """The selectors, checked; SelectorError names the first that cannot be understood."""
    return Selectors(tuple(_selector(index, selector) for index, selector in enumerate(selectors)))


def _selector(index: int, given: TargetSelector) -> Selector:
    place = f"targetSelector[{index}]"
    annotations = _requirements(f"{place}.annotations", given.annotations or ())
    return Selector(given.targets or (), annotations, _requirements(f"{place}.labels", given.labels or ()))


def _requirements(place: str, given: Iterable[targets.Requirement]) -> LabelSelector:
    return LabelSelector(tuple(_requirement(f"{place}[{index}]", each) for index, each in enumerate(given)))


def _requirement(place: str, given: targets.Requirement) -> Requirement:
    try:
        operator = Operator(given.operator)
    except ValueError as fault:
        known = ", ".join(Operator)
        raise SelectorError(f"{place}: the operator {given.operator!r} is not one of {known}") from fault
    values = tuple(sorted(set(given.values or ())))
    if operator in _SINGLE and len(values) != 1:
        raise SelectorError(f"{place}: the operator {operator} takes exactly one value, not {len(values)}")
    if operator in _SEVERAL and not values:
        raise SelectorError(f"{place}: the operator {operator} takes at least one value")
    if operator not in (*_SINGLE, *_SEVERAL) and values:
        raise SelectorError(f"{place}: the operator {operator} takes no values")
    return _checked(place, Requirement(given.key, operator, values))


def _checked(place: str, requirement: Requirement) -> Requirement:
    """The requirement, if it comes back from its own text: so key and values keep the rules of Kubernetes."""
    try:
        read = parse_labels(str(requirement)).requirements
    except ValueError as fault:
        raise SelectorError(f"{place}: {fault}") from fault
    if read != (requirement,):
        raise SelectorError(f"{place}: {requirement} has a key or a value that no label can have")
    return requirement


def _names(reference: ObjectReference, key: ObjectKey) -> bool:
    return reference.name == key.name and reference.namespace in (None, "", key.namespace)
