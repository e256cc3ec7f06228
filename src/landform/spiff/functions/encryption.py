"""`encrypt` and `decrypt`: values under a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.kit.quoting import quote
from landform.spiff import ciphers
from landform.spiff.emitter import to_yaml
from landform.spiff.functions.files import parse_data
from landform.spiff.info import Result, done, fail
from landform.spiff.texts import to_bytes
from landform.spiff.values import type_name

if TYPE_CHECKING:
    from landform.spiff.functions.signature import Call, Function

_METHOD = "3DES"


def _key(call: Call, name: str) -> tuple[str, str | None]:
    """The key of a call, and what is wrong with it if something is."""
    for argument, part in zip(call.arguments[1:], ("2nd argument", "method"), strict=False):
        if type(argument) is not str:
            return "", f"{name}: {part} requires string, but got {type_name(argument)}"
    key = ""
    method = _METHOD
    if call.size == 3:
        method = call.arguments[2]
        # with three arguments the original takes no key but that of its environment, which is not here
    elif call.size == 2 and call.arguments[1] != _METHOD:
        key = call.arguments[1]
    if method != _METHOD:
        return "", f"invalid encyption method {quote(method)}"
    return key, None if key else "invalid empty encyption key"


def _encrypt(call: Call) -> Result:
    if not 1 <= call.size <= 3:
        return fail("encrypt expects one, two or three arguments")
    key, fault = _key(call, "encrypt")
    if fault:
        return fail(fault)
    return done(ciphers.encrypt(to_bytes(to_yaml(call.arguments[0], call.env.state.meter)), to_bytes(key)))


def _decrypt(call: Call) -> Result:
    if not 1 <= call.size <= 3:
        return fail("decrypt expects one, two or three arguments")
    if type(call.arguments[0]) is not str:
        return fail(f"decrypt requires string, but got {type_name(call.arguments[0])}")
    key, fault = _key(call, "decrypt")
    if fault:
        return fail(fault)
    try:
        data = ciphers.decrypt(call.arguments[0], to_bytes(key))
    except ciphers.CipherError as error:
        return fail(str(error))
    return parse_data("<decrypt>", data, "import", call.env)


FUNCTIONS: dict[str, Function] = {"encrypt": _encrypt, "decrypt": _decrypt}
