"""Random numbers, texts and identifiers."""

from __future__ import annotations

import base64
import string
import uuid
from typing import TYPE_CHECKING

from landform.gotemplate import budgets
from landform.gotemplate.errors import GoError
from landform.gotemplate.functions import Function, function
from landform.gotemplate.values import Int

if TYPE_CHECKING:
    from collections.abc import Callable

    from landform.gotemplate.sprig.surroundings import Surroundings

_ASCII = "".join(map(chr, range(32, 127)))


def chance(surroundings: Surroundings) -> dict[str, Function]:
    """The functions by name."""

    def text_of(alphabet: str) -> Callable[[int], str]:
        def make(count: int) -> str:
            if count <= 0:
                return ""
            budgets.current().steps(count)
            return "".join(alphabet[surroundings.below(len(alphabet))] for _ in range(count))

        return make

    def random_bytes(count: int) -> str:
        if count < 0:
            raise GoError("runtime error: makeslice: len out of range")
        budgets.current().size(count)
        return base64.b64encode(surroundings.random(count)).decode()

    def random_int(low: int, high: int) -> Int:
        if high - low <= 0:
            raise GoError("invalid argument to Intn")
        return Int(low + surroundings.below(high - low))

    def shuffle(text: str) -> str:
        budgets.current().steps(len(text))
        chars = list(text)
        for index in range(len(chars) - 1, 0, -1):
            other = surroundings.below(index + 1)
            chars[index], chars[other] = chars[other], chars[index]
        return "".join(chars)

    return {
        "randAlphaNum": function("int -> string", text_of(string.ascii_letters + string.digits)),
        "randAlpha": function("int -> string", text_of(string.ascii_letters)),
        "randNumeric": function("int -> string", text_of(string.digits)),
        "randAscii": function("int -> string", text_of(_ASCII)),
        "randBytes": function("int -> string", random_bytes),
        "randInt": function("int, int -> int", random_int),
        "shuffle": function("string -> string", shuffle),
        "uuidv4": function("-> string", lambda: str(uuid.UUID(bytes=surroundings.random(16), version=4))),
    }
