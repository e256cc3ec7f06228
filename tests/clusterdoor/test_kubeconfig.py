"""Kubeconfigs become connections, and say which entry is wrong when they cannot."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from landform.cluster import kubeconfig
from landform.cluster.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path

    from landform.cluster.connections import Connection


def config(user: dict[str, Any] | None = None, /, **cluster: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "main",
        "clusters": [{"name": "c", "cluster": {"server": "https://one.example:6443", **cluster}}],
        "users": [{"name": "u", "user": user or {}}],
        "contexts": [{"name": "main", "context": {"cluster": "c", "user": "u", "namespace": "team"}}],
    }


def parse(data: dict[str, Any], context: str | None = None) -> Connection:
    return kubeconfig.parse(yaml.safe_dump(data), context, source="kubeconfig X")


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


async def authorization(connection: Connection) -> str:
    return (await connection.credentials.current()).authorization


async def test_a_token_is_shown_as_a_bearer() -> None:
    connection = parse(config({"token": "secret"}))
    assert connection.server == "https://one.example:6443"
    assert connection.namespace == "team"
    assert await authorization(connection) == "Bearer secret"


def test_secrets_do_not_appear_when_a_connection_is_printed() -> None:
    data = config({"token": "hush", "client-certificate-data": encoded(b"cert"), "client-key-data": encoded(b"hush")})
    assert "hush" not in repr(parse(data))


async def test_a_name_and_a_password_are_shown_as_basic() -> None:
    connection = parse(config({"username": "me", "password": "pw"}))
    assert await authorization(connection) == f"Basic {encoded(b'me:pw')}"


async def test_certificates_as_data_are_decoded() -> None:
    data = config(
        {"client-certificate-data": encoded(b"cert"), "client-key-data": encoded(b"key")},
        **{"certificate-authority-data": encoded(b"ca")},
    )
    connection = parse(data)
    credential = await connection.credentials.current()
    assert credential.certificate is not None
    assert (credential.certificate.certificate, credential.certificate.key) == (b"cert", b"key")
    assert connection.ca == b"ca"


async def test_files_are_looked_for_beside_the_kubeconfig(tmp_path: Path) -> None:
    (tmp_path / "pki").mkdir()
    for name in ("ca", "cert", "key", "token"):
        (tmp_path / "pki" / name).write_text(name)
    user = {"client-certificate": "pki/cert", "client-key": str(tmp_path / "pki/key"), "tokenFile": "pki/token"}
    (tmp_path / "config").write_text(yaml.safe_dump(config(user, **{"certificate-authority": "pki/ca"})))
    connection = kubeconfig.load(tmp_path / "config")
    credential = await connection.credentials.current()
    assert credential.authorization == "Bearer token"
    assert credential.certificate is not None
    assert (credential.certificate.certificate, credential.certificate.key) == (b"cert", b"key")
    assert connection.ca == b"ca"


def test_a_context_may_be_chosen_by_name() -> None:
    data = config()
    data["contexts"].append({"name": "other", "context": {"cluster": "c"}})
    assert parse(data, "other").namespace == "default"


def test_other_settings_of_the_cluster_are_kept() -> None:
    settings = {"insecure-skip-tls-verify": True, "tls-server-name": "inner", "proxy-url": "http://proxy:3128"}
    connection = parse(config(**settings))
    assert (connection.insecure, connection.tls_server_name, connection.proxy_url) == (
        True,
        "inner",
        "http://proxy:3128",
    )


def test_impersonation_becomes_headers() -> None:
    user = {"as": "jane", "as-uid": "7", "as-groups": ["a", "b"], "as-user-extra": {"x/y": ["1"]}}
    assert parse(config(user)).headers == (
        ("Impersonate-User", "jane"),
        ("Impersonate-Uid", "7"),
        ("Impersonate-Group", "a"),
        ("Impersonate-Group", "b"),
        ("Impersonate-Extra-x%2Fy", "1"),
    )


def test_json_is_a_kubeconfig_too() -> None:
    assert kubeconfig.parse(json.dumps(config())).server == "https://one.example:6443"


async def test_several_files_are_merged_and_the_first_one_counts(tmp_path: Path) -> None:
    first, second = config({"token": "first"}), config({"token": "second"})
    second["contexts"].append({"name": "extra", "context": {"cluster": "c", "user": "v"}})
    second["users"].append({"name": "v", "user": {"token": "extra"}})
    del first["current-context"]
    for name, data in (("1", first), ("2", second)):
        (tmp_path / name).write_text(yaml.safe_dump(data))
    paths = [tmp_path / "1", tmp_path / "missing", tmp_path / "2"]
    assert await authorization(kubeconfig.load(paths)) == "Bearer first"
    assert await authorization(kubeconfig.load(paths, "extra")) == "Bearer extra"


def without(data: dict[str, Any], part: str) -> dict[str, Any]:
    return {**data, part: []}


FAULTS: list[tuple[str, Any, str]] = [
    (
        "unknown user",
        without(config(), "users"),
        'kubeconfig X: context "main" names user "u", which is not in the file',
    ),
    (
        "unknown cluster",
        without(config(), "clusters"),
        'kubeconfig X: context "main" names cluster "c", which is not in the file',
    ),
    ("unknown context", without(config(), "contexts"), 'kubeconfig X: there is no context "main"; it has no contexts'),
    (
        "no context",
        {**config(), "current-context": ""},
        'kubeconfig X: no context is named, by you or by the file; it has "main"',
    ),
    ("no cluster", {**config(), "contexts": [{"name": "main"}]}, 'kubeconfig X: context "main" names no cluster'),
    ("no server", config(server=None), 'kubeconfig X, cluster "c": it names no server'),
    ("odd server", config(server="one:6443"), "the server 'one:6443' is not an http or https URL"),
    ("odd proxy", config(**{"proxy-url": "socks5://p:1"}), "the proxy 'socks5://p:1' is not an http or https URL"),
    (
        "proxy with password",
        config(**{"proxy-url": "socks5://me:secret@p:1"}),
        "the proxy 'socks5://p:1' is not an http",
    ),
    ("twice", {**config(), "users": config()["users"] * 2}, 'kubeconfig X: user "u" is there twice'),
    ("wrong type", config({"token": 12}), "kubeconfig X is not a kubeconfig: Expected `str | null`, got `int`"),
    ("no mapping", ["a"], "kubeconfig X is not a kubeconfig: Expected `object`, got `array`"),
    ("half a pair", config({"client-key-data": encoded(b"k")}), "client-certificate and client-key must come together"),
    ("no base64", config({"client-key-data": "?"}), 'kubeconfig X, user "u": client-key-data is not base64'),
    ("auth provider", config({"auth-provider": {"name": "gcp"}}), "auth-provider is no longer supported"),
    ("file", config({"tokenFile": "/etc/passwd"}), 'kubeconfig X, user "u": tokenFile names a file, which is not read'),
    (
        "key file",
        config({"client-key": "/k"}),
        'kubeconfig X, user "u": client-key names a file, which is not read here',
    ),
    ("ca file", config(**{"certificate-authority": "/ca"}), 'cluster "c": certificate-authority names a file'),
    ("program", config({"exec": {"command": "aws"}}), "its credentials come from the program 'aws', which is not run"),
    (
        "insecure with authority",
        config(**{"insecure-skip-tls-verify": True, "certificate-authority-data": encoded(b"x")}),
        "certificate-authority makes no sense with insecure-skip-tls-verify",
    ),
]


@pytest.mark.parametrize(("data", "message"), [case[1:] for case in FAULTS], ids=[case[0] for case in FAULTS])
def test_a_fault_is_told_with_the_file_and_the_entry(data: Any, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse(data)
    assert message in str(caught.value)
    assert str(caught.value).startswith("kubeconfig X")


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "text",
    ["a: [", "\0", "x: &a [*a, *a]\nclusters: *a", "a: " + "[" * 100_000, "a: " + "9" * 100_000],
    ids=["half", "binary", "circle", "deep", "large"],
)
def test_text_that_is_no_kubeconfig_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="the kubeconfig"):
        kubeconfig.parse(text)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="nowhere cannot be read: No such file"):
        kubeconfig.load(tmp_path / "nowhere")
    with pytest.raises(ConfigurationError, match="none of these kubeconfigs is there"):
        kubeconfig.load([tmp_path / "nowhere"])


def test_a_missing_certificate_file_is_named_with_its_entry(tmp_path: Path) -> None:
    (tmp_path / "config").write_text(yaml.safe_dump(config(**{"certificate-authority": "ca"})))
    with pytest.raises(ConfigurationError, match=r'cluster "c": certificate-authority .*/ca cannot be read'):
        kubeconfig.load(tmp_path / "config")


def pod(folder: Path) -> dict[str, str]:
    (folder / "ca.crt").write_text("ca")
    (folder / "namespace").write_text("team\n")
    (folder / "token").write_text("one\n")
    return {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"}


async def test_a_pod_uses_its_service_account(tmp_path: Path) -> None:
    connection = kubeconfig.in_cluster(pod(tmp_path), folder=tmp_path)
    assert (connection.server, connection.namespace, connection.ca) == ("https://10.0.0.1:443", "team", b"ca")
    assert await authorization(connection) == "Bearer one"


def test_an_ipv6_service_host_is_put_in_brackets(tmp_path: Path) -> None:
    environ = {**pod(tmp_path), "KUBERNETES_SERVICE_HOST": "fd00::1"}
    assert kubeconfig.in_cluster(environ, folder=tmp_path).server == "https://[fd00::1]:443"


def test_outside_of_a_pod_there_is_no_service_account(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="not in a pod"):
        kubeconfig.in_cluster({}, folder=tmp_path)
    with pytest.raises(ConfigurationError, match="no usable service account"):
        kubeconfig.in_cluster({**pod(tmp_path)}, folder=tmp_path / "elsewhere")
