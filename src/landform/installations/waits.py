"""What an Installation waits for, in its condition `Waiting`."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from landform.api import waiting
from landform.installations import statuses, writing
from landform.runtime.intents import WakeAt

if TYPE_CHECKING:
    from datetime import datetime

    from landform.api.installations import InstallationStatus
    from landform.api.waiting import Wait
    from landform.installations.snapshot import Snapshot
    from landform.runtime.intents import Intent

_ROUNDING = timedelta(seconds=1)
"""Times in a status are cut to whole seconds: without this an object could seem to stand still that has just moved."""


def stand(
    snapshot: Snapshot, status: InstallationStatus, wait: Wait | None, *, since: datetime | None = None
) -> list[Intent]:
    """Write the status, if it differs, with what is waited for since then or since the phase was reached."""
    began = since or status.phase_transition_time or snapshot.now
    said, wake = waiting.settle(
        status.conditions, wait, since=began + _ROUNDING, now=snapshot.now, under_pressure=snapshot.under_pressure
    )
    intents = writing.write_status(snapshot.installation, statuses.changed(status, conditions=said))
    return [*intents, WakeAt(wake)] if wake is not None else intents
