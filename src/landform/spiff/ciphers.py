"""The encryption of `encrypt` and `decrypt`: triple DES with a checksum, as the original writes it."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.modes import CBC

_SECRET = b"spiff is a cool tool"
_BLOCK = 8
_SUM = hashlib.sha256().digest_size


class CipherError(ValueError):
    """A text cannot be decrypted."""


def _cipher(key: bytes, start: bytes) -> Cipher[CBC]:
    # the key is followed by the hash of nothing, not hashed itself: so it is in the original
    long = key + hashlib.md5(usedforsecurity=False).digest()
    return Cipher(TripleDES(long[:16] + long[:8]), CBC(start))


def encrypt(text: bytes, key: bytes) -> str:
    """A text, encrypted, in hexadecimal digits."""
    start = secrets.token_bytes(_BLOCK)
    plain = text + hmac.new(_SECRET, text, hashlib.sha256).digest()
    padding = -(len(plain) + 1) % _BLOCK
    plain += bytes([padding]) * (padding + 1)
    encryptor = _cipher(key, start).encryptor()
    return (start + encryptor.update(plain) + encryptor.finalize()).hex()


def decrypt(text: str, key: bytes) -> bytes:
    """What was encrypted; raises CipherError for a wrong key or a damaged text."""
    data = _from_hex(text)
    if len(data) < _BLOCK:
        raise CipherError("invalid key: ciphertext too short")
    start, data = data[:_BLOCK], data[_BLOCK:]
    if len(data) % _BLOCK:
        raise CipherError("invalid key: ciphertext is not a multiple of the block size")
    decryptor = _cipher(key, start).decryptor()
    plain = decryptor.update(data) + decryptor.finalize()
    end = len(plain) - plain[-1] - 1 if plain else 0
    message, checksum = plain[: max(end - _SUM, 0)], plain[max(end - _SUM, 0) : max(end, 0)]
    if not message or not hmac.compare_digest(checksum, hmac.new(_SECRET, message, hashlib.sha256).digest()):
        raise CipherError("invalid key: %!s(<nil>)")
    return message


def _from_hex(text: str) -> bytes:
    """The bytes up to the first thing that is no hexadecimal digit."""
    digits = ""
    for char in text:
        if char not in "0123456789abcdefABCDEF":
            break
        digits += char
    return bytes.fromhex(digits[: len(digits) // 2 * 2])
