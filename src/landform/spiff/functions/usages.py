"""What the key of a certificate may be used for, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cryptography import x509

from landform.kit.quoting import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PLAIN = {
    "Signature": "digital_signature",
    "ContentCommitment": "content_commitment",
    "KeyEncipherment": "key_encipherment",
    "DataEncipherment": "data_encipherment",
    "KeyAgreement": "key_agreement",
    "CertSign": "key_cert_sign",
    "CRLSign": "crl_sign",
    "EncipherOnly": "encipher_only",
    "DecipherOnly": "decipher_only",
}
_EXTENDED = {
    "Any": "2.5.29.37.0",
    "ServerAuth": "1.3.6.1.5.5.7.3.1",
    "ClientAuth": "1.3.6.1.5.5.7.3.2",
    "CodeSigning": "1.3.6.1.5.5.7.3.3",
    "EmailProtection": "1.3.6.1.5.5.7.3.4",
    "IPSECEndSystem": "1.3.6.1.5.5.7.3.5",
    "IPSECTunnel": "1.3.6.1.5.5.7.3.6",
    "IPSECUser": "1.3.6.1.5.5.7.3.7",
    "TimeStamping": "1.3.6.1.5.5.7.3.8",
    "OCSPSigning": "1.3.6.1.5.5.7.3.9",
    "MicrosoftServerGatedCrypto": "1.3.6.1.4.1.311.10.3.3",
    "NetscapeServerGatedCrypto": "2.16.840.1.113730.4.1",
    "MicrosoftCommercialCodeSigning": "1.3.6.1.4.1.311.2.1.22",
    "MicrosoftKernelCodeSigning": "1.3.6.1.4.1.311.61.1.1",
}
_EXTENDED_NAMES = {oid: name for name, oid in _EXTENDED.items()}
# the original writes "ContentCommitment", but reads only "commitment"
_READ = {name.lower().removeprefix("content"): field for name, field in _PLAIN.items()}
_READ_EXTENDED = {name.lower(): x509.ObjectIdentifier(oid) for name, oid in _EXTENDED.items()}


class Usages:
    """The plain and the extended usages that a list of names stands for; ValueError for an unknown name."""

    def __init__(self, names: Iterable[str]) -> None:
        self._plain: set[str] = set()
        self._extended: list[x509.ObjectIdentifier] = []
        for name in names:
            self._add(name)

    def _add(self, name: str) -> None:
        lower = name.lower()
        if lower in _READ:
            self._plain.add(_READ[lower])
        elif lower not in _READ_EXTENDED:
            raise ValueError(f"invalid usage key {quote(name)}")
        elif _READ_EXTENDED[lower] not in self._extended:
            self._extended.append(_READ_EXTENDED[lower])

    @property
    def signs_certificates(self) -> bool:
        """Whether the key may sign certificates."""
        return "key_cert_sign" in self._plain

    def allow_signing_certificates(self) -> None:
        """The key is that of a CA."""
        self._plain.add("key_cert_sign")

    def extensions(self) -> Iterator[tuple[x509.ExtensionType, bool]]:
        """The extensions that say so, each with whether it is critical."""
        if self._plain:
            yield x509.KeyUsage(**{field: field in self._plain for field in _PLAIN.values()}), True
        if self._extended:
            yield x509.ExtendedKeyUsage(self._extended), False


def usage_names(extensions: x509.Extensions) -> list[str]:
    """The names of all usages in a certificate; extended ones that have no name are left out."""
    names: list[str] = []
    for extension in extensions:
        if isinstance(extension.value, x509.KeyUsage):
            names = _plain_names(extension.value) + names
        elif isinstance(extension.value, x509.ExtendedKeyUsage):
            oids = [oid.dotted_string for oid in extension.value]
            names += [_EXTENDED_NAMES[oid] for oid in oids if oid in _EXTENDED_NAMES]
    return names


def _plain_names(usage: x509.KeyUsage) -> list[str]:
    # the last two have no meaning without a key agreement, and asking for them is an error
    known = [name for name in _PLAIN if usage.key_agreement or not name.endswith("Only")]
    return [name for name in known if getattr(usage, _PLAIN[name])]
