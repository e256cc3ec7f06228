"""Base64 and base32, and check sums."""

from __future__ import annotations

import base64
import hashlib
import re
import zlib

from landform.gotemplate.errors import GoError
from landform.gotemplate.functions import Function, function
from landform.gotemplate.values import decoded, encoded

_ALPHABET64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_ALPHABET32 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_BLOCK32 = re.compile(rb"[A-Z2-7]{8}")


def decode64(text: str) -> bytes:
    """The bytes that a base64 text stands for; GoError in Go's words."""
    content = encoded(text)
    kept = content.replace(b"\n", b"").replace(b"\r", b"")
    position = _flaw64(kept)
    if position is not None:
        raise GoError(f"illegal base64 data at input byte {_original(content, position)}")
    if len(kept) % 4:
        raise GoError(f"illegal base64 data at input byte {len(content) - len(kept) % 4}")
    return base64.b64decode(kept)


def _original(content: bytes, position: int) -> int:
    """The place in the text of a place among the bytes without line ends."""
    seen = 0
    for index, byte in enumerate(content):
        if byte in b"\r\n":
            continue
        if seen == position:
            return index
        seen += 1
    return len(content)


def _flaw64(content: bytes) -> int | None:
    """Where the text stops being base64."""
    data = len(content)
    for index, byte in enumerate(content):
        if byte not in _ALPHABET64:
            data = index
            break
    tail, place = content[data:], data % 4
    if not tail:
        return None
    if tail[0] != 0x3D or place < 2:
        return data
    padding = 4 - place
    if tail[:padding] != b"=" * padding:
        if len(tail) < padding and tail == b"=" * len(tail):
            return len(content)
        return data
    return None if len(tail) == padding else data + padding


def decode32(text: str) -> bytes:
    """The bytes that a base32 text stands for; GoError in Go's words. What follows the padding is not looked at."""
    content = encoded(text).replace(b"\n", b"").replace(b"\r", b"")
    end = len(content)
    for start in range(0, len(content), 8):
        if not _BLOCK32.match(content, start):
            _check_last32(content, start)
            end = start + 8
            break
    return base64.b32decode(content[:end])


def _check_last32(content: bytes, start: int) -> None:
    """Refuses a block that is neither full nor padded as it must be."""
    block = content[start : start + 8]
    length = next((index for index, byte in enumerate(block) if byte not in _ALPHABET32), len(block))
    place = start + length
    if length == len(block):
        raise _corrupt32(start)
    if block[length] != 0x3D or length < 2:
        raise _corrupt32(place)
    if len(content) - place < 8 - length:
        raise _corrupt32(len(content))
    wrong = next((index for index, byte in enumerate(block[length:]) if byte != 0x3D), None)
    if wrong is not None:
        raise _corrupt32(place + wrong - 1)
    if length in (3, 6):
        raise _corrupt32(place)


def _corrupt32(place: int) -> GoError:
    return GoError(f"illegal base32 data at input byte {place}")


def _or_error(decode: object, text: str) -> str:
    try:
        return decoded(decode(text))  # type: ignore[operator]
    except GoError as error:
        return str(error)


FUNCTIONS: dict[str, Function] = {
    "b64enc": function("string -> string", lambda text: base64.b64encode(encoded(text)).decode()),
    "b64dec": function("string -> string", lambda text: _or_error(decode64, text)),
    "b32enc": function("string -> string", lambda text: base64.b32encode(encoded(text)).decode()),
    "b32dec": function("string -> string", lambda text: _or_error(decode32, text)),
    "sha1sum": function("string -> string", lambda text: hashlib.sha1(encoded(text)).hexdigest()),
    "sha256sum": function("string -> string", lambda text: hashlib.sha256(encoded(text)).hexdigest()),
    "sha512sum": function("string -> string", lambda text: hashlib.sha512(encoded(text)).hexdigest()),
    "adler32sum": function("string -> string", lambda text: str(zlib.adler32(encoded(text)))),
}
