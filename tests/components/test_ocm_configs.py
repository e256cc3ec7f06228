"""OCM configurations: credentials and rules for lookups, against what the original recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from landform.components import credentials, ocmconfigs
from landform.components.credentials import Consumer, Credentials, Identity
from landform.components.errors import ConfigurationError

if TYPE_CHECKING:
    from landform.components.ocmconfigs import OcmConfig

FOLDER = Path("tests/golden/ocm/config")


def _config(name: str) -> OcmConfig:
    config = ocmconfigs.parse((FOLDER / name).read_text())
    return ocmconfigs.with_docker(config, [(file, (FOLDER / file).read_bytes()) for file in config.docker_files])


def _cases() -> list[dict[str, Any]]:
    return list(json.loads((FOLDER / "credential-cases.json").read_bytes()))


def _pair(found: Credentials | None) -> tuple[str, str] | None:
    return (found.username, found.password) if found else None


@pytest.mark.parametrize("case", _cases(), ids=lambda case: f"{case['config']}-{json.dumps(case['consumer'])}")
def test_credentials_are_chosen_as_recorded(case: dict[str, Any]) -> None:
    consumer = dict(case["consumer"])
    consumer["path"] = consumer.pop("pathprefix", "")
    found = _pair(credentials.best(_config(case["config"]).consumers, Identity(**consumer)))
    wanted = [case["credentials"]] if "credentials" in case else case.get("anyOf", [None])
    assert found in [(entry["username"], entry["password"]) if entry else None for entry in wanted]


@pytest.mark.parametrize(
    ("request_", "is_found"),
    [
        (Identity(hostname="registry.example.com", path="team/a"), True),
        (Identity(hostname="registry.example.com", path="team"), True),
        (Identity(hostname="registry.example.com", path="teams/a"), False),
        (Identity(path="team"), True),
        (Identity(type="", hostname="registry.example.com", path="team"), True),
        (Identity(hostname="registry.example.com"), False),
        (Identity(type="Other", path="team"), False),
    ],
)
def test_what_a_request_leaves_out_fits_everything_but_a_path(request_: Identity, is_found: bool) -> None:
    entry = Consumer(Identity(hostname="registry.example.com", path="team"), Credentials("u", "p"))
    assert (credentials.best([entry], request_) is not None) is is_found


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ({"auth": "dXNlcjpwYXNz"}, Credentials("user", "pass")),
        ({"username": "user", "password": "pass\n\n"}, Credentials("user", "pass")),
        ({"auth": "dXNlcjo=", "identitytoken": "token"}, Credentials("user", "", "token")),
        ({"identitytoken": "token"}, None),
        ({"password": "pass"}, None),
    ],
)
def test_an_entry_of_a_docker_configuration_needs_a_user(entry: dict[str, str], found: Credentials | None) -> None:
    consumers = credentials.from_docker({"auths": {"registry.example.com": entry}}, "it")
    assert credentials.best(consumers, Identity(hostname="registry.example.com")) == found


def test_a_path_that_ends_with_a_slash_fits_nothing_below_it() -> None:
    text = (
        "type: credentials.config.ocm.software\n"
        "consumers: [{identity: {type: OCIRegistry, pathprefix: /team/}, credentials: []}]"
    )
    assert credentials.best(ocmconfigs.parse(text).consumers, Identity(hostname="a", path="team/b")) is None


def test_a_docker_repository_may_be_switched_off() -> None:
    text = (
        "type: credentials.config.ocm.software\n"
        "repositories: [{repository: {type: DockerConfig, propagateConsumerIdentity: false,"
        " dockerConfig: {auths: {registry.example.com: {username: u, password: p}}}}}]"
    )
    assert ocmconfigs.parse(text).consumers == ()
    assert len(ocmconfigs.parse(text.replace("false", "true")).consumers) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n",
        "type: generic.config.ocm.software/v1",
        "type: http.config.ocm.software/v1alpha1\ntimeout: 30s",
        "type: oci.uploader.config.ocm.software",
        "type: attributes.config.ocm.software/v1\nattributes: {cache: /tmp}",
    ],
)
def test_an_empty_configuration_is_fine(text: str) -> None:
    assert ocmconfigs.parse(text) == ocmconfigs.EMPTY


@pytest.mark.parametrize(
    "text",
    [
        (FOLDER / "r-unknown-type.ocmconfig").read_text(),
        "type: ocm.config.ocm.software/v2",
        "just text",
        "type: ocm.config.ocm.software\nresolvers: {}\nx: [",
        "type: ocm.config.ocm.software\nresolvers: [{prefix: x}]",
        "type: credentials.config.ocm.software\nconsumers: [{identity: x}]",
        "type: credentials.config.ocm.software\nrepositories: [{repository: {type: Vault}}]",
    ],
)
def test_a_configuration_that_is_not_understood_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError):
        ocmconfigs.parse(text)


def test_no_error_and_no_text_form_shows_a_password() -> None:
    text = "type: credentials.config.ocm.software\nconsumers: [{identity: {type: OCIRegistry}, credentials: [SECRET: ["
    with pytest.raises(ConfigurationError) as caught:
        ocmconfigs.parse(text)
    assert "SECRET" not in str(caught.value)
    with pytest.raises(ConfigurationError) as caught:
        credentials.from_docker('{"auths": {"x": {"auth": "SECRET!"}}}', "a pull secret")
    assert "SECRET" not in str(caught.value)
    assert "pw-" not in repr(_config("c-mixed.ocmconfig").consumers)


def test_a_pull_secret_counts_only_if_it_holds_credentials() -> None:
    assert ocmconfigs.parse_credentials((FOLDER / "r-order.ocmconfig").read_text()) == ocmconfigs.EMPTY
    text = "type: credentials.config.ocm.software/v1\nconsumers: [{identity: {type: OCIRegistry, hostname: a}}]"
    assert len(ocmconfigs.parse_credentials(text).consumers) == 1
