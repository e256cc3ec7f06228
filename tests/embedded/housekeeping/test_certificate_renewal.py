"""The server's certificate is looked at every day, also after a day on which it could not be renewed."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from tests.embedded.housekeeping.resting import ManualClock, at_rest

from landform.embedded.access.certificates import Authority
from landform.embedded.access.private_files import UnusableFile
from landform.embedded.serving.server import Address, serve
from landform.kit.surroundings import Surroundings
from landform.testing import homes

if TYPE_CHECKING:
    import pytest

DAY = 24 * 3600.0


async def test_a_failed_renewal_is_told_and_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    days: list[float] = []
    clock = ManualClock()
    begin = clock.monotonic()

    def renew(*_arguments: object) -> None:
        days.append((clock.monotonic() - begin) / DAY)
        if len(days) == 1:
            raise UnusableFile("cannot write server.pem: No space left on device")

    monkeypatch.setattr(Authority, "renew", renew)
    async with homes.home(Surroundings(clock=clock)) as home, serve(home, Address()):
        await at_rest()
        with caplog.at_level(logging.WARNING):
            await clock.advance(2.5 * DAY)
    assert days == [1, 2]
    assert [record.getMessage() for record in caplog.records] == [
        "the server's certificate could not be renewed: cannot write server.pem: No space left on device;"
        " trying again in a day"
    ]
