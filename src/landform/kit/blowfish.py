"""Blowfish as bcrypt uses it: made slow by a cost. Its tables are the digits of pi."""

from __future__ import annotations

from functools import cache

_ROUNDS = 16
_MASK = 0xFFFFFFFF
_TEXT = b"OrpheanBeholderScryDoubt"


@cache
def tables() -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """The first 1042 words of the fraction of pi, in hexadecimal."""
    bits = 32 * (_ROUNDS + 2 + 4 * 256)
    guard = 64
    one = 1 << (bits + guard)

    def arctangent(inverse: int) -> int:
        """The arc tangent of 1/inverse by its series, as a fixed-point number."""
        power = total = one // inverse
        square, divisor, sign = inverse * inverse, 3, -1
        while power:
            power //= square
            total += sign * (power // divisor)
            divisor, sign = divisor + 2, -sign
        return total

    pi = 4 * (4 * arctangent(5) - arctangent(239))
    fraction = (pi - 3 * one) >> guard
    words = [fraction >> (bits - 32 * (index + 1)) & _MASK for index in range(bits // 32)]
    boxes = tuple(tuple(words[18 + 256 * box : 18 + 256 * (box + 1)]) for box in range(4))
    return tuple(words[:18]), boxes


def _encipher(left: int, right: int, keys: list[int], boxes: list[list[int]]) -> tuple[int, int]:
    first, second, third, fourth = boxes
    left ^= keys[0]
    for index in range(1, 17, 2):
        mixed = (first[left >> 24] + second[left >> 16 & 255] ^ third[left >> 8 & 255]) + fourth[left & 255]
        right ^= mixed & _MASK ^ keys[index]
        mixed = (first[right >> 24] + second[right >> 16 & 255] ^ third[right >> 8 & 255]) + fourth[right & 255]
        left ^= mixed & _MASK ^ keys[index + 1]
    return right ^ keys[17], left


def _words(content: bytes, count: int) -> list[int]:
    """So many words of the content, over and over."""
    repeated = content * (4 * count // len(content) + 1)
    return [int.from_bytes(repeated[4 * index : 4 * index + 4], "big") for index in range(count)]


def _expand(keys: list[int], boxes: list[list[int]], words: list[int], salt: list[int] | None) -> None:
    for index in range(18):
        keys[index] ^= words[index]
    left = right = place = 0
    for table in (keys, *boxes):
        for index in range(0, len(table), 2):
            if salt is not None:
                left ^= salt[place]
                right ^= salt[place + 1]
                place = (place + 2) % 4
            left, right = _encipher(left, right, keys, boxes)
            table[index], table[index + 1] = left, right


def digest(password: bytes, salt: bytes, cost: int) -> bytes:
    """The 23 bytes that stand for a password and a salt; every step of the cost doubles the time."""
    start, full = tables()
    keys, boxes = list(start), [list(table) for table in full]
    words, salt_words = _words(password + b"\0", 18), _words(salt, 18)
    _expand(keys, boxes, words, salt_words[:4])
    for _ in range(1 << cost):
        _expand(keys, boxes, words, None)
        _expand(keys, boxes, salt_words, None)
    result = b""
    for index in range(0, len(_TEXT), 8):
        left, right = (int.from_bytes(_TEXT[place : place + 4], "big") for place in (index, index + 4))
        for _ in range(64):
            left, right = _encipher(left, right, keys, boxes)
        result += left.to_bytes(4, "big") + right.to_bytes(4, "big")
    return result[:23]
