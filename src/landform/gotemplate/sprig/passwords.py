"""Passwords: derived, hashed and used as keys."""

from __future__ import annotations

import base64
import hashlib
import hmac
import struct
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from landform.gotemplate import budgets
from landform.gotemplate.errors import GoError
from landform.gotemplate.functions import Function, function
from landform.gotemplate.sprig.encodings import decode64
from landform.gotemplate.values import decoded, encoded
from landform.kit import bcrypt

if TYPE_CHECKING:
    from landform.gotemplate.sprig.surroundings import Surroundings

_COST = 10
"""What the original lets a password hash cost."""
_SEED = b"com.lyndir.masterpassword"
_TEMPLATES = {
    "maximum": ("anoxxxxxxxxxxxxxxxxx", "axxxxxxxxxxxxxxxxxno"),
    "long": [
        "CvcvnoCvcvCvcv",
        "CvcvCvcvnoCvcv",
        "CvcvCvcvCvcvno",
        "CvccnoCvcvCvcv",
        "CvccCvcvnoCvcv",
        "CvccCvcvCvcvno",
        "CvcvnoCvccCvcv",
        "CvcvCvccnoCvcv",
        "CvcvCvccCvcvno",
        "CvcvnoCvcvCvcc",
        "CvcvCvcvnoCvcc",
        "CvcvCvcvCvccno",
        "CvccnoCvccCvcv",
        "CvccCvccnoCvcv",
        "CvccCvccCvcvno",
        "CvcvnoCvccCvcc",
        "CvcvCvccnoCvcc",
        "CvcvCvccCvccno",
        "CvccnoCvcvCvcc",
        "CvccCvcvnoCvcc",
        "CvccCvcvCvccno",
    ],
    "medium": ("CvcnoCvc", "CvcCvcno"),
    "short": ("Cvcn",),
    "basic": ("aaanaaan", "aannaaan", "aaannaaa"),
    "pin": ("nnnn",),
}
_CHARACTERS = {
    "V": "AEIOU",
    "C": "BCDFGHJKLMNPQRSTVWXYZ",
    "v": "aeiou",
    "c": "bcdfghjklmnpqrstvwxyz",
    "A": "AEIOUBCDFGHJKLMNPQRSTVWXYZ",
    "a": "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz",
    "n": "0123456789",
    "o": "@&%?,=[]_:-+*$#!'^~;()/.",
    "x": "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()",
}


def _scrypt(password: bytes, salt: bytes) -> bytes:
    return hashlib.scrypt(password, salt=salt, n=32768, r=8, p=2, dklen=64, maxmem=1 << 26)


def derive(counter: int, kind: str, password: str, user: str, site: str) -> str:
    """The password of a site, made from a master password."""
    templates = _TEMPLATES.get(kind)
    if templates is None:
        return f"cannot find password template {kind}"
    name, place = encoded(user), encoded(site)
    salt = _SEED + struct.pack(">I", len(name)) + name
    budgets.current().look()
    key = _scrypt(encoded(password), salt)
    message = _SEED + struct.pack(">I", len(place)) + place + struct.pack(">I", counter)
    seed = hmac.new(key, message, hashlib.sha256).digest()
    template = templates[seed[0] % len(templates)]
    alphabets = [_CHARACTERS[kind] for kind in template]
    return "".join(alphabet[seed[index + 1] % len(alphabet)] for index, alphabet in enumerate(alphabets))


def _key(password: str) -> bytes:
    return encoded(password)[:32].ljust(32, b"\0")


def decrypt(password: str, text: str) -> str:
    """What `encrypt` has hidden."""
    if not text:
        return ""
    content = decode64(text)
    if len(content) < 16:
        raise GoError(f"runtime error: slice bounds out of range [:16] with capacity {_capacity(len(content))}")
    secret = content[16:]
    if len(secret) % 16:
        raise GoError("crypto/cipher: input not full blocks")
    if not secret:
        raise GoError("runtime error: index out of range [-1]")
    decryptor = Cipher(algorithms.AES(_key(password)), modes.CBC(content[:16])).decryptor()
    plain = decryptor.update(secret) + decryptor.finalize()
    if plain[-1] > len(plain):
        raise GoError(f"runtime error: slice bounds out of range [:{len(plain) - plain[-1]}]")
    return decoded(plain[: len(plain) - plain[-1]])


def _capacity(size: int) -> int:
    """The room that Go's decoder has made for so many bytes."""
    return (size + 2) // 3 * 3


def passwords(surroundings: Surroundings) -> dict[str, Function]:
    """The functions by name."""

    def encrypt(password: str, text: str) -> str:
        if not text:
            return ""
        plain = encoded(text)
        padding = 16 - len(plain) % 16
        start = surroundings.random(16)
        encryptor = Cipher(algorithms.AES(_key(password)), modes.CBC(start)).encryptor()
        secret = encryptor.update(plain + bytes([padding]) * padding) + encryptor.finalize()
        return base64.b64encode(start + secret).decode()

    def hashed(text: str) -> str:
        content = encoded(text)
        if len(content) > 72:
            return "failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes"
        salt = surroundings.random(16)
        return str(budgets.current().pause(lambda: bcrypt.hashed(content, salt, _COST)))

    def htpasswd(user: str, password: str) -> str:
        return f"invalid username: {user}" if ":" in user else f"{user}:{hashed(password)}"

    return {
        "bcrypt": function("string -> string", hashed),
        "htpasswd": function("string, string -> string", htpasswd),
        "derivePassword": function("uint32, string, string, string, string -> string", derive),
        "encryptAES": function("string, string -> string", encrypt),
        "decryptAES": function("string, string -> string", decrypt),
    }
