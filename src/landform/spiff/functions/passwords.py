"""Functions on passwords: hashes with salt, and encryption."""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING, TypeVar

from landform.kit import bcrypt
from landform.spiff.info import Result, done, fail
from landform.spiff.texts import to_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from landform.spiff.functions.signature import Call, Function

Answer = TypeVar("Answer")

_APACHE = b"$apr1$"
_ALPHABET = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ORDER = (12, 6, 0, 13, 7, 1, 14, 8, 2, 15, 9, 3, 5, 10, 4, 11)


def _digest(*parts: bytes) -> bytes:
    return hashlib.md5(b"".join(parts), usedforsecurity=False).digest()


def md5crypt(password: bytes, salt: bytes, magic: bytes) -> str:
    """The salted hash that Apache's password files use."""
    mixed = _digest(password, salt, password)
    start = [password, magic, salt, bytes(mixed[index % 16] for index in range(len(password)))]
    length = len(password)
    while length:
        start.append(b"\x00" if length & 1 else password[:1])
        length >>= 1
    final = _digest(*start)
    for round_number in range(1000):
        odd = round_number & 1
        parts = [password if odd else final]
        if round_number % 3:
            parts.append(salt)
        if round_number % 7:
            parts.append(password)
        parts.append(final if odd else password)
        final = _digest(*parts)
    return magic.decode("latin-1") + salt.decode("latin-1") + "$" + _in_alphabet(final)


def _in_alphabet(digest: bytes) -> str:
    text, value, bits = "", 0, 0
    for index in _ORDER:
        value |= digest[index] << bits
        bits += 8
        while bits > 6:
            text += _ALPHABET[value & 0x3F]
            value >>= 6
            bits -= 6
    return text + _ALPHABET[value & 0x3F]


def _md5crypt(call: Call) -> Result:
    if call.size != 1:
        return fail("md5crypt takes one argument")
    if type(call.arguments[0]) is not str:
        return fail("first argument for md5crypt must be a string")
    salt = "".join(secrets.choice(_ALPHABET) for _ in range(8)).encode("ascii")
    return done(md5crypt(to_bytes(call.arguments[0]), salt, _APACHE))


def _md5crypt_check(call: Call) -> Result:
    if call.size != 2:
        return fail("md5crypt_check takes two arguments")
    password, expected = call.arguments
    if type(password) is not str:
        return fail("first argument for md5crypt_check must be a string")
    if type(expected) is not str:
        return fail("second argument for md5crypt_check must be a string")
    parts = expected.split("$")
    if len(parts) != 4:
        return fail("invalid md5crypt hash: must contain three '$' characters")
    magic, salt = f"${parts[1]}$".encode("utf-8", "replace"), parts[2].encode("utf-8", "replace")
    return done(secrets.compare_digest(md5crypt(to_bytes(password), salt, magic).encode(), expected.encode()))


_MOST_COST = 10
_QUICK_COST = 6
_STEPS = 120
"""What one doubling of bcrypt's work counts for: a few hashes of the usual cost are allowed."""


def _bcrypt(call: Call) -> Result:
    if not 1 <= call.size <= 2:
        return fail("bcrypt takes one or two arguments")
    if type(call.arguments[0]) is not str:
        return fail("first argument for bcrypt must be a string")
    cost = call.arguments[1] if call.size == 2 else 10
    if type(cost) is not int:
        return fail("second argument for bcrypt must be an integer")
    cost = 10 if cost < 4 else cost
    if cost > 31:
        return fail(f"bcrypt error: crypto/bcrypt: cost {cost} is outside allowed inclusive range 4..31")
    if cost > _MOST_COST:
        return fail(f"bcrypt error: a cost of {cost} takes too long, the most is {_MOST_COST}")
    password = to_bytes(call.arguments[0])
    if len(password) > 72:
        return fail("bcrypt error: bcrypt: password length exceeds 72 bytes")
    return done(_paid(call, cost, lambda: bcrypt.hashed(password, secrets.token_bytes(16), cost)))


def _paid(call: Call, cost: int, work: Callable[[], Answer]) -> Answer:
    """What the work gives; it is slow on purpose, so it is paid in steps instead of time."""
    return work() if cost <= _QUICK_COST else call.env.state.meter.pause(_STEPS << cost, work)


def _bcrypt_check(call: Call) -> Result:
    if call.size != 2:
        return fail("bcrypt_check takes two arguments")
    password, expected = call.arguments
    if type(password) is not str:
        return fail("first argument for bcrypt_check must be a string")
    if type(expected) is not str:
        return fail("second argument for bcrypt_check must be a string")
    cost = bcrypt.cost_of(expected)
    if cost is None:
        return done(False)
    if cost > _MOST_COST:
        return fail(f"bcrypt_check: a cost of {cost} takes too long, the most is {_MOST_COST}")
    return done(_paid(call, cost, lambda: bcrypt.check(to_bytes(password), expected)))


FUNCTIONS: dict[str, Function] = {
    "md5crypt": _md5crypt,
    "md5crypt_check": _md5crypt_check,
    "bcrypt": _bcrypt,
    "bcrypt_check": _bcrypt_check,
}
