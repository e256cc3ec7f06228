"""Whether an object follows its schema.

Almost all objects do, so there is a fast check that only says yes or no, made of closures that are built once per
schema and only where objects go. What it refuses goes to `explaining`, which finds the API server's words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from landform.embedded.schemas import explaining, gotexts, lists, objectmeta, values
from landform.embedded.schemas.nodes import ListType, Node
from landform.embedded.schemas.rules import Rules, rules_of

if TYPE_CHECKING:
    from landform.cluster.errors import Cause

Accepts = Callable[[Any], bool]

_NULL = type(None)
_UNSUPPORTED = "x-kubernetes-validations"


def compile(node: Node) -> Validator:
    """The validator of a schema. It is built when it is first used."""
    return Validator(node)


class Validator:
    """Finds the faults of objects. Never raises, whatever JSON it is given."""

    def __init__(self, node: Node) -> None:
        self._node = node

    @cached_property
    def _rules(self) -> Rules:
        return rules_of(self._node)

    @cached_property
    def accepts(self) -> Accepts:
        """The fast check: whether a value has no fault at all."""
        return _Builder().build(self._rules)

    def __call__(self, value: Any, old: Any = explaining.ABSENT) -> list[Cause]:
        """All faults of an object in the API server's order: schema, embedded resources, lists.

        With the `old` object, parts that were as wrong before are forgiven: a schema that has become stricter does not
        block changes elsewhere in the object.
        """
        if self.accepts(value):
            return []
        causes = explaining.explain(self._rules, value, old)
        causes += objectmeta.faults(self._rules, value)
        if old is explaining.ABSENT or not lists.duplicates(self._rules, old):
            causes += lists.duplicates(self._rules, value)
        return causes


def unsupported_words(schema: Mapping[str, Any]) -> list[str]:
    """Paths of what a schema demands that is stored and served but not enforced here: rules in CEL."""
    return _unsupported(schema, "")


def _unsupported(schema: Any, path: str) -> list[str]:
    if not isinstance(schema, Mapping):
        return []
    found = [f"{path}.{_UNSUPPORTED}".removeprefix(".")] if schema.get(_UNSUPPORTED) else []
    for name, inner in (schema.get("properties") or {}).items():
        found += _unsupported(inner, f"{path}.properties[{name}]")
    for word in ("items", "additionalProperties", "not"):
        found += _unsupported(schema.get(word), f"{path}.{word}")
    for word in ("allOf", "anyOf", "oneOf"):
        for index, inner in enumerate(schema.get(word) or ()):
            found += _unsupported(inner, f"{path}.{word}[{index}]")
    return found


def _anything(value: Any) -> bool:
    return True


def _nothing(value: Any) -> bool:
    return False


def _is_string(value: Any) -> bool:
    return type(value) is str


def _is_boolean(value: Any) -> bool:
    return type(value) is bool


class _Builder:
    """Builds the fast check of each set of rules once; those of the parts only when an object has such a part."""

    def __init__(self) -> None:
        self._built: dict[Rules, Accepts] = {}

    def build(self, rules: Rules) -> Accepts:
        known = self._built.get(rules)
        if known is None:
            known = self._built[rules] = self._check_of(rules)
        return known

    def _check_of(self, rules: Rules) -> Accepts:
        """One check per JSON type, chosen by the value's type, then what holds for all types."""
        checks: dict[type, Accepts] = {
            str: self._for_strings(rules),
            bool: _anything if _allows(rules, "boolean") else _nothing,
            int: self._for_integers(rules),
            float: self._for_floats(rules),
            list: self._for_lists(rules),
            dict: self._for_objects(rules),
            _NULL: _anything if (rules.nullable or not rules.types) and not rules.enum else _nothing,
        }
        accepts = _by_type(checks)
        further = [*self._of_enum(rules), *self._of_schemas(rules)]
        return _and_also(accepts, further) if further else accepts

    def _for_strings(self, rules: Rules) -> Accepts:
        if not _allows(rules, "string"):
            return self._by_explanation(rules) if rules.format else _nothing
        least, most = rules.min_length, rules.max_length
        checks = [check for check in (rules.pattern_check, rules.format_check) if check is not None]
        if least is None and most is None:
            return _all(checks)
        shortest, longest = least or 0, most if most is not None else 2**63

        def accepts(value: str) -> bool:
            return shortest <= len(value) <= longest and all(check(value) for check in checks)

        return accepts

    def _by_explanation(self, rules: Rules) -> Accepts:
        """For odd schemas, such as a boolean with the format of a date: be right, not fast."""
        return lambda value: not explaining.explain(rules, value)

    def _for_integers(self, rules: Rules) -> Accepts:
        if not _allows(rules, "integer") and not _allows(rules, "number"):
            return _nothing
        least = None if rules.minimum is None else int(rules.minimum) + rules.exclusive_minimum
        most = None if rules.maximum is None else int(rules.maximum) - rules.exclusive_maximum
        lowest = -(2**63) if least is None else least
        highest = 2**63 - 1 if most is None else most
        factor, large = rules.multiple_of, self._for_floats(rules)

        def accepts(value: int) -> bool:
            if not -(2**63) <= value < 2**63:
                return large(value)
            return lowest <= value <= highest and (factor is None or values.is_multiple(value, factor))

        return accepts

    def _for_floats(self, rules: Rules) -> Accepts:
        if not _allows(rules, "number") and not _allows(rules, "integer"):
            return _nothing
        whole = not _allows(rules, "number")
        least, most, factor = rules.minimum, rules.maximum, rules.multiple_of

        def accepts(value: float) -> bool:
            return not (
                (whole and not values.is_whole(gotexts.as_float(value)))
                or (least is not None and (value < least or (rules.exclusive_minimum and value == least)))
                or (most is not None and (value > most or (rules.exclusive_maximum and value == most)))
                or (factor is not None and not values.is_multiple(value, factor))
            )

        return accepts

    def _for_lists(self, rules: Rules) -> Accepts:
        if not _allows(rules, "array"):
            return self._by_explanation(rules) if rules.format else _nothing
        least = rules.min_items or 0
        most = rules.max_items if rules.max_items is not None else 2**63
        items, unique = rules.items, rules.unique_items
        keyed = rules.list_type is not ListType.ATOMIC
        item_check: Accepts | None = None

        def accepts(value: list[Any]) -> bool:
            nonlocal item_check
            if not least <= len(value) <= most:
                return False
            if items is not None and value:
                item_check = item_check or self.build(items)
                if not all(map(item_check, value)):
                    return False
            if keyed and (_has_strangers(rules, value) or lists.has_repeated(rules, value)):
                return False
            return not (unique and values.has_duplicates(value))

        return accepts

    def _for_objects(self, rules: Rules) -> Accepts:
        if not _allows(rules, "object"):
            return _nothing
        least = rules.min_properties or 0
        most = rules.max_properties if rules.max_properties is not None else 2**63
        required, embedded = frozenset(rules.required), rules.embedded_resource
        checks: dict[str, Accepts] = {}
        plain: dict[str, type] = {}

        def accepts(value: Any) -> bool:
            if type(value) is not dict:
                return False
            for name, inner in value.items():
                # fields that need nothing but the right type are most of all, and spared a call
                if plain.get(name) is type(inner):
                    continue
                if not (checks.get(name) or self._check_of_field(rules, name, checks, plain))(inner):
                    return False
            if required and not required <= value.keys():
                return False
            if embedded and objectmeta.resource_faults(value, ""):
                return False
            return least <= len(value) <= most

        return accepts

    def _check_of_field(self, rules: Rules, name: str, checks: dict[str, Accepts], plain: dict[str, type]) -> Accepts:
        """The check of a field, remembered if the field is a known one."""
        known = rules.properties.get(name)
        if known is None:
            if rules.closed:
                return _nothing
            return self.build(rules.additional) if rules.additional is not None else _anything
        check = checks[name] = self.build(known)
        if check is _is_string:
            plain[name] = str
        elif check is _is_boolean:
            plain[name] = bool
        return check

    def _of_enum(self, rules: Rules) -> list[Accepts]:
        if not rules.enum:
            return []
        enum = rules.enum
        texts = frozenset(one for one in enum if isinstance(one, str))
        return [lambda value: value in texts if type(value) is str else values.is_one_of(value, enum)]

    def _of_schemas(self, rules: Rules) -> list[Accepts]:
        checks = [self.build(branch) for branch in rules.all_of]
        if rules.any_of:
            any_of = [self.build(branch) for branch in rules.any_of]
            checks.append(lambda value: any(accepts(value) for accepts in any_of))
        if rules.one_of:
            one_of = [self.build(branch) for branch in rules.one_of]
            checks.append(lambda value: sum(accepts(value) for accepts in one_of) == 1)
        if rules.negated is not None:
            negated = self.build(rules.negated)
            checks.append(lambda value: not negated(value))
        return checks


