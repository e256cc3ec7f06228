"""How soon ten watchers over HTTPS see a write, at 500 writes a second.

Delivery is the time from the answer to the writer, when the write is on disk, until a watcher has the event; the time
from sending the write is printed too.
"""

from __future__ import annotations

from benchmarks import homes, load
from benchmarks.figures import Report

WATCHERS = 10
RATE = 500
WRITES = 5_000
SIZE = 3_000
TARGET_MS = 20.0


def main() -> None:
    report = Report()
    with load.generator(SIZE) as program, homes.folder() as data, homes.landform_up(data) as endpoint:
        answer = program.run(endpoint, "-watchers", str(WATCHERS), "-rate", str(RATE), "-count", str(WRITES))
    report.figure("writes per second", answer["rate"], "/s")
    report.figure("answer to a write, p99", answer["p99_ms"], "ms")
    report.figure("from sending a write to a watcher, median", answer["watch_p50_ms"], "ms")
    report.figure("from sending a write to a watcher, p99", answer["watch_p99_ms"], "ms")
    report.at_most("delivery: from the answer to a watcher, p99", answer["delivery_p99_ms"], TARGET_MS, "ms")
    report.finish()


if __name__ == "__main__":
    main()
