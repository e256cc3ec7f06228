"""Many programs that are to begin at the same time."""

from __future__ import annotations

import asyncio

from tests.deployers.programs.story.fakes import Stage, on_stage

from landform.api.conditions import ConditionType, find
from landform.deployers.programs.runs.running import AT_ONCE


def test_a_few_begin_at_once_and_nothing_is_written_of_the_others_but_what_they_wait_for() -> None:
    async def scenario(stage: Stage) -> None:
        stage.machine.kill_in = "before begin"  # so none of them comes to its end
        names = [f"item-{number}" for number in range(AT_ONCE + 4)]
        for name in names:
            await stage.run_job(name, seconds=0)
        await asyncio.sleep(1.5)
        assert stage.machine.passed.count("before begin") == AT_ONCE
        items = [await stage.world.item(name) for name in names]
        assert [bool(item.status.provider_status) for item in items] == [True] * AT_ONCE + [False] * 4
        waiting = find(items[-1].status.conditions, ConditionType.WAITING)
        assert waiting is not None
        assert waiting.message == "the program is being started (process)"

    on_stage(scenario)
