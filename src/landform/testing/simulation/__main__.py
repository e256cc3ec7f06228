"""``python -m landform.testing.simulation [PLACE...]``: run scenarios for many seeds, or one run again."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import time
from typing import TYPE_CHECKING

import click

from landform.kit.errors import LandformError
from landform.testing.simulation import campaigns, finding, reports, runs, shrinking
from landform.testing.simulation.faults import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.testing.simulation.campaigns import Task, Workers
    from landform.testing.simulation.scenarios import Scenario

MODES = ("random", "exhaustive")
HASH_SEED = "PYTHONHASHSEED"


@click.command()
@click.argument("places", nargs=-1)
@click.option("--seeds", default=300, show_default=True, help="How many seeds of each scenario.")
@click.option("--from", "first", default=0, show_default=True, help="The first seed.")
@click.option("--scenario", "name", help="Only this scenario.")
@click.option("--seed", type=int, help="Only this seed.")
@click.option("--only", help="Exactly these faults, as a failure lists them; with --seed.")
@click.option("--mode", type=click.Choice(MODES), help="Only seeds, or only a crash at each write; else both.")
@click.option("--jobs", default=os.cpu_count() or 1, show_default=True, help="How many processes run side by side.")
@click.option("--trace", is_flag=True, help="With --seed: show the run even if all is well.")
@click.option("--logs", is_flag=True, help="With --seed: show what the programs log.")
def main(
    places: tuple[str, ...],
    seeds: int,
    first: int,
    name: str | None,
    seed: int | None,
    only: str | None,
    mode: str | None,
    jobs: int,
    trace: bool,
    logs: bool,
) -> None:
    """Run scenarios in virtual time, with all that can go wrong.

    A PLACE is a file, a folder or a module that holds scenarios, or one of them with :VARIABLE; without one,
    tests/simulation/scenarios is looked at.
    """
    try:
        found = finding.find(places)
    except LandformError as error:
        raise click.ClickException(str(error)) from error
    if name is not None and name not in found:
        listed = "\n".join(f"  {each}" for each in sorted(found))
        raise click.ClickException(f"there is no scenario {name!r}; there are\n{listed}")
    chosen = [found[name]] if name is not None else list(found.values())
    _show_logs() if logs and seed is not None else logging.disable(logging.CRITICAL)
    if seed is not None:
        failures = sum(_run_one(scenario, seed, _parsed(only), places, trace=trace) for scenario in chosen)
    else:
        with campaigns.Workers(places, jobs) as workers:
            modes = (mode,) if mode else MODES
            failures = sum(
                _run_many(s, m, campaigns.seeds(first, seeds), workers, places) for s in chosen for m in modes
            )
    sys.exit(1 if failures else 0)


def _run_one(
    scenario: Scenario, seed: int, script: Mapping[str, Kind] | None, places: tuple[str, ...], *, trace: bool
) -> bool:
    """One run; whether it failed."""
    result = runs.run(scenario, seed, script=script)
    if result.violations:
        shortest = shrinking.shrink(scenario, result) if script is None else result
        click.echo(reports.failure(result, shortest, places))
        return True
    click.echo(f"{scenario.name}: seed {seed} holds, {len(result.history.strikes)} faults, {result.seconds:.0f} s")
    if trace:
        click.echo("\n".join(reports.trace(result)))
    return False


def _run_many(scenario: Scenario, mode: str, seeds: list[Task], workers: Workers, places: tuple[str, ...]) -> bool:
    """All runs of a scenario in one mode; whether one failed."""
    if mode == "exhaustive" and not scenario.exhaustive:
        return False
    tasks, what = (seeds, "seeds") if mode == "random" else (campaigns.crashes(scenario), "crashes")
    started = time.monotonic()
    tally = workers.run(scenario, tasks)
    took = time.monotonic() - started
    verdict = "FAILED" if tally.failed else "ok"
    click.echo(f"{scenario.name}: {tally.runs} {what}, {tally.seconds:,.0f} virtual seconds in {took:.1f} s: {verdict}")
    if tally.failed is None:
        return False
    seed, script = tally.failed
    failed = runs.run(scenario, seed, script=script)
    click.echo(reports.failure(failed, shrinking.shrink(scenario, failed), places))
    return True


def _parsed(only: str | None) -> dict[str, Kind] | None:
    """The faults that a failure lists."""
    if only is None:
        return None
    try:
        listed = [text.rpartition("=") for text in only.split(",") if text != "nothing"]
        return {id: Kind(kind) for id, _, kind in listed}
    except ValueError as error:
        raise click.BadParameter(f"{error}; give what a failure lists", param_hint="--only") from error


class _VirtualTime(logging.Formatter):
    """Says when it was in the run."""

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:
        try:
            return f"{asyncio.get_running_loop().time():.3f}"
        except RuntimeError:
            return "-"


def _show_logs() -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(_VirtualTime("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.DEBUG, handlers=[handler])


if __name__ == "__main__":
    if os.environ.get(HASH_SEED, "random") == "random":
        # A program that walks through a set of texts would do so in another order in each process. It should not;
        # but what fails here must fail again.
        os.execve(sys.executable, sys.orig_argv, {**os.environ, HASH_SEED: "0"})
    main()
