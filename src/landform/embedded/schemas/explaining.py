"""Why a value breaks its rules, in the exact words and order of the API server.

This is the slow twin of the fast check in `validation`: it runs only on values that are known to be wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from landform.cluster.errors import Cause
from landform.embedded.schemas import gotexts, values
from landform.embedded.schemas.nodes import ListType
from landform.kit.patches import same
from landform.kit.quoting import quote

if TYPE_CHECKING:
    from landform.embedded.schemas.rules import Rules

NOWHERE: Final = "<nil>"
"""The field of faults that concern the whole object, as the API server writes it."""


class _Absent:
    """There is no former value to compare with."""


ABSENT: Final = _Absent()


def explain(rules: Rules, value: Any, old: Any = ABSENT) -> list[Cause]:
    """All faults of a value. Those inside of parts that are the same in the `old` value are forgiven."""
    return list(_explain_part(rules, value, "", old).faults.values())


@dataclass(slots=True)
class _Finding:
    """Faults by their text, and how many checks passed: of several alternatives, the one that nearly fits is told."""

    faults: dict[str, Cause] = field(default_factory=dict)
    passed: int = 0

    def merge(self, other: _Finding) -> None:
        for text, cause in other.faults.items():
            self.faults.setdefault(text, cause)
        self.passed += other.passed

    def invalid(self, path: str, shown: Any, text: str, reason: str = "FieldValueInvalid") -> None:
        self.add(Cause(reason, f"Invalid value: {gotexts.bad_value(shown)}: {text}", _field(path)), text)

    def about_schemas(self, text: str) -> None:
        self.add(Cause("FieldValueInvalid", f'Invalid value: "": {text}', NOWHERE), text)

    def too_many(self, path: str, count: int, most: int, text: str) -> None:
        unit = "item" if most == 1 else "items"
        self.add(Cause("FieldValueTooMany", f"Too many: {count}: must have at most {most} {unit}", _field(path)), text)

    def add(self, cause: Cause, text: str) -> None:
        self.faults.setdefault(text, cause)


def _field(path: str) -> str:
    return path.removeprefix(".") or NOWHERE


def _explain_part(rules: Rules, value: Any, path: str, old: Any) -> _Finding:
    finding = _explain_value(rules, value, path, old)
    if finding.faults and old is not ABSENT and same(old, value):
        finding.faults.clear()
    return finding


def _explain_value(rules: Rules, value: Any, path: str, old: Any) -> _Finding:
    finding = _Finding()
    if value is None:
        _check_type(finding, rules, value, path)
        _check_enum(finding, rules, value, path)
        return finding
    if rules.types or rules.format:
        _check_type(finding, rules, value, path)
        finding.passed += 1
    _check_schemas(finding, rules, value, path, old)
    finding.passed += 1
    if isinstance(value, str):
        _check_string(finding, rules, value, path)
        finding.passed += 1
        if rules.format_check is not None:
            _check_format(finding, rules, value, path)
            finding.passed += 1
    elif values.is_number(value):
        _check_number(finding, rules, value, path)
        finding.passed += 2
    elif isinstance(value, list):
        _check_list(finding, rules, value, path, old)
        finding.passed += 2
    _check_enum(finding, rules, value, path)
    finding.passed += 1
    if isinstance(value, dict):
        _check_object(finding, rules, value, path, old)
        finding.passed += 1
    finding.passed += 1
    return finding


def _check_type(finding: _Finding, rules: Rules, value: Any, path: str) -> None:
    found = values.type_name(value)
    expected = ",".join(rules.types)
    if value is None:
        if rules.types and not rules.nullable:
            _wrong_type(finding, path, expected, "null")
        else:
            finding.passed += 1
        return
    numeric = "number" in rules.types or "integer" in rules.types
    fits = (
        found in rules.types
        or (found == "number" and "integer" in rules.types and values.is_whole(gotexts.as_float(value)))
        or (found == "integer" and "number" in rules.types)
    )
    if rules.format and found not in ("string", "array") and not fits:
        _wrong_type(finding, path, rules.format, {"integer": "int64", "number": "float64"}.get(found, ""))
    elif not fits and not (rules.format and not numeric and found in ("string", "array")):
        _wrong_type(finding, path, expected, found)
    else:
        finding.passed += 1


def _wrong_type(finding: _Finding, path: str, expected: str, found: str) -> None:
    text = f"{path} in body must be of type {expected}: {quote(found)}"
    finding.invalid(path, found, text, "FieldValueTypeInvalid")


def _check_schemas(finding: _Finding, rules: Rules, value: Any, path: str, old: Any) -> None:
    shown = quote(path)
    if rules.any_of:
        _check_any_of(finding, rules, value, path, old)
    if rules.one_of:
        _check_one_of(finding, rules, value, path, old)
    if rules.all_of:
        results = [_explain_value(branch, value, path, old) for branch in rules.all_of]
        for result in results:
            finding.merge(result)
        wrong = sum(1 for result in results if result.faults)
        if wrong:
            none = ". None validated" if wrong == len(results) else ""
            finding.about_schemas(f"{shown} must validate all the schemas (allOf){none}")
    if rules.negated is not None and not _explain_value(rules.negated, value, path, old).faults:
        finding.about_schemas(f"{shown} must not validate the schema (not)")
    finding.passed += 1


def _check_any_of(finding: _Finding, rules: Rules, value: Any, path: str, old: Any) -> None:
    best: _Finding | None = None
    for branch in rules.any_of:
        result = _explain_value(branch, value, path, old)
        if not result.faults:
            finding.merge(result)
            return
        if best is None or result.passed > best.passed:
            best = result
    finding.about_schemas(f"{quote(path)} must validate at least one schema (anyOf)")
    if best is not None:
        finding.merge(best)


def _check_one_of(finding: _Finding, rules: Rules, value: Any, path: str, old: Any) -> None:
    results = [_explain_value(branch, value, path, old) for branch in rules.one_of]
    fitting = [result for result in results if not result.faults]
    if len(fitting) == 1:
        finding.merge(fitting[0])
        return
    told = f"Found {len(fitting)} valid alternatives" if fitting else "Found none valid"
    finding.about_schemas(f"{quote(path)} must validate one and only one schema (oneOf). {told}")
    if not fitting:
        finding.merge(max(results, key=lambda result: result.passed))


def _check_string(finding: _Finding, rules: Rules, value: str, path: str) -> None:
    if rules.max_length is not None and len(value) > rules.max_length:
        unit = "byte" if rules.max_length == 1 else "bytes"
        message = f"Too long: may not be more than {rules.max_length} {unit}"
        text = f"{path} in body should be at most {rules.max_length} chars long"
        finding.add(Cause("FieldValueTooLong", message, _field(path)), text)
    elif rules.min_length is not None and len(value) < rules.min_length:
        finding.invalid(path, value, f"{path} in body should be at least {rules.min_length} chars long")
    elif rules.pattern_check is not None and not rules.pattern_check(value):
        finding.invalid(path, value, f"{path} in body should match '{rules.pattern}'")


def _check_format(finding: _Finding, rules: Rules, value: str, path: str) -> None:
    if rules.format_check is not None and not rules.format_check(value):
        text = f"{path} in body must be of type {rules.format}: {quote(value)}"
        finding.invalid(path, value, text, "FieldValueTypeInvalid")


def _check_number(finding: _Finding, rules: Rules, value: float, path: str) -> None:
    whole = gotexts.is_integer(value)
    if rules.multiple_of is not None and not values.is_multiple(value, rules.multiple_of):
        factor = int(rules.multiple_of) if whole else float(rules.multiple_of)
        if factor <= 0:
            text = f"factor MultipleOf declared for {path} must be positive: {gotexts.number(factor)}"
            finding.invalid(path, factor, text)
        else:
            finding.invalid(path, value, f"{path} in body should be a multiple of {gotexts.number(factor)}")
    if rules.minimum is not None:
        least = int(rules.minimum) if whole else float(rules.minimum)
        if value < least or (rules.exclusive_minimum and value == least):
            relation = "greater than" if rules.exclusive_minimum else "greater than or equal to"
            finding.invalid(path, value, f"{path} in body should be {relation} {gotexts.number(least)}")
    if rules.maximum is not None:
        most = int(rules.maximum) if whole else float(rules.maximum)
        if value > most or (rules.exclusive_maximum and value == most):
            relation = "less than" if rules.exclusive_maximum else "less than or equal to"
            finding.invalid(path, value, f"{path} in body should be {relation} {gotexts.number(most)}")


def _check_list(finding: _Finding, rules: Rules, value: list[Any], path: str, old: Any) -> None:
    if rules.items is not None:
        for index, item in enumerate(value):
            finding.merge(_explain_part(rules.items, item, f"{path}[{index}]", _old_item(rules, item, old)))
    if rules.min_items is not None and len(value) < rules.min_items:
        finding.invalid(path, len(value), f"{path} in body should have at least {rules.min_items} items")
    if rules.max_items is not None and len(value) > rules.max_items:
        text = f"{path} in body should have at most {rules.max_items} items"
        finding.too_many(path, len(value), rules.max_items, text)
    if rules.unique_items and values.has_duplicates(value):
        finding.invalid(path, "", f"{path} in body shouldn't contain duplicates")


def _old_item(rules: Rules, item: Any, old: Any) -> Any:
    """The former value of a list's item; only lists with keys tell which one that is."""
    if rules.list_type is not ListType.MAP or not isinstance(old, list) or not isinstance(item, dict):
        return ABSENT
    keys = {key: item.get(key) for key in rules.list_map_keys}
    for former in old:
        if isinstance(former, dict) and same({key: former.get(key) for key in keys}, keys):
            return former
    return ABSENT


