"""Credentials stay fresh: token files are read again, programs are asked again."""

from __future__ import annotations

import asyncio
import json
import os
import ssl
import stat
import sys
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from tests.clusterdoor.certificates import Authority
from tests.clusterdoor.clocks import FakeClock

from landform.cluster import kubeconfig
from landform.cluster.connections import Connection
from landform.cluster.credentials import ClientCertificate, TokenFileCredentials
from landform.cluster.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path

    from landform.cluster.credentials import Credentials


async def token(credentials: Credentials) -> str:
    return (await credentials.current()).authorization.removeprefix("Bearer ")


async def test_a_token_file_is_read_again_after_a_minute(tmp_path: Path) -> None:
    clock, file = FakeClock(), tmp_path / "token"
    file.write_text("one")
    credentials = TokenFileCredentials(file, clock=clock)
    assert await token(credentials) == "one"
    file.write_text("two")
    clock.time = 59
    assert await token(credentials) == "one"
    clock.time = 61
    assert await token(credentials) == "two"


async def test_a_token_file_is_read_at_once_after_a_refusal(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("one")
    credentials = TokenFileCredentials(file, clock=FakeClock())
    refused = await credentials.current()
    file.write_text("two")
    assert credentials.renew(refused)
    assert await token(credentials) == "two"


async def test_a_vanished_token_file_leaves_the_last_token(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    clock, file = FakeClock(), tmp_path / "token"
    file.write_text("one")
    credentials = TokenFileCredentials(file, clock=clock)
    await credentials.current()
    file.unlink()
    clock.time = 100
    assert await token(credentials) == "one"
    assert "cannot read the token file" in caplog.text


@pytest.mark.parametrize(("content", "message"), [(None, "cannot read the token file"), (" \n", "is empty")])
async def test_a_token_file_without_a_token_is_an_error(tmp_path: Path, content: str | None, message: str) -> None:
    file = tmp_path / "token"
    if content is not None:
        file.write_text(content)
    with pytest.raises(ConfigurationError, match=message):
        await TokenFileCredentials(file).current()


V1 = "client.authentication.k8s.io/v1"


class Plugin:
    """A kubeconfig whose credentials come from a small program, which counts its runs and keeps its question."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = FakeClock()
        self.script = folder / "plugin"
        self.spec: dict[str, Any] = {"command": "./plugin", "apiVersion": V1, "interactiveMode": "Never"}
        self.answers(token="t{run}")

    def answers(self, *, version: str = V1, **status: Any) -> None:
        self.prints(json.dumps({"apiVersion": version, "kind": "ExecCredential", "status": status}))

    def prints(self, text: str, code: int = 0) -> None:
        self.script.write_text(
            f"#!{sys.executable} -IS\nimport os, sys\n"
            f"folder = {str(self.folder)!r}\n"
            "open(folder + '/question', 'w').write(os.environ['KUBERNETES_EXEC_INFO'])\n"
            "open(folder + '/arguments', 'w').write(' '.join([*sys.argv[1:], os.environ.get('EXTRA', '')]))\n"
            "open(folder + '/runs', 'a').write('x')\n"
            f"print({text!r}.replace('{{run}}', str(len(open(folder + '/runs').read()))))\n"
            f"sys.exit({code})\n"
        )
        self.script.chmod(self.script.stat().st_mode | stat.S_IXUSR)

    def connection(self, **cluster: Any) -> Connection:
        data = {
            "current-context": "x",
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": "https://one.example", **cluster}}],
            "users": [{"name": "u", "user": {"exec": self.spec}}],
        }
        (self.folder / "config").write_text(yaml.safe_dump(data))
        return kubeconfig.load(self.folder / "config", exec_plugins=True, clock=self.clock)

    @property
    def question(self) -> Any:
        return json.loads((self.folder / "question").read_text())


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    return Plugin(tmp_path)


async def test_a_program_is_asked_once_for_a_credential_without_an_end(plugin: Plugin) -> None:
    credentials = plugin.connection().credentials
    together = await asyncio.gather(*(token(credentials) for _ in range(3)))
    plugin.clock.time = 1e6
    assert [*together, await token(credentials)] == ["t1"] * 4
    assert plugin.question == {"apiVersion": V1, "kind": "ExecCredential", "spec": {"interactive": False}}


async def test_a_program_is_asked_again_when_its_credential_ends(plugin: Plugin) -> None:
    plugin.answers(token="t{run}", expirationTimestamp="2030-01-01T00:10:00Z")
    credentials = plugin.connection().credentials
    assert await token(credentials) == "t1"
    plugin.clock.time = 580
    assert await token(credentials) == "t1"
    plugin.clock.time = 595
    assert await token(credentials) == "t2"


async def test_a_program_is_asked_again_after_a_refusal(plugin: Plugin) -> None:
    credentials = plugin.connection().credentials
    refused = await credentials.current()
    assert credentials.renew(refused)
    assert await token(credentials) == "t2"
    # A second request that was refused with the old credential does not throw the new one away.
    credentials.renew(refused)
    assert await token(credentials) == "t2"


async def test_a_program_gets_its_arguments_and_variables(plugin: Plugin) -> None:
    plugin.spec |= {"args": ["get", "token"], "env": [{"name": "EXTRA", "value": "more"}]}
    await plugin.connection().credentials.current()
    assert (plugin.folder / "arguments").read_text() == "get token more"


async def test_a_program_is_told_of_the_cluster_if_it_wants(plugin: Plugin) -> None:
    plugin.spec["provideClusterInfo"] = True
    extension = {"name": "client.authentication.k8s.io/exec", "extension": {"audience": "x"}}
    connection = plugin.connection(extensions=[extension], **{"certificate-authority-data": "Y2E="})
    await connection.credentials.current()
    assert plugin.question["spec"]["cluster"] == {
        "server": "https://one.example",
        "certificate-authority-data": "Y2E=",
        "config": {"audience": "x"},
    }


async def test_a_program_may_give_a_certificate(plugin: Plugin) -> None:
    plugin.answers(clientCertificateData="cert", clientKeyData="key")
    credential = await plugin.connection().credentials.current()
    assert credential.authorization == ""
    assert credential.certificate == ClientCertificate(b"cert", b"key")


async def test_the_beta_version_works_too(plugin: Plugin) -> None:
    beta = "client.authentication.k8s.io/v1beta1"
    plugin.spec["apiVersion"] = beta
    plugin.answers(version=beta, token="beta")
    assert await token(plugin.connection().credentials) == "beta"


BAD_ANSWERS = {
    "no json": ("hello", 0, "printed no usable credential"),
    "failure": ("{}", 3, "ended with 3"),
    "other version": ('{"apiVersion": "v2", "kind": "ExecCredential"}', 0, "expected client.authentication.k8s.io/v1"),
    "no status": (json.dumps({"apiVersion": V1, "kind": "ExecCredential"}), 0, "neither a token nor a certificate"),
    "half a pair": (
        json.dumps({"apiVersion": V1, "kind": "ExecCredential", "status": {"clientKeyData": "k"}}),
        0,
        "must come together",
    ),
}


@pytest.mark.parametrize(("text", "code", "message"), BAD_ANSWERS.values(), ids=BAD_ANSWERS.keys())
async def test_a_program_that_gives_no_credential_is_named(plugin: Plugin, text: str, code: int, message: str) -> None:
    plugin.prints(text, code)
    with pytest.raises(ConfigurationError, match=message) as caught:
        await plugin.connection().credentials.current()
    assert 'user "u"' in str(caught.value)


async def test_a_missing_program_is_told_with_the_hint_how_to_install_it(plugin: Plugin) -> None:
    plugin.spec |= {"command": "landform-no-such-program", "installHint": "Install it with pip."}
    with pytest.raises(ConfigurationError, match=r"cannot run 'landform-no-such-program'.*Install it with pip"):
        await plugin.connection().credentials.current()


async def test_a_program_that_must_ask_needs_a_terminal(plugin: Plugin, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin.spec["interactiveMode"] = "Always"
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(ConfigurationError, match="there is no terminal"):
        await plugin.connection().credentials.current()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"apiVersion": "client.authentication.k8s.io/v1alpha1"}, "has apiVersion"),
        ({"command": ""}, "names no command"),
        ({"interactiveMode": "Sometimes"}, "unknown interactiveMode 'Sometimes'"),
    ],
)
def test_an_odd_program_entry_is_refused(plugin: Plugin, change: dict[str, str], message: str) -> None:
    plugin.spec |= change
    with pytest.raises(ConfigurationError, match=message):
        plugin.connection()


def test_a_program_is_not_run_unless_allowed(plugin: Plugin) -> None:
    plugin.connection()
    with pytest.raises(ConfigurationError, match="which is not run here"):
        kubeconfig.load(plugin.folder / "config")


async def test_a_cancelled_request_ends_the_program(plugin: Plugin) -> None:
    started = plugin.folder / "started"
    os.mkfifo(started)
    plugin.script.write_text(f"#!/bin/sh\necho > {started}\nexec sleep 600\n")
    asking = asyncio.create_task(plugin.connection().credentials.current())
    await asyncio.to_thread(started.read_text)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(asking, 5)


def test_tls_settings_trust_the_named_authority_only() -> None:
    context = Connection("https://a", ca=Authority().certificate).ssl_context()
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert len(context.get_ca_certs()) == 1


def test_insecure_tls_settings_trust_anyone() -> None:
    context = Connection("https://a", insecure=True).ssl_context()
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_NONE, False)


def test_an_unreadable_authority_or_certificate_is_named() -> None:
    pair = Authority().sign("x")
    with pytest.raises(ConfigurationError, match="cluster X: the certificate authority is not readable"):
        Connection("https://a", ca=b"nonsense", source="cluster X").ssl_context()
    connection = Connection("https://a", source="cluster X")
    with pytest.raises(
        ConfigurationError, match="cluster X: the client certificate and its key are not a readable pair"
    ):
        connection.ssl_context(ClientCertificate(pair.certificate, Authority().sign("y").key))
