"""Functions that create certificates and take them apart."""

from __future__ import annotations

import ipaddress
import secrets
import warnings
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import NameOID

from landform.kit.quoting import quote
from landform.spiff.addresses import ip_text, parse_ip
from landform.spiff.dates import date_text, parse_date
from landform.spiff.functions.keys import certificate, private_key, public_key, public_text
from landform.spiff.functions.usages import Usages, usage_names
from landform.spiff.info import Result, done, fail
from landform.spiff.nodes import dynaml_node
from landform.spiff.numbers import parse_bool, parse_int
from landform.spiff.values import counted, simple_text, type_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from landform.spiff.functions.signature import Call, Function
    from landform.spiff.nodes import Map, Node

_MOST_HOURS = 2562047
"""The longest time that the original can count, in hours: 2^63 nanoseconds."""
_YEAR = 24 * 365


def _x509parsecert(call: Call) -> Result:
    if call.size != 1:
        return fail("invalid argument count for x509parsecert")
    text = call.arguments[0]
    if type(text) is not str:
        return fail("argument for x509parsecert must be a certificate in pem format")
    try:
        # what is odd but readable is read without a word, as the original does
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fields = _fields(certificate(text))
    except (ValueError, UnsupportedAlgorithm, x509.DuplicateExtension) as error:
        return fail(f"argument for x509parsecert must be a certificate in pem format: {error}")
    return done(_nodes(fields, lambda value: dynaml_node(value, call.env.source)))


def _nodes(fields: dict[str, Any], node: Callable[[Any], Node]) -> Map:
    return {
        name: node([node(entry) for entry in value] if type(value) is list else value)
        for name, value in fields.items()
        if value not in ("", None)
    }


def _fields(cert: x509.Certificate) -> dict[str, Any]:
    """All fields of a certificate; those that it does not have are empty or None."""
    dns_names, addresses = _hosts(cert.extensions)
    names = _subject(cert)
    return {
        "isCA": _is_ca(cert.extensions),
        "commonName": names[NameOID.COMMON_NAME][-1] if names[NameOID.COMMON_NAME] else "",
        "country": names[NameOID.COUNTRY_NAME] or None,
        "organization": names[NameOID.ORGANIZATION_NAME] or None,
        "dnsNames": dns_names or None,
        "ipAddresses": addresses or None,
        # the original shows no hosts if there are only addresses
        "hosts": addresses + dns_names if dns_names else None,
        "validFrom": date_text(cert.not_valid_before_utc),
        "validUntil": date_text(cert.not_valid_after_utc),
        "validity": _hours_until(cert.not_valid_after_utc),
        "usage": usage_names(cert.extensions),
        "publicKey": public_text(_supported(cert.public_key()), "pem"),
    }


def _subject(cert: x509.Certificate) -> dict[x509.ObjectIdentifier, list[str]]:
    wanted = (NameOID.COMMON_NAME, NameOID.COUNTRY_NAME, NameOID.ORGANIZATION_NAME)
    return {oid: [str(entry.value) for entry in cert.subject.get_attributes_for_oid(oid)] for oid in wanted}


def _hosts(extensions: x509.Extensions) -> tuple[list[str], list[str]]:
    """The names and the addresses that a certificate is for."""
    for extension in extensions:
        if isinstance(extension.value, x509.SubjectAlternativeName):
            addresses = extension.value.get_values_for_type(x509.IPAddress)
            hosts = extension.value.get_values_for_type(x509.DNSName)
            return hosts, [ip_text(ipaddress.ip_address(str(address)).packed) for address in addresses]
    return [], []


def _is_ca(extensions: x509.Extensions) -> bool:
    return any(isinstance(entry.value, x509.BasicConstraints) and entry.value.ca for entry in extensions)


def _hours_until(end: datetime) -> int:
    """Whole hours until then; negative if it is over."""
    return max(-_MOST_HOURS, min(_MOST_HOURS, int((end - datetime.now(UTC)) / timedelta(hours=1))))


