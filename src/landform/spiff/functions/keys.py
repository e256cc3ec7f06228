"""Functions on keys, and how keys and certificates are read."""

from __future__ import annotations

import base64
import re
import warnings
from typing import TYPE_CHECKING, Any

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa, x25519
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from landform.spiff.functions.encoding import decoded
from landform.spiff.info import Result, done, fail

if TYPE_CHECKING:
    from landform.spiff.functions.signature import Call, Function

_BEGIN = re.compile(r"-----BEGIN ([^\n-]*)-----\r?\n")
_END = "-----END "
_CURVES: dict[str, ec.EllipticCurve] = {
    "P224": ec.SECP224R1(),
    "P256": ec.SECP256R1(),
    "P384": ec.SECP384R1(),
    "P521": ec.SECP521R1(),
}


class KeyFault(ValueError):
    """A text is no key or certificate."""


def _block(text: str, what: str) -> tuple[str, bytes]:
    """Type and content of the first PEM block: one whose next end is its own."""
    end = 0
    for begin in _BEGIN.finditer(text):
        if end < begin.end():
            end = text.find(_END, begin.end())
        if end < 0:
            break
        if text.startswith(begin[1] + "-----", end + len(_END)):
            data = decoded(text[begin.end() : end].strip())
            if data is not None:
                return begin[1], data
            break
    raise KeyFault(f"invalid {what} format (expected pem block)")


def private_key(text: str) -> Any:
    """The RSA or EC key of a PEM text; raises KeyFault."""
    kind, data = _block(text, "private key")
    if kind not in ("RSA PRIVATE KEY", "EC PRIVATE KEY"):
        raise KeyFault(f'invalid pem block type "{kind}"')
    try:
        return serialization.load_der_private_key(data, None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise KeyFault(f"failed to parse private key: {error}") from None


def public_key(text: str) -> Any:
    """The public key of a PEM text; raises KeyFault."""
    _, data = _block(text, "public key")
    try:
        return serialization.load_der_public_key(data)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise KeyFault(f"failed to parse DER encoded public key: {error}") from None


def certificate(text: str) -> x509.Certificate:
    """The certificate of a PEM text; raises KeyFault."""
    kind, data = _block(text, "certificate")
    if kind != "CERTIFICATE":
        raise KeyFault(f'unexpected pem block type for certificate: "{kind}"')
    try:
        return x509.load_der_x509_certificate(data)
    except ValueError:
        raise KeyFault("x509: malformed certificate") from None


def _fault(read: Any, text: str) -> str:
    try:
        read(text)
    except KeyFault as error:
        return str(error)
    return ""


def private_key_fault(text: str) -> str:
    """What is wrong with a private key; empty if nothing is."""
    return _fault(private_key, text)


def public_key_fault(text: str) -> str:
    """What is wrong with a public key; empty if nothing is."""
    return _fault(public_key, text)


def certificate_fault(text: str) -> str:
    """What is wrong with a certificate; empty if nothing is."""
    return _fault(certificate, text)


def is_ca(text: str) -> bool:
    """Whether a certificate may sign others."""
    try:
        return bool(certificate(text).extensions.get_extension_for_class(x509.BasicConstraints).value.ca)
    except x509.ExtensionNotFound:
        return False


def _x509publickey(call: Call) -> Result:
    if not 1 <= call.size <= 2:
        return fail("invalid argument count for x509publickey")
    form = call.arguments[1] if call.size == 2 else "pem"
    if type(form) is not str:
        return fail("format argument for x509publickey must be a string")
    if form.lower() not in ("pem", "ssh", "pkix"):
        return fail(f"invalid format for x509publickey: {form}")
    text = call.arguments[0]
    if type(text) is not str:
        return fail("argument for x509publickey must be a private key in pem format")
    key = _any_public_key(text)
    if isinstance(key, str):
        return fail(f"argument for x509publickey must be a private/public key or certificate in pem format: {key}")
    return done(public_text(key, form.lower()))


def _any_public_key(text: str) -> Any:
    """The public key of a key or certificate, or what is wrong with the text as a private key."""
    try:
        return private_key(text).public_key()
    except KeyFault as error:
        fault = str(error)
    for read in (public_key, lambda text: certificate(text).public_key()):
        try:
            return read(text)
        except KeyFault:
            continue
    return fault


def public_text(key: Any, form: str) -> str:
    """A public key as text in one of the forms pem, pkix and ssh."""
    if form == "ssh":
        ssh: str = key.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode("ascii")
        return ssh + "\n"
    if isinstance(key, rsa.RSAPublicKey) and form == "pem":
        return _pem("RSA PUBLIC KEY", key.public_bytes(Encoding.DER, PublicFormat.PKCS1))
    kind = "PUBLIC KEY" if isinstance(key, rsa.RSAPublicKey) else "ECDSA PUBLIC KEY"
    return _pem(kind, key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))


