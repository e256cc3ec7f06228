"""Base64 and base32, and check sums."""

from __future__ import annotations

import base64
import hashlib
import zlib

from landform.gotemplate.errors import GoError
from landform.gotemplate.functions import Function, function
from landform.gotemplate.values import decoded, encoded

_ALPHABETS = {
    "base64": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    "base32": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
}


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
    alphabet = _ALPHABETS["base64"].encode()
    data = len(content)
    for index, byte in enumerate(content):
        if byte not in alphabet:
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
    """The bytes that a base32 text stands for; GoError in Go's words."""
    content = encoded(text)
    kept = content.replace(b"\n", b"").replace(b"\r", b"")
    position = _flaw32(kept)
    if position is not None:
        raise GoError(f"illegal base32 data at input byte {position}")
    return base64.b32decode(kept)


def _flaw32(content: bytes) -> int | None:
    alphabet = _ALPHABETS["base32"].encode()
    for start in range(0, len(content), 8):
        block = content[start : start + 8]
        for index in range(8):
            if index >= len(block):
                return start if index else None
            byte = block[index]
            if byte == 0x3D and index >= 2:
                padding = 8 - index
                if len(content) - start - index < padding:
                    return len(content)
                wrong = next((place for place, other in enumerate(block[index:]) if other != 0x3D), None)
                if wrong is not None:
                    return start + index + wrong - 1
                if index in (3, 6):
                    return start + index - 1
                return None if start + 8 == len(content) else start + 8
            if byte not in alphabet:
                return start + index
    return None


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
