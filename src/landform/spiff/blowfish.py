"""bcrypt, on a Blowfish of our own: no library at hand has it, and its tables are the digits of pi."""

from __future__ import annotations

import base64
from functools import cache

_ROUNDS = 16
_MASK = 0xFFFFFFFF
_TEXT = b"OrpheanBeholderScryDoubt"
_STANDARD = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_BCRYPT = b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

Keys = list[int]
Boxes = list[list[int]]


@cache
def _pi_words() -> tuple[int, ...]:
    """The fraction of pi in words of 32 bits, by Machin's formula."""
    count = _ROUNDS + 2 + 4 * 256
    spare = 64
    one = 1 << (32 * count + spare)

    def arctangent(inverse: int) -> int:
        term = total = one // inverse
        divisor = 1
        while term:
            term //= -inverse * inverse
            divisor += 2
            total += term // divisor
        return total

    fraction = (4 * (4 * arctangent(5) - arctangent(239)) - 3 * one) >> spare
    return tuple(fraction >> 32 * (count - 1 - index) & _MASK for index in range(count))


def _encipher(left: int, right: int, keys: Keys, boxes: Boxes) -> tuple[int, int]:
    s0, s1, s2, s3 = boxes
    left ^= keys[0]
    for index in range(1, _ROUNDS + 1, 2):
        right ^= ((s0[left >> 24] + s1[left >> 16 & 255] ^ s2[left >> 8 & 255]) + s3[left & 255]) & _MASK ^ keys[index]
        left ^= ((s0[right >> 24] + s1[right >> 16 & 255] ^ s2[right >> 8 & 255]) + s3[right & 255]) & _MASK ^ keys[
            index + 1
        ]
    return right ^ keys[_ROUNDS + 1], left


def _cycled(data: bytes, count: int) -> list[int]:
    """So many words of the data, repeated as often as needed."""
    long = data * (4 * count // len(data) + 1)
    return [int.from_bytes(long[4 * index : 4 * index + 4]) for index in range(count)]


def _expand(keys: Keys, boxes: Boxes, words: list[int], salt: list[int]) -> None:
    for index, word in enumerate(words):
        keys[index] ^= word
    left = right = turn = 0
    for table in (keys, *boxes):
        for index in range(0, len(table), 2):
            left, right = _encipher(left ^ salt[turn], right ^ salt[turn + 1], keys, boxes)
            table[index], table[index + 1] = left, right
            turn = 2 - turn


def bcrypt(password: bytes, salt: bytes, cost: int, version: str = "2a") -> str:
    """The hash of a password with a salt of 16 bytes; every step of the cost doubles the time."""
    words = _pi_words()
    keys, rest = list(words[: _ROUNDS + 2]), words[_ROUNDS + 2 :]
    boxes = [list(rest[256 * box : 256 * (box + 1)]) for box in range(4)]
    password_words, salt_words = _cycled(password[:72] + b"\0", 18), _cycled(salt, 18)
    _expand(keys, boxes, password_words, salt_words[:4])
    no_salt = [0, 0, 0, 0]
    for _ in range(1 << cost):
        _expand(keys, boxes, password_words, no_salt)
        _expand(keys, boxes, salt_words, no_salt)
    result = b""
    for left, right in zip(*[iter(_cycled(_TEXT, 6))] * 2, strict=True):
        for _ in range(64):
            left, right = _encipher(left, right, keys, boxes)
        result += left.to_bytes(4) + right.to_bytes(4)
    return f"${version}${cost:02d}${_encoded(salt)}{_encoded(result[:23])}"


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).rstrip(b"=").translate(bytes.maketrans(_STANDARD, _BCRYPT)).decode("ascii")


def salt_of(text: str) -> bytes | None:
    """The bytes of a salt that is written in bcrypt's alphabet; None if it is none."""
    try:
        written = text.encode("ascii").translate(bytes.maketrans(_BCRYPT, _STANDARD))
        data = base64.b64decode(written + b"==", validate=True)
    except (UnicodeEncodeError, ValueError):
        return None
    return data if len(data) == 16 else None
