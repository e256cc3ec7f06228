"""Starts programs as containers of an engine."""

from __future__ import annotations

import asyncio
import math
import os
from typing import TYPE_CHECKING, Any, Final

from landform.api.errors import OperationFailed
from landform.deployers.programs.contract.contract import FILES_GROUP, USER, Layout, Owner
from landform.deployers.programs.contract.sandboxes import Progress, SandboxName, Step
from landform.deployers.programs.engines import containers, endings
from landform.deployers.programs.engines.api import EngineError, EngineGone
from landform.deployers.programs.engines.containers import LAYOUT, Making
from landform.deployers.programs.engines.frames import Frames
from landform.deployers.programs.engines.settings import EngineSettings
from landform.deployers.programs.engines.users import who
from landform.deployers.programs.tasks.finishing import to_its_end
from landform.kit.clocks import SystemClock

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Sequence
    from datetime import timedelta
    from pathlib import Path

    from landform.deployers.programs.contract.identities import RunId
    from landform.deployers.programs.contract.outcomes import Outcome
    from landform.deployers.programs.contract.sandboxes import Program, Report
    from landform.deployers.programs.engines.api import EngineApi
    from landform.deployers.programs.local.places import Place
    from landform.kit.clocks import Clock

_AGAIN_SECONDS: Final = 1.0
"""How soon an engine that went away while a program ran is asked again."""

_LOOKS: Final = (0.02, 0.03, 0.05, 0.1, 0.1, 0.1, *(0.2,) * 12)
"""The pauses, in seconds, after which a container is looked at before waiting is left to the engine."""

_FIRST_PULL_SECONDS: Final = 1.0
_LONGEST_PULL_SECONDS: Final = 15.0


