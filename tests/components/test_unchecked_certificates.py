"""Certificates of registries are checked, and plain HTTP is spoken where it is written, unless operators disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.components.static_registry import StaticRegistry
from tests.components.test_registry_tls import make_certificate

from landform.components.errors import ComponentError, ConfigurationError, NotFound, RepositoryError
from landform.components.httpclients import Ask, HttpClient, HttpSettings

if TYPE_CHECKING:
    from pathlib import Path

    import aiohttp


async def status_of(response: aiohttp.ClientResponse) -> int:
    return response.status


@pytest.mark.parametrize("verify", [True, False])
async def test_an_unknown_certificate_is_taken_only_if_nobody_checks(tmp_path: Path, verify: bool) -> None:
    tls, _ = make_certificate(tmp_path)
    async with StaticRegistry().serve(tls) as registry, HttpClient(HttpSettings(verify=verify, tries=1)) as client:
        ask = Ask(f"{registry.url}/v2/", {}, "the registry")
        with pytest.raises(ComponentError) as raised:
            await client.fetch(ask, status_of)
        assert ("certificate" in str(raised.value)) == verify
        assert isinstance(raised.value, NotFound) != verify  # it was asked, and has nothing


@pytest.mark.parametrize("plain", [True, False])
async def test_plain_http_that_somebody_wrote_can_be_forbidden(plain: bool) -> None:
    async with StaticRegistry().serve() as registry, HttpClient(HttpSettings(plain=plain, tries=1)) as client:
        ask = Ask(f"{registry.url}/v2/nothing", {}, "the registry")
        with pytest.raises(NotFound if plain else ConfigurationError):
            await client.fetch(ask, status_of)


async def test_a_server_without_tls_is_told_from_one_that_is_not_there() -> None:
    async with StaticRegistry().serve() as registry, HttpClient(HttpSettings(tries=3)) as client:
        ask = Ask(f"{registry.url.replace('http:', 'https:')}/v2/", {}, "the registry")
        with pytest.raises(RepositoryError, match=r"does not speak TLS; write http://"):
            await client.fetch(ask, status_of)
