"""`validate` and `check`: conditions on a value, written as names, lists or lambdas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from landform.kit.quoting import quote
from landform.spiff.expressions.lambdas import Arguments, LambdaValue
from landform.spiff.expressions.lambdas import call as call_lambda
from landform.spiff.functions import semver
from landform.spiff.functions.conditions import SIMPLE, TEXT_CHECKS
from landform.spiff.functions.verdicts import CheckError, Pending, Verdict, text_of
from landform.spiff.info import CLEAN, Result, done, fail
from landform.spiff.values import is_true, type_name

if TYPE_CHECKING:
    from landform.spiff.environment import Environment
    from landform.spiff.functions.signature import Call, Function
    from landform.spiff.nodes import Node


class _Condition(NamedTuple):
    """One condition on its way: the value, the condition's arguments, and where it stands."""

    value: Any
    name: str
    arguments: list[Node]
    env: Environment


def _validate(call: Call) -> Result:
    return _run(call, "validate")


def _check(call: Call) -> Result:
    return _run(call, "check")


def _run(call: Call, name: str) -> Result:
    if call.size < 2:
        return fail(f"at least two arguments required for {name}")
    value = call.arguments[0]
    for index, condition in enumerate(call.arguments[1:]):
        try:
            verdict = evaluate(value, condition, call.env)
        except CheckError as error:
            return fail(f"condition {index + 1} has problem: {error}")
        except Pending:
            return call.written[0], CLEAN, True
        if not verdict.valid:
            return done(False) if name == "check" else fail(f"condition {index + 1} failed: {verdict.reason}")
    return done(True if name == "check" else value)


def evaluate(value: Any, condition: Any, env: Environment) -> Verdict:
    """Whether a value meets a condition; raises CheckError if the condition cannot be used."""
    if condition is None:
        return Verdict(True, "no condition")
    if type(condition) is list:
        if not condition:
            raise CheckError("validation type missing")
        return _evaluate(value, condition[0].value, condition[1:], env)
    if type(condition) is str or isinstance(condition, LambdaValue):
        return _evaluate(value, condition, [], env)
    raise CheckError(f"invalid validation check type: {type_name(condition)}")


def _evaluate(value: Any, condition: Any, arguments: list[Node], env: Environment) -> Verdict:
    if isinstance(condition, LambdaValue):
        return _by_lambda(value, condition, arguments, env)
    if type(condition) is not str:
        raise CheckError(f"unexpected validation type {quote(type_name(condition))}")
    negated = condition.startswith("!")
    name = condition[1:] if negated else condition
    if not negated and not name:
        raise CheckError("empty validator type")
    if name == "not":
        negated = not negated
    verdict = _named(_Condition(value, name, arguments, env))
    return Verdict(not verdict.valid, verdict.reason) if negated else verdict


def _by_lambda(value: Any, function: LambdaValue, arguments: list[Node], env: Environment) -> Verdict:
    expected, found = len(function.parameters), len(arguments) + 1
    if expected != found:
        raise CheckError(f"argument count mismatch for lambda {function}: expected {expected}, found {found}")
    inputs = [value, *(node.value for node in arguments)]
    through, result, info, ok = call_lambda(function, Arguments(inputs), env)
    if not through:
        if ok:
            raise Pending
        raise CheckError(info.issue.text)
    if type(result) is not list:
        valid = is_true(result)
        return Verdict(valid, f"{function} {'succeeded' if valid else 'failed'}")
    if len(result) == 1:
        valid = is_true(result[0].value)
        return Verdict(valid, f"{function} {'succeeded' if valid else 'failed'}")
    if len(result) not in (2, 3):
        raise CheckError(f"invalid result length of validator {function}, got {len(result)}")
    texts = [_result_text(node.value, index) for index, node in enumerate(result[1:], 2)]
    valid = is_true(result[0].value)
    return Verdict(valid, texts[0] if valid or len(texts) == 1 else texts[1])


def _result_text(value: Any, index: int) -> str:
    try:
        return text_of("lambda validator", value)
    except CheckError as error:
        raise CheckError(f"lambda validator result index {index}: {error}") from None