class EngineLauncher:
    """Starts programs as containers.

    `realm` tells its containers from those of other deployers at the same engine: the folder that their files are in.
    """

    name = SandboxName.ENGINE

    def __init__(
        self, api: EngineApi, realm: str, settings: EngineSettings | None = None, *, clock: Clock | None = None
    ) -> None:
        self._api = api
        self._realm = realm
        self._settings = settings or EngineSettings()
        self._clock = clock or SystemClock()
        self._making: Making | None = None
        self._ends: dict[str, asyncio.Event] = {}
        self.owner = Owner(USER, FILES_GROUP) if os.geteuid() == 0 else None

    def layout(self, place: Place) -> Layout:
        return LAYOUT

    async def adopt(self, places: Sequence[Place]) -> None:
        """Nothing is kept here of what runs."""

    async def is_ready(self, program: Program) -> bool:
        if program.image is None:
            return True
        try:
            return await self._api.has_image(containers.qualified(program.image))
        except EngineGone as error:
            raise _gone(error) from error

    async def start(self, place: Place, program: Program, report: Report) -> Outcome | None:
        if program.image is None:
            return endings.not_started("NoImage", "it says no image to run as a container")
        try:
            outcome = await self._have_image(program, report)
            if outcome is None:
                # An engine goes on with what somebody asked for who hangs up. Told to remove meanwhile, podman has been
                # seen to find nothing yet and make the container afterwards, or to keep half of it.
                outcome = await to_its_end(self._start(place, program))
            return outcome
        except EngineGone as error:
            raise _gone(error) from error

    async def has_started(self, place: Place) -> bool:
        try:
            container = await self._api.inspect(containers.name(place.run))
        except EngineGone as error:
            raise _gone(error) from error
        return container is not None and endings.has_started(container)

    async def wait(self, place: Place, report: Report) -> Outcome:
        name = containers.name(place.run)
        while True:
            try:
                container = await self._api.inspect(name)
                if container is None or endings.has_ended(container):
                    self._end_of(place.run).set()
                if container is None:
                    return endings.lost(name)
                report(Progress(Step.RUNNING, status=_status(name, container)))
                if endings.has_ended(container):
                    return endings.outcome_of(container, is_stopped=await asyncio.to_thread(_stopped(place).exists))
                await self._wait(name)
            except EngineGone as error:
                report(Progress(Step.RUNNING, str(error)))
                await self._clock.sleep(_AGAIN_SECONDS)
            except EngineError as error:
                if not error.is_missing:
                    raise

    async def output(self, place: Place) -> AsyncIterator[bytes]:
        """Output from its beginning; where the engine went away meanwhile, what was told already is passed over."""
        name, ended, told = containers.name(place.run), self._end_of(place.run), 0
        while True:
            is_over = ended.is_set()
            frames, skip = Frames(), told
            try:
                async for data in _until(ended, self._api.logs(name, follow=not is_over)):
                    content = frames.feed(data)
                    fresh, skip = content[skip:], max(0, skip - len(content))
                    if fresh:
                        told += len(fresh)
                        yield fresh
                if is_over or not ended.is_set():
                    return
            except EngineGone:
                await self._clock.sleep(_AGAIN_SECONDS)
            except EngineError as error:
                if error.is_missing:
                    return
                raise

    async def stop(self, place: Place, grace: timedelta) -> None:
        await asyncio.to_thread(_stopped(place).touch)  # before, so that what it leaves is never taken for its work
        try:
            await self._api.stop(containers.name(place.run), math.ceil(grace.total_seconds()))
        except EngineGone as error:
            raise _gone(error) from error

    async def remove(self, place: Place) -> None:
        try:
            await to_its_end(self._api.remove(containers.name(place.run)))
        except EngineGone as error:
            raise _gone(error) from error
        except EngineError as error:
            if not error.is_conflict:  # somebody else removes it
                raise
        self._ends.pop(place.run.token, None)

    async def left(self) -> Sequence[RunId]:
        try:
            found = await self._api.containers(containers.REALM, self._realm)
        except EngineGone as error:
            raise _gone(error) from error
        runs = [containers.run_of(container.get("Labels") or {}) for container in found]
        return tuple(run for run in runs if run is not None)

    async def close(self) -> None:
        await self._api.close()

    async def _have_image(self, program: Program, report: Report) -> Outcome | None:
        """Pull the image if it is missing, for as long as patience lasts; the outcome if it cannot be had."""
        image = containers.qualified(program.image or "")
        if await self._api.has_image(image):
            return None
        auth = containers.registry_auth(program.pull_credentials)
        end, pause = self._clock.monotonic() + self._settings.pull_patience.total_seconds(), _FIRST_PULL_SECONDS
        said = ""
        while True:
            report(Progress(Step.STAGING, f"image {image} is being pulled" + (f"; last time: {said}" if said else "")))
            try:
                await self._api.pull(image, auth)
                return None
            except EngineError as error:
                said = str(error)
            if self._clock.monotonic() + pause >= end:
                return endings.not_started("ErrImagePull", f"image {image} cannot be pulled: {said}")
            await self._clock.sleep(pause)
            pause = min(2 * pause, _LONGEST_PULL_SECONDS)

    async def _start(self, place: Place, program: Program) -> Outcome | None:
        name = containers.name(place.run)
        try:
            body = containers.body(place, program, await self._known())
            try:
                await self._api.create(name, body)
            except EngineError as error:
                if not error.is_conflict:
                    raise
                if await self.has_started(place):
                    return None
                await self._api.remove(name)  # made by somebody who was killed before it could start it
                await self._api.create(name, body)
            await self._api.start(name)
        except (EngineError, ValueError) as error:
            return endings.not_started("ContainerCannotRun", str(error))
        return None

    async def _wait(self, name: str) -> None:
        """Wait for the end of a container, or at least return before long if it has ended.

        Podman tells of an end only when it has cleaned up, which takes it longer than most programs take.
        """
        for pause in _LOOKS:
            await self._clock.sleep(pause)
            container = await self._api.inspect(name)
            if container is None or endings.has_ended(container):
                return
        await self._api.wait(name)

    def _end_of(self, run: RunId) -> asyncio.Event:
        return self._ends.setdefault(run.token, asyncio.Event())

    async def _known(self) -> Making:
        """How containers are made by this engine; asked once."""
        if self._making is None:
            engine = await self._api.engine()
            self._making = Making(self._settings, who(engine, os.geteuid(), os.getegid()), self._realm)
        return self._making


async def _until(ended: asyncio.Event, stream: AsyncGenerator[bytes]) -> AsyncIterator[bytes]:
    """What a stream gives until its end, or until something else has ended although the stream does not know yet."""
    over = asyncio.ensure_future(ended.wait()) if not ended.is_set() else None
    following = asyncio.ensure_future(anext(stream, None))
    try:
        while True:
            await asyncio.wait([following, over] if over else [following], return_when=asyncio.FIRST_COMPLETED)
            if not following.done():
                return
            data = following.result()
            if data is None:
                return
            yield data
            following = asyncio.ensure_future(anext(stream, None))
    finally:
        tasks = [task for task in (following, over) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await stream.aclose()


def _stopped(place: Place) -> Path:
    return place.keep / "stopped"


def _status(name: str, container: dict[str, Any]) -> dict[str, object]:
    """What the provider status tells of a container, in the words of the original's pods."""
    said = {"image": container["Config"]["Image"], "imageID": container["Image"], "reason": "Running"}
    return {"podName": name, "containerStatus": said}


def _gone(error: EngineGone) -> OperationFailed:
    return OperationFailed("RunProgram", "EngineGone", str(error))
