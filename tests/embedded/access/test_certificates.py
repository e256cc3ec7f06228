"""The embedded home's own authority, its server certificate, and the admin's way in."""

from __future__ import annotations

import base64
import shutil
import signal
import ssl
import stat
import subprocess
import sys
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID
from tests.embedded.access.support import START, StillClock

from landform.embedded.access.certificates import Authority, admin_kubeconfig, server_names
from landform.embedded.access.private_files import UnusableFile
from landform.kit.clocks import SystemClock

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("localhost", "127.0.0.1", "::1", "host.example.org")
DAY = 24 * 3600

KILLED_AT = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from landform.embedded.access.certificates import Authority
from landform.kit.clocks import SystemClock

calls = {"left": int(sys.argv[3])}
real = getattr(os, sys.argv[2])

def die(*args, **kwargs):
    calls["left"] -= 1
    if calls["left"] < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*args, **kwargs)

setattr(os, sys.argv[2], die)
authority = Authority.load_or_create(Path(sys.argv[1]), SystemClock())
authority.server_ssl_context(["localhost"])
"""


def authority_in(folder: Path, clock: StillClock | None = None) -> Authority:
    return Authority.load_or_create(folder, clock or StillClock())


def server_certificate(authority: Authority) -> x509.Certificate:
    return x509.load_pem_x509_certificate((authority.folder / "server.pem").read_bytes())


def test_what_was_made_once_is_found_again(tmp_path: Path) -> None:
    first, second = authority_in(tmp_path), authority_in(tmp_path)
    assert (first.ca, first.admin_token) == (second.ca, second.admin_token)


def test_every_file_is_closed_to_others(tmp_path: Path) -> None:
    authority_in(tmp_path / "access").server_ssl_context(NAMES)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "access").iterdir()}
    assert modes == {"ca.pem": 0o600, "server.pem": 0o600, "admin-token": 0o600}


def test_two_folders_share_nothing(tmp_path: Path) -> None:
    first, second = authority_in(tmp_path / "a"), authority_in(tmp_path / "b")
    assert first.certificate.subject != second.certificate.subject
    assert first.admin_token != second.admin_token
    assert not first.is_admin_token(second.admin_token)


def test_the_admin_token_is_accepted_and_nothing_near_it(tmp_path: Path) -> None:
    authority = authority_in(tmp_path)
    token = authority.admin_token
    assert authority.is_admin_token(token)
    near = ["", token[:-1], token + "x", token.swapcase(), "ä" * 43, "\udcff", "\ud800"]
    assert not any(map(authority.is_admin_token, near))


def test_the_token_and_the_key_appear_in_no_repr(tmp_path: Path) -> None:
    authority = authority_in(tmp_path)
    assert repr(authority) == f"Authority(folder={tmp_path!r})"


def test_the_authority_has_what_strict_clients_ask_for(tmp_path: Path) -> None:
    extensions = authority_in(tmp_path).certificate.extensions
    constraints = extensions.get_extension_for_class(x509.BasicConstraints)
    usage = extensions.get_extension_for_class(x509.KeyUsage)
    assert (constraints.critical, constraints.value.ca, constraints.value.path_length) == (True, True, 0)
    assert (usage.critical, usage.value.key_cert_sign) == (True, True)
    assert extensions.get_extension_for_class(x509.SubjectKeyIdentifier)


def test_the_server_certificate_has_what_strict_clients_ask_for(tmp_path: Path) -> None:
    authority = authority_in(tmp_path)
    authority.server_ssl_context(NAMES)
    certificate = server_certificate(authority)
    certificate.verify_directly_issued_by(authority.certificate)
    extensions = certificate.extensions
    names = extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    own = authority.certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    assert names.get_values_for_type(x509.DNSName) == ["localhost", "host.example.org"]
    assert [str(each) for each in names.get_values_for_type(x509.IPAddress)] == ["127.0.0.1", "::1"]
    issuer = extensions.get_extension_for_class(x509.AuthorityKeyIdentifier).value
    assert issuer.key_identifier == own.digest
    assert extensions.get_extension_for_class(x509.BasicConstraints).critical
    assert not extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    purposes = extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(purposes) == [ExtendedKeyUsageOID.SERVER_AUTH]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_openssl_accepts_the_chain_in_strict_mode(tmp_path: Path) -> None:
    authority = authority_in(tmp_path)
    authority.server_ssl_context(NAMES)
    ca, server = tmp_path / "ca.crt", tmp_path / "server.crt"
    ca.write_text(authority.ca)
    server.write_bytes(server_certificate(authority).public_bytes(Encoding.PEM))
    at, host = str(int(START.timestamp())), "host.example.org"
    command = ["openssl", "verify", "-x509_strict", "-attime", at, "-purpose", "sslserver", "-verify_hostname", host]
    done = subprocess.run([*command, "-CAfile", str(ca), str(server)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, f"{server}: OK"), done.stderr


def test_the_server_certificate_is_kept_while_it_serves(tmp_path: Path) -> None:
    clock = StillClock()
    authority = authority_in(tmp_path, clock)
    authority.server_ssl_context(NAMES)
    first = server_certificate(authority)
    clock.advance(334 * DAY)
    authority.server_ssl_context(NAMES)
    assert server_certificate(authority) == first


@pytest.mark.parametrize(("days", "names"), [(336, NAMES), (0, (*NAMES, "other")), (0, NAMES[:2]), (-1, NAMES)])
def test_the_server_certificate_is_renewed_before_it_ends_or_when_names_change(
    tmp_path: Path, days: int, names: tuple[str, ...]
) -> None:
    clock = StillClock(START + timedelta(days=10))
    authority = authority_in(tmp_path, StillClock(START))
    context = authority_in(tmp_path, clock).server_ssl_context(NAMES)
    first = server_certificate(authority)
    clock.advance(days * DAY)
    authority_in(tmp_path, clock).renew(context, names)
    second = server_certificate(authority)
    assert second.serial_number != first.serial_number
    assert second.not_valid_before_utc <= clock.now() < second.not_valid_after_utc


def test_the_server_certificate_never_outlives_the_authority(tmp_path: Path) -> None:
    clock = StillClock()
    authority = authority_in(tmp_path, clock)
    clock.advance(3600 * DAY)
    authority.server_ssl_context(NAMES)
    assert server_certificate(authority).not_valid_after_utc == authority.certificate.not_valid_after_utc


@pytest.mark.parametrize("damage", [b"", b"garbage", b"\xff\xfe"])
def test_a_broken_server_file_is_replaced(tmp_path: Path, damage: bytes) -> None:
    authority = authority_in(tmp_path)
    (tmp_path / "server.pem").write_bytes(damage)
    authority.server_ssl_context(NAMES)
    server_certificate(authority).verify_directly_issued_by(authority.certificate)


def test_a_server_file_of_another_authority_is_replaced(tmp_path: Path) -> None:
    authority_in(tmp_path).server_ssl_context(NAMES)
    (tmp_path / "ca.pem").unlink()
    authority = authority_in(tmp_path)
    authority.server_ssl_context(NAMES)
    server_certificate(authority).verify_directly_issued_by(authority.certificate)


def certificate_only(text: str) -> str:
    return text[text.index("-----BEGIN CERTIFICATE") :]


def key_only(text: str) -> str:
    return text[: text.index("-----BEGIN CERTIFICATE")]


def test_a_broken_authority_is_told_in_one_sentence_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "ca.pem"
    authority_in(tmp_path)
    whole = path.read_text()
    authority_in(tmp_path / "other")
    other = (tmp_path / "other" / "ca.pem").read_text()
    for text, fault in [
        ("", "does not hold a readable private key"),
        (whole[: len(whole) // 2], "does not hold a readable certificate"),
        (certificate_only(whole), "does not hold a readable private key"),
        (key_only(whole), "does not hold a readable certificate"),
        (key_only(whole) + certificate_only(other), "holds a key and a certificate that do not belong together"),
    ]:
        path.write_text(text)
        with pytest.raises(UnusableFile) as refusal:
            authority_in(tmp_path)
        assert str(refusal.value) == f"{path} {fault}; restore it from a backup, or delete it to get a new one"
        assert path.read_text() == text


def test_an_authority_past_its_time_is_told_in_one_sentence(tmp_path: Path) -> None:
    authority_in(tmp_path)
    with pytest.raises(
        UnusableFile, match=r"is valid from 2030-01-01 to 2039-12-30, and today is 2040-06-01: set the clock"
    ):
        authority_in(tmp_path, StillClock(START.replace(year=2040, month=6)))


@pytest.mark.parametrize("text", ["", "short", "with space " * 5, "x" * 40 + "\n" + "y" * 40])
def test_a_broken_admin_token_is_told_and_not_quoted(tmp_path: Path, text: str) -> None:
    authority_in(tmp_path)
    (tmp_path / "admin-token").write_text(text)
    with pytest.raises(UnusableFile, match="/admin-token does not hold a token") as refusal:
        authority_in(tmp_path)
    assert not text.strip() or text.strip() not in str(refusal.value)


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("count", range(3))
def test_a_process_killed_while_making_things_leaves_a_usable_folder(tmp_path: Path, step: str, count: int) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED_AT, str(tmp_path), step, str(count)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert isinstance(Authority.load_or_create(tmp_path, SystemClock()).server_ssl_context(NAMES), ssl.SSLContext)


def test_server_names_are_loopback_the_host_and_those_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "my-host")
    assert server_names(["10.0.0.1", "localhost"]) == ("localhost", "127.0.0.1", "::1", "my-host", "10.0.0.1")


@pytest.mark.parametrize("host", ["", "with space", "-bad", "x" * 300])
def test_a_host_name_that_no_certificate_can_carry_is_left_out(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: host)
    assert server_names() == ("localhost", "127.0.0.1", "::1")


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("[fe80::1%eth0]", "fe80::1"),
        ("Host.Example.", "host.example"),
        ("*.example.org", "*.example.org"),
        ("bücher.example", "xn--bcher-kva.example"),
    ],
)
def test_names_are_written_as_certificates_write_them(tmp_path: Path, name: str, written: str) -> None:
    authority = authority_in(tmp_path)
    authority.server_ssl_context([name])
    names = server_certificate(authority).extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert [str(each.value) for each in names] == [written]


def test_a_given_name_that_no_certificate_can_carry_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'no name' is neither an IP address nor a DNS name"):
        authority_in(tmp_path).server_ssl_context(["no name"])


def test_the_admin_kubeconfig_says_where_whom_to_trust_and_who_one_is() -> None:
    loaded = yaml.safe_load(admin_kubeconfig("https://127.0.0.1:6443", "CA TEXT\n", "secret", namespace="blue"))
    assert loaded["current-context"] == "landform"
    assert loaded["contexts"][0]["context"] == {"cluster": "landform", "user": "landform-admin", "namespace": "blue"}
    assert loaded["clusters"][0]["cluster"]["server"] == "https://127.0.0.1:6443"
    assert base64.b64decode(loaded["clusters"][0]["cluster"]["certificate-authority-data"]) == b"CA TEXT\n"
    assert loaded["users"] == [{"name": "landform-admin", "user": {"token": "secret"}}]
