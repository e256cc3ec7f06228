"""Reporting: how the end of jobs is told, and which exit code follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.cli import printing, progress, waits, why_views
from landform.cluster.errors import ClusterError
from landform.cluster.kinds import INSTALLATIONS
from landform.insight import asking
from landform.insight.endings import Ending

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from landform.cluster import Cluster
    from landform.cluster.resources import ObjectKey
    from landform.insight.endings import Awaited

FAILED = 1
"""The exit code when a job did not reach its goal."""


async def wait_and_tell(
    cluster: Cluster, awaited: Sequence[Awaited], timeout: float | None, *, good: Collection[Ending]
) -> bool:
    """Wait until all jobs are over; whether all ended well. For those that did not, the cause is printed."""
    with progress.display(printing.console(stderr=True)) as display:
        endings = await waits.until_over(cluster, awaited, display, timeout)
    bad = [key for key, ending in endings.items() if ending not in good]
    for key in bad:
        await tell_why(cluster, key, gone=endings[key] is Ending.GONE)
    return not bad


async def tell_why(cluster: Cluster, key: ObjectKey, *, gone: bool = False) -> None:
    """Print on stderr what is in the way of an Installation."""
    console = printing.console(stderr=True)
    if gone:
        console.print(f"{key.name} was deleted meanwhile", style="red")
        return
    try:
        installation = await cluster.get(INSTALLATIONS, key.name, namespace=key.namespace)
        chain = await asking.ask(cluster, installation)
    except ClusterError as error:
        console.print(f"{key.name} failed; the cause cannot be read: {error}", style="red")
        return
    for line in why_views.lines(chain):
        console.print(line)
