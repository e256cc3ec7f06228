"""Reporting: how the end of jobs is told, and which exit code follows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from landform.cli import printing, progress, waits, why_views
from landform.cluster.errors import ClusterError
from landform.cluster.kinds import INSTALLATIONS
from landform.insight import asking
from landform.insight.endings import Ending

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from landform.cluster import Cluster
    from landform.cluster.resources import ObjectKey
    from landform.insight.endings import Awaited

FAILED: Final = 1
"""The exit code when a job did not reach its goal."""

_WORDS: Final = {
    Ending.OPEN: "is not done, and its time is over",
    Ending.SUCCEEDED: "succeeded",
    Ending.FAILED: "failed",
    Ending.GONE: "was deleted meanwhile",
}


async def wait(cluster: Cluster, awaited: Sequence[Awaited], timeout: float | None) -> dict[ObjectKey, Ending]:
    """Wait until all jobs are over or the time is, showing how far they have come."""
    with progress.display(printing.console(stderr=True)) as display:
        return await waits.until_over(cluster, awaited, display, timeout)


async def tell(cluster: Cluster, endings: Mapping[ObjectKey, Ending], *, good: Collection[Ending]) -> bool:
    """Say on stderr what is in the way of those that did not end well; whether all did."""
    bad = [key for key, ending in endings.items() if ending not in good]
    for key in bad:
        await _tell_why(cluster, key, endings[key])
    return not bad


async def _tell_why(cluster: Cluster, key: ObjectKey, ending: Ending) -> None:
    console = printing.console(stderr=True)
    console.print(f"{key.name} {_WORDS[ending]}", style="red")
    if ending is Ending.GONE:
        return
    try:
        installation = await cluster.get(INSTALLATIONS, key.name, namespace=key.namespace)
        chain = await asking.ask(cluster, installation)
    except ClusterError as error:
        console.print(f"The cause cannot be read: {error}", style="red")
        return
    for line in why_views.lines(chain):
        console.print(line)
