"""All functions by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.spiff.functions import (
    certificates,
    checks,
    encoding,
    encryption,
    files,
    ip,
    keys,
    lists,
    maps,
    numeric,
    passwords,
    regexes,
    semver,
    strings,
)
from landform.spiff.grammar import parse
from landform.spiff.info import Result, fail
from landform.spiff.parsing import ParseError

if TYPE_CHECKING:
    from landform.spiff.functions.signature import Call, Function


def _eval(call: Call) -> Result:
    if call.size != 1:
        return fail("one argument required for 'eval'")
    text = call.arguments[0]
    if type(text) is not str:
        return fail("string argument required for 'eval'")
    try:
        expression = parse(text, call.env.path, call.env.stub_path)
    except ParseError as error:
        return fail(f"({text})\t {error}")
    call.env.state.meter.enter()
    result = expression.evaluate(call.env, False)
    call.env.state.meter.leave()
    return result


FUNCTIONS: dict[str, Function] = {
    **strings.FUNCTIONS,
    **lists.FUNCTIONS,
    **maps.FUNCTIONS,
    **numeric.FUNCTIONS,
    **regexes.FUNCTIONS,
    **ip.FUNCTIONS,
    **encoding.FUNCTIONS,
    **semver.FUNCTIONS,
    **checks.FUNCTIONS,
    **files.FUNCTIONS,
    **keys.FUNCTIONS,
    **certificates.FUNCTIONS,
    **passwords.FUNCTIONS,
    **encryption.FUNCTIONS,
    "eval": _eval,
}