def _named(condition: _Condition) -> Verdict:
    """A condition that is given by its name."""
    name, value = condition.name, condition.value
    structural = _STRUCTURAL.get(name)
    if structural is not None:
        return structural(condition)
    simple = SIMPLE.get(name)
    if simple is not None:
        return simple(name, value, [node.value for node in condition.arguments])
    text_check = TEXT_CHECKS.get(name)
    if text_check is not None:
        return text_check(name, value)
    if name == "semver":
        valid, reason, fault = semver.check("semver", value, [node.value for node in condition.arguments])
        if fault and fault.startswith(("semver requires", 'semver: "')):
            return Verdict(False, fault)
        if fault:
            raise CheckError(fault)
        return Verdict(valid, reason)
    raise CheckError(f"unknown validation operator {quote(name)}")


def _list(condition: _Condition) -> Verdict:
    if type(condition.value) is not list:
        return Verdict(False, "is no list")
    if not condition.arguments:
        return Verdict(True, "is a list")
    for index, entry in enumerate(condition.value):
        for number, inner in enumerate(condition.arguments):
            try:
                verdict = evaluate(entry.value, inner.value, condition.env)
            except CheckError as error:
                raise CheckError(f"list entry {index} condition {number}: {error}") from None
            if not verdict.valid:
                return Verdict(False, f"entry {index} condition {number} {verdict.reason}")
    return Verdict(True, "all entries match all conditions")


def _map(condition: _Condition) -> Verdict:
    arguments = condition.arguments
    if type(condition.value) is not dict:
        return Verdict(False, "is no map")
    if not arguments:
        return Verdict(True, "is a map")
    if len(arguments) > 2:
        raise CheckError(f"map validator takes a maximum of two arguments, got {len(arguments)}")
    for key, entry in sorted(condition.value.items()):
        if len(arguments) == 2:
            verdict = _inner(key, arguments[0], condition, f"map key {quote(key)} ")
            if not verdict.valid:
                return Verdict(False, f"map key {quote(key)} {verdict.reason}")
        verdict = _inner(entry.value, arguments[-1], condition, f"map entry {quote(key)}: ")
        if not verdict.valid:
            return Verdict(False, f"map entry {quote(key)} {verdict.reason}")
    return Verdict(True, "all map entries and keys match")


def _inner(value: Any, inner: Node, condition: _Condition, prefix: str) -> Verdict:
    try:
        return evaluate(value, inner.value, condition.env)
    except CheckError as error:
        raise CheckError(f"{prefix}{error}") from None


def _field(condition: _Condition) -> Verdict:
    arguments = condition.arguments
    if type(condition.value) is not dict:
        return Verdict(False, "is no map")
    if not 1 <= len(arguments) <= 2:
        raise CheckError(f"{condition.name} reqires one or two arguments")
    field = arguments[0].value
    if type(field) is not str:
        raise CheckError("field name must be string")
    if field not in condition.value:
        if condition.name == "optionalfield":
            return Verdict(True, f"has no optional field {quote(field)}")
        return Verdict(False, f"has no field {quote(field)}")
    if len(arguments) == 1:
        return Verdict(True, f"map entry {quote(field)} exists")
    verdict = _inner(condition.value[field].value, arguments[1], condition, f"map entry {quote(field)} ")
    return Verdict(verdict.valid, f"map entry {quote(field)} {verdict.reason}")


def _all(condition: _Condition) -> Verdict:
    return _combined(condition, stops_at=False)


def _any(condition: _Condition) -> Verdict:
    return _combined(condition, stops_at=True)


def _combined(condition: _Condition, stops_at: bool) -> Verdict:
    """All conditions, or one of them; the first that decides ends it."""
    if not condition.arguments:
        raise CheckError("validator argument required")
    reasons = []
    for inner in condition.arguments:
        verdict = evaluate(condition.value, inner.value, condition.env)
        if verdict.valid == stops_at:
            return Verdict(stops_at, verdict.reason)
        reasons.append(verdict.reason)
    if len(reasons) == 1:
        return Verdict(True, reasons[0])  # the original says so even where the only alternative has failed
    return Verdict(not stops_at, f"({' and '.join(reasons)})")


_STRUCTURAL = {
    "list": _list,
    "map": _map,
    "mapfield": _field,
    "optionalfield": _field,
    "and": _all,
    "not": _all,
    "": _all,
    "or": _any,
}

FUNCTIONS: dict[str, Function] = {"validate": _validate, "check": _check}