def _supported(key: Any) -> Any:
    if isinstance(key, rsa.RSAPublicKey | ec.EllipticCurvePublicKey):
        return key
    raise ValueError("unknown type of public key; supported are RSA and ECDSA")


class _Request(NamedTuple):
    """What a certificate is asked to say, and who signs it."""

    subject: x509.Name
    hosts: list[str]
    usages: Usages
    is_ca: bool
    not_before: datetime
    hours: int
    public: Any
    ca: x509.Certificate | None
    signer: Any


def _x509cert(call: Call) -> Result:
    if call.size != 1:
        return fail("invalid argument count for x509cert(<map>)")
    fields = call.arguments[0]
    if type(fields) is not dict:
        return fail(f"argument for x509cert must be a map (found {type_name(fields)})")
    try:
        return done(_created(_request(fields)))
    except ValueError as error:
        return fail(str(error))


def _request(fields: Map) -> _Request:
    """Reads the fields in the order of the original, so that the same one of several faults is reported."""
    is_ca = _truth(fields, "isCA")
    organizations = _required_texts(fields, "organization")
    common_name = _text(fields, "commonName")
    countries = _texts(fields, "country")
    usage_texts = _required_texts(fields, "usage")
    hours = _whole(fields, "validity", _YEAR)
    hosts = _texts(fields, "hosts")
    own, public = _keys(fields)
    ca, signer = _authority(fields, own)
    not_before = _start(_text(fields, "validFrom"))
    usages = Usages(usage_texts)
    if is_ca or usages.signs_certificates:
        is_ca = True
        usages.allow_signing_certificates()
    subject = _name(countries, organizations, common_name)
    return _Request(subject, hosts, usages, is_ca, not_before, hours, public, ca, signer)


def _keys(fields: Map) -> tuple[Any, Any]:
    """The private key of the certificate, if there is one, and the public one."""
    own_text = _text(fields, "privateKey")
    own = private_key(own_text) if own_text else None
    public_key_text = _text(fields, "publicKey")
    if public_key_text:
        return own, public_key(public_key_text)
    if own is None:
        raise ValueError("one of 'publicKey' or 'privateKey' must be given")
    return own, own.public_key()


def _authority(fields: Map, own: Any) -> tuple[x509.Certificate | None, Any]:
    """The certificate of the signer, if it is another one, and the key that signs."""
    text = _text(fields, "caCert")
    if not text:
        _text(fields, "caPrivateKey")
        if own is None:
            raise ValueError("private key for self-signed certificate required")
        return None, own
    try:
        ca = certificate(text)
    except ValueError as error:
        raise ValueError(f"invalid ca certificate: {error}") from None
    key = _text(fields, "caPrivateKey")
    if not key:
        raise ValueError("private key for ca required")
    return ca, private_key(key)


def _start(text: str) -> datetime:
    if not text:
        return datetime.now(UTC)
    try:
        return parse_date(text)
    except ValueError as error:
        raise ValueError(f"invalid validFrom fields: {error}") from None


def _name(countries: list[str], organizations: list[str], common_name: str) -> x509.Name:
    values = (
        (NameOID.COUNTRY_NAME, countries),
        (NameOID.ORGANIZATION_NAME, organizations),
        (NameOID.COMMON_NAME, [common_name] if common_name else []),
    )
    try:
        parts = [[x509.NameAttribute(oid, text) for text in texts] for oid, texts in values if texts]
        return x509.Name([x509.RelativeDistinguishedName(part) for part in parts])
    except ValueError as error:
        raise _failure(error) from None


def _failure(cause: object) -> ValueError:
    return ValueError(f"Failed to create certificate: {cause}")


def _created(request: _Request) -> str:
    """The certificate as PEM text."""
    if request.ca is not None and _raw(request.ca.public_key()) != _raw(request.signer.public_key()):
        raise _failure("x509: provided PrivateKey doesn't match parent's PublicKey")
    try:
        signed = _builder(request).sign(request.signer, _hash(request.signer))
    except (ValueError, TypeError, OverflowError, UnsupportedAlgorithm) as error:
        raise _failure(error) from None
    return signed.public_bytes(Encoding.PEM).decode("ascii")