def _check_enum(finding: _Finding, rules: Rules, value: Any, path: str) -> None:
    if rules.enum and not values.is_one_of(value, rules.enum):
        allowed = [one if isinstance(one, str) else gotexts.as_json(one) for one in rules.enum]
        supported = ", ".join(map(quote, allowed))
        message = f"Unsupported value: {gotexts.bad_value(value)}: supported values: {supported}"
        text = f"{path} in body should be one of {allowed}"
        finding.add(Cause("FieldValueNotSupported", message, _field(path)), text)


def _check_object(finding: _Finding, rules: Rules, value: dict[str, Any], path: str, old: Any) -> None:
    count = len(value)
    if rules.min_properties is not None and count < rules.min_properties:
        finding.invalid(path, count, f"{path} in body should have at least {rules.min_properties} properties")
    if rules.max_properties is not None and count > rules.max_properties:
        text = f"{path} in body should have at most {rules.max_properties} properties"
        finding.too_many(path, count, rules.max_properties, text)
    for name, inner in value.items():
        if name in rules.properties:
            continue
        if rules.closed:
            finding.invalid(path, name, f"{path}.{name} in body is a forbidden property")
        elif rules.additional is not None:
            finding.merge(_explain_part(rules.additional, inner, f"{path}.{name}", _old_member(old, name)))
    for name, inner_rules in rules.properties.items():
        if name in value:
            inner_path = f"{path}.{name}" if path else name
            # the kind and version of the stored object are always those of the new one: nothing to forgive
            former = ABSENT if not path and name in ("kind", "apiVersion") else _old_member(old, name)
            finding.merge(_explain_part(inner_rules, value[name], inner_path, former))
    for name in rules.required:
        if name not in value:
            where = f"{path}.{name}"
            cause = Cause("FieldValueRequired", "Required value", _field(where))
            finding.add(cause, f"{where} in body is required")


def _old_member(old: Any, name: str) -> Any:
    return old.get(name, ABSENT) if isinstance(old, dict) else ABSENT
