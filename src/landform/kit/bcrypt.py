"""bcrypt, the hash of passwords: by the system's library, or else, much slower, by our own Blowfish."""

from __future__ import annotations

import base64
import ctypes
import re
import secrets
import threading

from landform.kit import blowfish

_STANDARD = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_BCRYPT = b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_WRITE = bytes.maketrans(_STANDARD, _BCRYPT)
_READ = bytes.maketrans(_BCRYPT, _STANDARD)
_HASH = re.compile(r"\$(2[abxy]?)\$([0-9]{2})\$([./A-Za-z0-9]{22})[./A-Za-z0-9]{31}")
_COSTS = range(4, 32)
_COUNTED = 72
"""How many bytes of a password count."""


def _library() -> ctypes.CDLL | None:
    """The system's own library for passwords, where it has one."""
    try:
        library = ctypes.CDLL("libcrypt.so.1")
        library.crypt.restype = ctypes.c_char_p
    except (OSError, AttributeError):
        return None
    return library


_LIBRARY = _library()
_LOCK = threading.Lock()  # the library keeps its result in one place for all threads


def hashed(password: bytes, salt: bytes, cost: int, version: str = "2a") -> str:
    """The hash of a password with a salt of 16 bytes; every step of the cost (4 to 31) doubles the time.

    The version is only a name in the result: it names faults of old programs that this one never had.
    """
    counted, written = password[:_COUNTED], _encoded(salt)
    tail = _quick(counted, written, cost) or _encoded(blowfish.digest(counted, salt, cost))
    return f"${version}${cost:02d}${written}{tail}"


def cost_of(text: str) -> int | None:
    """The cost of a hash; None if the text is no hash."""
    found = _HASH.fullmatch(text)
    return int(found[2]) if found and int(found[2]) in _COSTS else None


def check(password: bytes, text: str) -> bool:
    """Whether a text is a hash of the password."""
    found = _HASH.fullmatch(text)
    if found is None or int(found[2]) not in _COSTS:
        return False
    actual = hashed(password, _decoded(found[3]), int(found[2]), found[1])
    return secrets.compare_digest(actual, text)


def _encoded(content: bytes) -> str:
    return base64.b64encode(content).rstrip(b"=").translate(_WRITE).decode("ascii")


def _decoded(text: str) -> bytes:
    return base64.b64decode(text.encode("ascii").translate(_READ) + b"==")


def _quick(password: bytes, salt: str, cost: int) -> str | None:
    """The end of the hash by the system's library, fifty times as fast as ours; None when it cannot."""
    if _LIBRARY is None or b"\0" in password:
        return None
    # the version without any of the old faults is 2b to the library
    start = f"$2b${cost:02d}${salt}"
    with _LOCK:
        made = _LIBRARY.crypt(password, start.encode("ascii"))
    text = made.decode("ascii", "replace") if made else ""
    return text.removeprefix(start) if _HASH.fullmatch(text) and text.startswith(start) else None