def _raw(key: Any) -> bytes:
    data: bytes = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return data


def _builder(request: _Request) -> x509.CertificateBuilder:
    builder = (
        x509.CertificateBuilder()
        .subject_name(request.subject)
        .issuer_name(request.subject if request.ca is None else request.ca.subject)
        .serial_number(secrets.randbits(128) or 1)
        .not_valid_before(request.not_before)
        .not_valid_after(request.not_before + timedelta(hours=request.hours))
        .public_key(_supported(request.public))
    )
    for value, critical in _extensions(request):
        builder = builder.add_extension(value, critical)
    return builder


def _extensions(request: _Request) -> list[tuple[x509.ExtensionType, bool]]:
    result = list(request.usages.extensions())
    result.append((x509.BasicConstraints(request.is_ca, None), True))
    if request.is_ca:
        result.append((x509.SubjectKeyIdentifier.from_public_key(request.public), False))
    if request.ca is not None and request.ca.subject != request.subject:
        result += _authority_key(request.ca)
    if request.hosts:
        # who has no other name is known by its hosts alone, so nobody may skip them
        result.append((x509.SubjectAlternativeName(_host_names(request.hosts)), not list(request.subject)))
    return result


def _authority_key(ca: x509.Certificate) -> list[tuple[x509.ExtensionType, bool]]:
    return [
        (x509.AuthorityKeyIdentifier(entry.value.digest, None, None), False)
        for entry in ca.extensions
        if isinstance(entry.value, x509.SubjectKeyIdentifier)
    ]


def _host_names(hosts: list[str]) -> list[x509.GeneralName]:
    """Names first, then addresses."""
    names = [x509.DNSName(host) for host in hosts if parse_ip(host) is None]
    addresses = [address for address in map(parse_ip, hosts) if address is not None]
    return [*names, *(x509.IPAddress(ipaddress.ip_address(ip_text(address))) for address in addresses)]


def _hash(key: Any) -> hashes.SHA256 | hashes.SHA384 | hashes.SHA512:
    """The hash that fits the size of a key that signs."""
    size = key.key_size if isinstance(key, ec.EllipticCurvePrivateKey) else 0
    return hashes.SHA512() if size > 384 else hashes.SHA384() if size == 384 else hashes.SHA256()


def _value(fields: Map, name: str) -> Any:
    return counted(fields[name].value) if name in fields else None


def _truth(fields: Map, name: str) -> bool:
    value = _value(fields, name)
    if value is None or type(value) in (bool, int):
        return bool(value)
    if type(value) is str:
        return parse_bool(value)
    raise ValueError(f"invalid type for boolean field {quote(name)}")


def _text(fields: Map, name: str) -> str:
    value = _value(fields, name)
    text = "" if value is None else simple_text(value)
    if text is None:
        raise ValueError(f"invalid type for {quote(name)}")
    return text


def _whole(fields: Map, name: str, default: int) -> int:
    value = _value(fields, name)
    if value is None:
        return default
    if type(value) is str:
        return parse_int(value)
    if type(value) is not int:
        raise ValueError(f"invalid type for {quote(name)}")
    return value


def _texts(fields: Map, name: str) -> list[str]:
    """A list of texts; a single text stands for a list of one."""
    value = _value(fields, name)
    if value is None:
        return []
    if type(value) is not list:
        return [_text(fields, name)]
    texts = [simple_text(node.value) for node in value]
    found = [text for text in texts if text is not None]
    if len(found) < len(texts):
        raise ValueError(f"invalid list element type for {quote(name)}")
    return found


def _required_texts(fields: Map, name: str) -> list[str]:
    """As `_texts`; the original calls a field required if it is wrong, and does without one that is missing."""
    try:
        return _texts(fields, name)
    except ValueError:
        raise ValueError(f"field {quote(name)} is required") from None


FUNCTIONS: dict[str, Function] = {
    "x509parsecert": _x509parsecert,
    "x509cert": _x509cert,
}
