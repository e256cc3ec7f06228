"""Logs name the object and the job that the current task works on, and nothing of its neighbours."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from typing import TYPE_CHECKING

import pytest

from landform.cluster.resources import ObjectKey
from landform.runtime import logs

if TYPE_CHECKING:
    from collections.abc import Iterator

log = logging.getLogger("landform.test")


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


@pytest.fixture(params=list(logs.Format))
def _handler(stream: io.StringIO, request: pytest.FixtureRequest) -> Iterator[None]:
    before = logs.ROOT.level
    handler = logs.configure(stream, format=request.param)
    yield
    logs.ROOT.removeHandler(handler)
    logs.ROOT.setLevel(before)


@pytest.mark.parametrize("_handler", [logs.Format.JSON], indirect=True)
@pytest.mark.usefixtures("_handler")
def test_a_json_line_names_object_and_job(stream: io.StringIO) -> None:
    with logs.about("installations", ObjectKey("ns", "web")):
        logs.name_job("job-7")
        log.info("phase %s", "Init")
    log.warning("outside")
    inside, outside = map(json.loads, stream.getvalue().splitlines())
    assert inside["message"] == "phase Init"
    assert (inside["controller"], inside["object"], inside["job"]) == ("installations", "ns/web", "job-7")
    assert (outside["level"], "object" in outside, "job" in outside) == ("warning", False, False)


@pytest.mark.parametrize("_handler", [logs.Format.TEXT], indirect=True)
@pytest.mark.usefixtures("_handler")
def test_a_text_line_reads_like_a_sentence(stream: io.StringIO) -> None:
    with logs.about("installations", ObjectKey("ns", "web")):
        logs.name_job("job-7")
        log.info("phase Init")
    assert stream.getvalue().endswith(" INFO    installations ns/web (job job-7): phase Init\n")


@pytest.mark.usefixtures("_handler")
def test_an_error_keeps_its_traceback(stream: io.StringIO) -> None:
    try:
        raise ValueError("broken")
    except ValueError:
        log.exception("failed")
    assert "ValueError: broken" in stream.getvalue()


@pytest.mark.usefixtures("_handler")
def test_the_level_counts_from_when_it_is_set(stream: io.StringIO) -> None:
    log.debug("unheard")
    logs.set_level("debug")
    log.debug("heard")
    assert logs.get_level() == "debug"
    assert "unheard" not in stream.getvalue()
    assert "heard" in stream.getvalue()


def test_tasks_side_by_side_do_not_mix_up_their_objects() -> None:
    async def work(name: str) -> None:
        with logs.about("c", ObjectKey("n", name)):
            for _ in range(3):
                await asyncio.sleep(0)
                assert logs.context()["object"] == f"n/{name}"

    async def main() -> None:
        await asyncio.gather(work("a"), work("b"))

    asyncio.run(main())
