"""Password hashes and keys that only chance decides, checked by what they must satisfy."""

from __future__ import annotations

from cryptography import x509
from cryptography.hazmat.primitives import serialization

from landform.gotemplate import Surroundings, Template, sprig_functions

# Made by golang.org/x/crypto/bcrypt's own comparison: it accepts this hash for "hello".
_ACCEPTED_BY_GO = "$2a$10$KBCwKxOzLha2MUDgW0PjXeaem/Pe2ltbfkxGIE.O.3c0ohwsi/i6G"


def test_bcrypt_makes_the_hash_that_go_accepts() -> None:
    functions = sprig_functions(Surroundings(random=lambda count: b"0123456789abcdef"[:count]))
    assert Template('{{ bcrypt "hello" }}', functions=functions).render() == _ACCEPTED_BY_GO
    assert Template('{{ htpasswd "ada" "hello" }}', functions=functions).render() == f"ada:{_ACCEPTED_BY_GO}"


def test_a_password_of_more_than_72_bytes_is_refused_as_in_go() -> None:
    expected = "failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes"
    assert Template('{{ bcrypt (repeat 73 "x") }}').render() == expected


def test_an_authority_signs_a_certificate() -> None:
    text = (
        '{{ $ca := genCA "root" 30 }}'
        '{{ $leaf := genSignedCert "web" (list "10.0.0.1") (list "web.example.com") 7 $ca }}'
        "{{ $ca.Cert }}|{{ $leaf.Cert }}|{{ $leaf.Key }}"
    )
    root, leaf, key = Template(text).render().split("|")
    authority, certificate = (x509.load_pem_x509_certificate(part.encode()) for part in (root, leaf))
    certificate.verify_directly_issued_by(authority)
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["web.example.com"]
    assert [str(address) for address in names.get_values_for_type(x509.IPAddress)] == ["10.0.0.1"]
    assert (certificate.not_valid_after_utc - certificate.not_valid_before_utc).days == 7
    private = serialization.load_pem_private_key(key.encode(), None)
    assert private.public_key() == certificate.public_key()
    assert authority.extensions.get_extension_for_class(x509.BasicConstraints).value.ca


def test_a_given_key_is_used() -> None:
    text = (
        '{{ $key := genPrivateKey "ecdsa" }}{{ $c := genSelfSignedCertWithKey "a" nil nil 1 $key }}{{ eq $c.Key $key }}'
    )
    assert Template(text).render() == "true"


def test_a_certificate_and_its_key_can_be_put_together() -> None:
    text = '{{ $c := genCA "a" 1 }}{{ $d := buildCustomCert (b64enc $c.Cert) (b64enc $c.Key) }}{{ eq $c.Cert $d.Cert }}'
    assert Template(text).render() == "true"
