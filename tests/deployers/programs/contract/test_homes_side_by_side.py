"""Two homes whose deployers leave things in the same place do not take each other's for garbage."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.deployers.programs.contract import sites

from landform.api.phases import Phase

if TYPE_CHECKING:
    from tests.deployers.programs.contract.sites import Place, User


async def test_a_program_of_another_home_is_not_collected(user: User, place: Place) -> None:
    await user.create("echo begin; sleep 3")
    await user.world.trigger()
    await user.running()
    async with sites.user(replace(place)) as other:
        # Its deployer has looked for garbage before it worked on anything.
        assert (await other.run("true", "two")).status.phase == Phase.SUCCEEDED
    item = await user.done()
    assert (item.status.phase, item.status.first_error) == (Phase.SUCCEEDED, None)
