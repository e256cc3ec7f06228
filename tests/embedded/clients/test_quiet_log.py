"""What clients do every day is nothing to complain about in the home's log."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from tests.contract.objects import eventually
from tests.embedded.clients.sessions import admin

if TYPE_CHECKING:
    import pytest

NAMESPACES = "/api/v1/namespaces"
CONFIG_MAPS = f"{NAMESPACES}/default/configmaps"


def complaints(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


async def test_the_client_of_a_watch_goes(caplog: pytest.LogCaptureFixture) -> None:
    async with admin() as session:
        watch = await session.get(CONFIG_MAPS, params={"watch": "true"})
        assert b"ADDED" in await watch.content.readline()
        watch.close()
        for number in range(10):
            body = {"metadata": {"name": f"a-{number}"}}
            async with session.post(CONFIG_MAPS, json=body) as created:
                assert created.status == 201
    assert complaints(caplog) == []


async def test_namespaces_go_as_soon_as_they_have_come(caplog: pytest.LogCaptureFixture) -> None:
    async with admin() as session:
        for number in range(10):
            async with session.post(NAMESPACES, json={"metadata": {"name": f"n-{number}"}}) as created:
                assert created.status == 201
            async with session.delete(f"{NAMESPACES}/n-{number}") as deleted:
                assert deleted.status == 200

        async def all_are_gone() -> bool:
            async with session.get(NAMESPACES) as listed:
                return not any(found["metadata"]["name"].startswith("n-") for found in (await listed.json())["items"])

        await eventually(all_are_gone, "the namespaces are gone")
    assert complaints(caplog) == []