def _pem(kind: str, data: bytes) -> str:
    text = base64.b64encode(data).decode("ascii")
    lines = "\n".join(text[start : start + 64] for start in range(0, len(text), 64))
    return f"-----BEGIN {kind}-----\n{lines}\n-----END {kind}-----\n"


def _x509genkey(call: Call) -> Result:
    if call.size > 1:
        return fail("invalid argument count for x509genkey([<bitsize>|<ecdsaCurve>])")
    wanted: Any = call.arguments[0] if call.arguments else 2048
    if type(wanted) is str:
        if wanted in _CURVES:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                key: Any = ec.generate_private_key(_CURVES[wanted])
            return done(_private_pem(key))
        if not re.fullmatch("[0-9]{1,9}", wanted):
            return fail(f'Unrecognized elliptic curve: "{wanted}"')
        wanted = int(wanted)
    if type(wanted) is not int:
        return fail("argument for x509genkey must be a string or integer")
    if not 1024 <= wanted <= 4096:
        return fail(f"failed to generate private key: a size of {wanted} bits is not supported (1024 to 4096)")
    return done(_private_pem(rsa.generate_private_key(65537, wanted)))


def _private_pem(key: Any) -> str:
    pem: str = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode("ascii")
    return pem


def _wggenkey(call: Call) -> Result:
    if call.size > 1:
        return fail('a maximum of one argument expected for "wggenkey"')
    kind = call.arguments[0] if call.arguments else "private"
    if kind not in ("private", "preshared"):
        return fail('argument for wggenkey must be "private" or "preshared"')
    return done(base64.b64encode(x25519.X25519PrivateKey.generate().private_bytes_raw()).decode("ascii"))


def _wgpublickey(call: Call) -> Result:
    if call.size != 1:
        return fail('one argument required for "wgpublickey"')
    text = call.arguments[0]
    if type(text) is not str:
        return fail("argument for wgpublickey must be a provate wireguard key (string)")
    data = decoded(text)
    if data is None:
        where = f"illegal base64 data at input byte {_first_fault(text)}"
        return fail(f'error parsing key "{text}": failed to parse base64-encoded key: {where}')
    if len(data) != 32:
        return fail(f'error parsing key "{text}": incorrect key size: {len(data)}')
    public = x25519.X25519PrivateKey.from_private_bytes(data).public_key().public_bytes_raw()
    return done(base64.b64encode(public).decode("ascii"))


def _first_fault(text: str) -> int:
    """Where a base64 text stops being one: at a foreign character, or at a group that is not complete."""
    for index, char in enumerate(text):
        if not (char.isascii() and (char.isalnum() or char in "+/=\r\n")):
            return index
    return len(text) // 4 * 4


FUNCTIONS: dict[str, Function] = {
    "x509publickey": _x509publickey,
    "x509genkey": _x509genkey,
    "wggenkey": _wggenkey,
    "wgpublickey": _wgpublickey,
}
