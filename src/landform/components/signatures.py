"""Signatures over the digest of a component version: RSA, with a key or with a chain of certificates."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed

from landform.components import certificates
from landform.components.errors import ConfigurationError, SignatureError

if TYPE_CHECKING:
    from collections.abc import Mapping

HASHES = {"SHA-256": "sha256", "SHA-512": "sha512", "sha256": "sha256", "sha512": "sha512"}
"""Names of hash algorithms, old spellings included, as hashlib calls them."""

_HASH_TYPES: dict[str, type[hashes.HashAlgorithm]] = {"sha256": hashes.SHA256, "sha512": hashes.SHA512}
_PKCS1 = "RSASSA-PKCS1-V1_5"
_PSS = "RSASSA-PSS"
_PLAIN = "application/vnd.ocm.signature.rsa"
_PEM = "application/x-pem-file"
# Possessive, and from the beginning of a line only: repositories of others must not make the search go back and forth.
_SIGNATURE_BLOCK = re.compile(
    r"^-----BEGIN SIGNATURE-----[^\S\n]*+\n\s*+((?:[^\n:]+:[^\n]*\n)*+)([A-Za-z0-9+/=\s]++)-----END SIGNATURE-----",
    re.MULTILINE,
)
_BLOCK_ALGORITHM = re.compile(r"^Signature Algorithm:(.*)", re.MULTILINE)
_CERTIFICATE_BLOCK = "-----BEGIN CERTIFICATE-----"


@dataclass(frozen=True)
class TrustedKeys:
    """What a signature is checked with. A public key is preferred; with it, certificates do not count."""

    public_key: str = ""
    """RSA public key in PEM form (PKCS#1 or SubjectPublicKeyInfo)."""

    ca_certificate: str = ""
    """Certificates of authorities in PEM form that the signer's certificate must lead to."""


def hash_name(algorithm: str) -> str:
    """A hash algorithm as hashlib calls it."""
    try:
        return HASHES[algorithm]
    except KeyError:
        raise SignatureError(f'hash algorithm "{algorithm}" is unknown; known are SHA-256 and SHA-512') from None


def named(descriptor: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The signature of that name."""
    signatures = descriptor.get("signatures") or ()
    for signature in signatures:
        if signature["name"] == name:
            return dict(signature)
    known = ", ".join(str(signature["name"]) for signature in signatures) or "none"
    raise SignatureError(f'signature "{name}" not found; the component version has: {known}')


def check(signature: Mapping[str, Any], digest: str, keys: TrustedKeys) -> None:
    """Raise SignatureError unless the signature is one over that hexadecimal digest, made by whom we trust."""
    name, details = signature["name"], signature["signature"]
    algorithm, media_type = details["algorithm"], details["mediaType"]
    if algorithm not in (_PKCS1, _PSS):
        raise SignatureError(f'signature verification algorithm "{algorithm}" is unknown')
    key = _key(signature, keys)
    if media_type == _PEM:
        value = _signature_block(details["value"], name, algorithm)
    elif media_type == _PLAIN:
        value = _hexadecimal(details["value"], name)
    else:
        # Plain PSS signatures are written with a media type of their own, which the original refuses as well.
        raise SignatureError(f'signature "{name}": invalid signature mediaType {media_type}')
    kind = _HASH_TYPES[hash_name(signature["digest"]["hashAlgorithm"])]()
    scheme = padding.PKCS1v15() if algorithm == _PKCS1 else padding.PSS(padding.MGF1(kind), padding.PSS.AUTO)
    try:
        key.verify(value, _hexadecimal(digest, name), scheme, Prehashed(kind))
    except (InvalidSignature, ValueError) as error:
        raise SignatureError(f'signature "{name}": signature verification failed, it does not fit the key') from error


def _key(signature: Mapping[str, Any], keys: TrustedKeys) -> rsa.RSAPublicKey:
    if keys.public_key:
        return read_public_key(keys.public_key)
    name, details = signature["name"], signature["signature"]
    if details["mediaType"] != _PEM:
        raise SignatureError(
            f'public key "{name}" not found: none is given for it, and the signature has no certificate '
            "that a CA could vouch for"
        )
    if not keys.ca_certificate:
        raise SignatureError(f'signature "{name}": neither a public key nor a CA certificate is given to check it with')
    chain = _chain(details["value"], name)
    certificates.check_chain(chain, certificates.read_authorities(keys.ca_certificate), _moment(signature))
    return _rsa(chain[0].public_key(), f'the certificate of the signature "{name}"')


def _moment(signature: Mapping[str, Any]) -> datetime | None:
    """When the signature was made, if a timestamp says so.

    That nobody vouches for it does no harm: who could change it could as well leave it out.
    """
    time = (signature.get("timestamp") or {}).get("time")
    try:
        return datetime.fromisoformat(time) if time else None
    except ValueError as error:
        raise SignatureError(f'signature "{signature["name"]}": the time {time!r} of its timestamp is none') from error


def read_public_key(pem: str) -> rsa.RSAPublicKey:
    """The public key of a text in PEM form."""
    try:
        key = serialization.load_pem_public_key(pem.encode())
    except (ValueError, UnsupportedAlgorithm) as error:
        raise ConfigurationError(
            "the public key for signatures is not a key in PEM form (RSA PUBLIC KEY or PUBLIC KEY)"
        ) from error
    return _rsa(key, "the public key for signatures")


def _rsa(key: object, what: str) -> rsa.RSAPublicKey:
    if not isinstance(key, rsa.RSAPublicKey):
        raise SignatureError(f"{what} is not an RSA key")
    return key


def _chain(text: str, name: str) -> list[x509.Certificate]:
    start = text.find(_CERTIFICATE_BLOCK)
    try:
        if start >= 0:
            return x509.load_pem_x509_certificates(text[start:].encode())
    except ValueError as error:
        raise SignatureError(f'signature "{name}": its certificates cannot be read') from error
    raise SignatureError(f'public key "{name}" not found: none is given, and the signature has no certificate')


def _signature_block(text: str, name: str, algorithm: str) -> bytes:
    block = _SIGNATURE_BLOCK.search(text)
    if block is None:
        raise SignatureError(f'signature "{name}": there is no SIGNATURE block in it')
    header = _BLOCK_ALGORITHM.search(block[1])
    stated = header[1].strip() if header is not None else ""
    if stated not in ("", algorithm):
        raise SignatureError(f'signature "{name}": it is said to be {algorithm}, but its block says {stated}')
    try:
        return base64.b64decode("".join(block[2].split()), validate=True)
    except binascii.Error as error:
        raise SignatureError(f'signature "{name}": its SIGNATURE block is not base64') from error


def _hexadecimal(text: str, name: str) -> bytes:
    try:
        return binascii.unhexlify(text)  # unlike bytes.fromhex it takes no spaces
    except ValueError as error:
        raise SignatureError(f'signature "{name}": its value is not hexadecimal') from error
