"""Custom readiness checks: when objects are ready, by the values of their fields; pure.

`parse` reads a check once, `check` judges objects by it as often as they change. No message holds a value of a Secret,
nor what such a value is compared with.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from landform.api import faults
from landform.api.nodes import Node, Notes
from landform.cluster import selectors
from landform.cluster.resources import ObjectKey
from landform.deployers.manifest import readiness_fields as fields
from landform.deployers.manifest import references, secrecy
from landform.deployers.manifest.configuration import LabelSelector, Operator, TypedReference
from landform.deployers.manifest.readiness_verdicts import Verdict, cut, ready, waiting
from landform.kit import jsonpath
from landform.kit.errors import LandformError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from landform.api.faults import Fault

_WITHOUT_VALUES: Final = (Operator.EXISTS, Operator.DOES_NOT_EXIST)
_WITH_SEVERAL: Final = (Operator.IN, Operator.NOT_IN)
_MOST_TOLD: Final = 3
"""How many things that are not as they should be are told one by one."""


class InvalidCheck(LandformError):
    """A check that makes no sense; `faults` has everything that is wrong with it."""

    def __init__(self, found: Sequence[Fault]) -> None:
        super().__init__(faults.summary(found))
        self.faults = tuple(found)


@dataclass(frozen=True)
class ParsedRequirement:
    """What must be so in an object."""

    json_path: str
    """Where in the object the values are, as the item writes it."""

    path: jsonpath.JSONPath
    operator: Operator
    values: tuple[Any, ...]
    """What is compared with: none for the operators that ask for existence, else one, or several for a set."""


@dataclass(frozen=True)
class ParsedCheck:
    """When objects are ready: all of them must exist and meet all requirements."""

    name: str
    disabled: bool
    resource_selector: tuple[TypedReference, ...]
    """Objects by name; each must exist."""

    label_selector: LabelSelector | None
    """Objects by labels, in all namespaces; at least one must exist."""

    requirements: tuple[ParsedRequirement, ...]
    target_name: str
    """The Target whose cluster has the objects; empty for that of the item."""


def parse(check: Mapping[str, Any], path: str) -> ParsedCheck:
    """The check that an item has at `path`; InvalidCheck if something is wrong with it."""
    notes = Notes()
    node = Node(dict(check), path, notes)
    if not node["resourceSelector"].value and node["labelSelector"].value is None:
        notes.add(faults.required(path, "at least one of resourceSelector, labelSelector is needed"))
    if not node["requirements"].value:
        notes.add(faults.required(node["requirements"].path, "a check needs requirements"))
    parsed = ParsedCheck(
        name=node["name"].required_text("a check needs a name"),
        disabled=_flag(node["disabled"]),
        resource_selector=tuple(map(_reference, node["resourceSelector"].elements())),
        label_selector=_label_selector(node["labelSelector"]),
        requirements=tuple(filter(None, map(_requirement, node["requirements"].elements()))),
        target_name=node["targetName"].text(),
    )
    if notes.faults:
        raise InvalidCheck(notes.faults)
    return parsed


def check(objects: Sequence[Mapping[str, Any]], check: ParsedCheck) -> Verdict:
    """Whether everything is as the check wants it.

    `objects` are all that exist among those it may select, each in the version that its selectors name; others among
    them are left alone.
    """
    if check.disabled:
        return ready(f"check {check.name} is disabled")
    problems = list(_problems(objects, check))
    if not problems:
        return ready(f"check {check.name}: all requirements are met")
    told = "; ".join(problems[:_MOST_TOLD])
    more = len(problems) - _MOST_TOLD
    return waiting(f"check {check.name}: {told}" + (f"; and {more} more" if more > 0 else ""))


def _problems(objects: Sequence[Mapping[str, Any]], check: ParsedCheck) -> Iterator[str]:
    by_name = {_place(obj): obj for obj in objects}
    selected: dict[_Place, Mapping[str, Any]] = {}
    for wanted in check.resource_selector:
        place = next((each for each in _places(wanted) if each in by_name), None)
        if place is None:
            yield f"{wanted.kind} {ObjectKey(wanted.namespace, wanted.name)} does not exist"
        else:
            selected[place] = by_name[place]
    if (labels := check.label_selector) is not None:
        matching = {place: obj for place, obj in by_name.items() if _has_labels(obj, labels)}
        if not matching:
            told = ", ".join(f"{key}={value}" for key, value in (labels.match_labels or {}).items())
            yield f"no {labels.kind} has the labels {told}"
        selected |= matching
    for obj in selected.values():
        for requirement in check.requirements:
            if (problem := _problem(obj, requirement)) is not None:
                yield f"{references.of(obj)}: {problem}"


class _Place(NamedTuple):
    api_version: str
    kind: str
    key: ObjectKey


def _place(obj: Mapping[str, Any]) -> _Place:
    metadata = fields.mapping(obj, "metadata")
    key = ObjectKey(fields.text(metadata, "namespace"), fields.text(metadata, "name"))
    return _Place(fields.text(obj, "apiVersion"), fields.text(obj, "kind"), key)


def _places(wanted: TypedReference) -> Iterator[_Place]:
    """Where the object may be: a namespace that is said of an object whose kind has none does not count."""
    for namespace in (wanted.namespace, ""):
        yield _Place(wanted.api_version, wanted.kind, ObjectKey(namespace, wanted.name))


def _has_labels(obj: Mapping[str, Any], wanted: LabelSelector) -> bool:
    labels = fields.mapping(obj, "metadata", "labels")
    return (
        fields.text(obj, "apiVersion") == wanted.api_version
        and fields.text(obj, "kind") == wanted.kind
        and all(labels.get(key) == value for key, value in (wanted.match_labels or {}).items())
    )


def _problem(obj: Mapping[str, Any], requirement: ParsedRequirement) -> str | None:
    """What is not as the requirement wants it, or None."""
    path, hidden = cut(requirement.json_path), secrecy.is_secret(obj)
    try:
        found = [value for values in requirement.path.find(obj) for value in values]
    except jsonpath.EvaluationError as error:
        # The error may quote the value that it stumbled over.
        return f"{path} does not fit the object" + ("" if hidden else f": {cut(str(error))}")
    if requirement.operator is Operator.DOES_NOT_EXIST:
        return f"{path} exists and should not" if found else None
    if not found:
        return f"{path} does not exist"
    bad = [value for value in found if not _is_met(value, requirement)]
    if not bad:
        return None
    return f"{path} has a value that is not as required" if hidden else _difference(path, bad[0], requirement)


def _is_met(value: Any, requirement: ParsedRequirement) -> bool:
    match requirement.operator:
        case Operator.EXISTS:
            return True
        case Operator.NOT_EQUALS | Operator.NOT_IN:
            return not any(_is_equal(value, each) for each in requirement.values)
    return any(_is_equal(value, each) for each in requirement.values)


def _difference(path: str, value: Any, requirement: ParsedRequirement) -> str:
    wanted = ", ".join(map(_shown, requirement.values))
    match requirement.operator:
        case Operator.IN:
            return f"{path} is {_shown(value)}, expected one of {wanted}"
        case Operator.NOT_IN:
            return f"{path} is {_shown(value)}, expected none of {wanted}"
        case Operator.NOT_EQUALS:
            return f"{path} is {_shown(value)}, expected another value"
    return f"{path} is {_shown(value)}, expected {wanted}"


def _shown(value: Any) -> str:
    try:
        return cut(json.dumps(value, ensure_ascii=False))
    except RecursionError:
        return "a value that is nested too deeply to be shown"


def _is_equal(left: Any, right: Any) -> bool:
    """Whether two values are the same JSON: whole numbers and floats compare as numbers, never as booleans.

    With a stack of its own, for values may be nested deeper than Python's.
    """
    pairs = [(left, right)]
    while pairs:
        one, other = pairs.pop()
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            if one.keys() != other.keys():
                return False
            pairs += [(one[key], other[key]) for key in one]
        elif isinstance(one, list | tuple) and isinstance(other, list | tuple):
            if len(one) != len(other):
                return False
            pairs += zip(one, other, strict=True)
        elif isinstance(one, bool) is not isinstance(other, bool) or one != other:
            return False
    return True


def _reference(node: Node) -> TypedReference:
    return TypedReference(
        api_version=node["apiVersion"].required_text("an object is named by apiVersion, kind and name"),
        kind=node["kind"].required_text("an object is named by apiVersion, kind and name"),
        name=node["name"].required_text("an object is named by apiVersion, kind and name"),
        namespace=node["namespace"].text(),
    )


def _label_selector(node: Node) -> LabelSelector | None:
    if node.value is None:
        return None
    labels = {key: value.text() for key, value in node["matchLabels"].entries()}
    if not labels:
        node.notes.add(faults.required(node["matchLabels"].path, "name at least one label"))
    for key, value in labels.items():
        if wrong := selectors.check_label_key(key) or selectors.check_label_value(value):
            node.notes.add(faults.invalid(f"{node['matchLabels'].path}[{key}]", value, wrong))
    return LabelSelector(
        api_version=node["apiVersion"].required_text("objects with labels are found by apiVersion and kind"),
        kind=node["kind"].required_text("objects with labels are found by apiVersion and kind"),
        match_labels=labels,
    )


def _requirement(node: Node) -> ParsedRequirement | None:
    """The requirement; None if it makes no sense, which is noted."""
    path, operator = _json_path(node["jsonPath"]), _operator(node["operator"])
    values = _values(node["values"])
    if path is None or operator is None:
        return None
    if operator in _WITHOUT_VALUES:
        return ParsedRequirement(node["jsonPath"].text(), path, operator, ())
    if not values:
        node.notes.add(faults.required(node["values"].path, f"{operator} compares with a value"))
    elif len(values) > 1 and operator not in _WITH_SEVERAL:
        # Only the number: what is compared with may be secret.
        count = len(values)
        node.notes.add(faults.invalid(node["values"].path, count, f"{operator} compares with exactly one value"))
    return ParsedRequirement(node["jsonPath"].text(), path, operator, values)


def _json_path(node: Node) -> jsonpath.JSONPath | None:
    text = node.required_text("a requirement is about a field")
    if not text:
        return None
    try:
        # Only a path: a template would also yield the texts between its actions.
        return jsonpath.compile(jsonpath.relaxed(text), allow_missing=True)
    except jsonpath.InvalidPath as fault:
        node.invalid(str(fault))
        return None


def _operator(node: Node) -> Operator | None:
    text = node.text()
    if text in list(Operator):
        return Operator(text)
    known = ", ".join(Operator)
    if not text:
        node.notes.add(faults.required(node.path, f"one of {known}"))
    else:
        node.invalid(f"must be one of {known}")
    return None


def _values(node: Node) -> tuple[Any, ...]:
    """What is compared with, out of its wrapping; each is written as ``{value: ...}``, null too."""
    values = []
    for element in node.elements():
        value = element["value"]
        if isinstance(element.value, dict) and "value" not in element.value:
            node.notes.add(faults.required(value.path, "what is compared with is written as {value: ...}"))
        values.append(value.value)
    return tuple(values)


def _flag(node: Node) -> bool:
    if node.value is not None and not isinstance(node.value, bool):
        node.notes.add(faults.type_invalid(node.path, node.value, "boolean"))
    return node.value is True
