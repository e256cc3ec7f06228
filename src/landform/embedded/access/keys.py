"""P-256 keys: the only kind this package makes, for certificates and for tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from landform.embedded.access.private_files import UnusableFile

if TYPE_CHECKING:
    from pathlib import Path


def new_key() -> ec.EllipticCurvePrivateKey:
    """A new private key."""
    return ec.generate_private_key(ec.SECP256R1())


def to_pem(key: ec.EllipticCurvePrivateKey) -> str:
    """The key as text, not encrypted."""
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode("ascii")


def from_pem(text: str, path: Path) -> ec.EllipticCurvePrivateKey:
    """The key in the text of this file; UnusableFile if there is none that we could have made."""
    try:
        key = load_pem_private_key(text.encode(), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        # The cause is left out on purpose: foreign error texts may quote what they could not read.
        raise UnusableFile.broken(path, "does not hold a readable private key") from None
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, ec.SECP256R1):
        raise UnusableFile.broken(path, "holds a key that is not an ECDSA P-256 key")
    return key
