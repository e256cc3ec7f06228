"""How the wait container learns of the end of main, whatever happens to its connection."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
from tests.deployers.programs.pods.nodes import ended, running, status

from landform.deployers.programs.contract.outcomes import End
from landform.deployers.programs.pods import wait
from landform.deployers.programs.pods.apiserver import ApiFault, ApiServer

if TYPE_CHECKING:
    from collections.abc import Iterator

Event: TypeAlias = dict[str, Any] | ApiFault | None

RUNS: Event = {"status": status(init=ended(), main=running(), wait=running())}
ENDED: Event = {"status": status(init=ended(), main=ended(7), wait=running())}
NEW: Event = {"status": {}}


@dataclass
class PlayedServer:
    """Watches that end in one way or another, one after the other."""

    watches: list[list[dict[str, Any] | ApiFault | None]]
    pauses: list[float] = field(default_factory=list)
    asked: int = 0

    def watch_pod(self, name: str) -> Iterator[dict[str, Any] | None]:
        assert name == "pod"
        self.asked += 1
        for event in self.watches[self.asked - 1]:
            if isinstance(event, ApiFault):
                raise event
            yield event

    def end(self) -> Any:
        server: Any = self
        return wait.main_end(server, "pod", self.pauses.append)


def test_watches_that_end_are_begun_anew_for_hours() -> None:
    hours: list[list[Event]] = [[NEW, RUNS] for _ in range(100)]
    server = PlayedServer([*hours, [RUNS, ENDED]])
    outcome = server.end()
    assert (outcome.end, outcome.exit_code) == (End.EXITED, 7)
    assert max(server.pauses) <= 0.1


def test_an_api_server_that_is_away_is_waited_for_however_long() -> None:
    away: list[list[Event]] = [[ApiFault(0, "no route")] for _ in range(2000)]
    server = PlayedServer([[RUNS], *away, [ApiFault(503, "starting")], [ENDED]])
    assert server.end().exit_code == 7
    assert sum(server.pauses) > 3600 * 5
    assert max(server.pauses) <= 10


@pytest.mark.parametrize("code", [401, 410, 429, 500])
def test_what_may_pass_is_tried_again(code: int) -> None:
    later: list[Event] = [ApiFault(code, "later")]
    assert PlayedServer([*[later] * 50, [ENDED]]).end().exit_code == 7


def test_a_role_that_is_not_known_yet_is_waited_for_and_one_that_is_missing_is_told() -> None:
    refused: list[Event] = [ApiFault(403, "pods is forbidden")]
    assert PlayedServer([refused, refused, [ENDED]]).end().exit_code == 7
    server = PlayedServer([refused] * 100)
    with pytest.raises(ApiFault, match="forbidden"):
        server.end()
    assert 60 < sum(server.pauses) < 100


def test_a_pod_that_is_deleted_is_not_waited_for() -> None:
    with pytest.raises(wait.Stopped):
        PlayedServer([[RUNS, None]]).end()


def test_the_address_comes_from_what_the_kubelet_says() -> None:
    environ = {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "443", "POD_NAMESPACE": "host"}
    assert ApiServer.from_environment(environ) == ApiServer("fd00::1", 443, "host")