def _allows(rules: Rules, type_: str) -> bool:
    return not rules.types or type_ in rules.types


def _has_strangers(rules: Rules, items: list[Any]) -> bool:
    """Whether a keyed list has items that are neither objects nor null."""
    return rules.list_type is ListType.MAP and any(item is not None and type(item) is not dict for item in items)


def _all(checks: list[Accepts]) -> Accepts:
    if not checks:
        return _anything
    return checks[0] if len(checks) == 1 else lambda value: all(check(value) for check in checks)


def _by_type(checks: Mapping[type, Accepts]) -> Accepts:
    """The check that the value's type decides on; without a second call where the type says it all."""
    useful = {type_: check for type_, check in checks.items() if check is not _nothing}
    if useful == {str: _anything}:
        return _is_string
    if useful == {bool: _anything}:
        return _is_boolean
    if all(check is _anything for check in useful.values()):
        types = frozenset(useful)
        return lambda value: type(value) in types
    if len(useful) == 1:
        ((only, check),) = useful.items()
        if only is dict:  # looks at the type itself: objects are too many for a second call
            return check
        return lambda value: type(value) is only and check(value)
    return lambda value: useful.get(type(value), _nothing)(value)


def _and_also(accepts: Accepts, further: list[Accepts]) -> Accepts:
    """Both; null is only held against its type and the enumeration, which `accepts` does."""
    if len(further) == 1:
        (only,) = further
        return lambda value: accepts(value) and (value is None or only(value))
    return lambda value: accepts(value) and (value is None or all(check(value) for check in further))
