"""Commands that wait for controllers, and those that look on, on a home that works."""

from __future__ import annotations

import itertools
import signal
import socket
import subprocess
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.cli.processes import PATIENCE_SECONDS, Up, command, environment, up
from tests.cli.typed import Terminal, terminal
from tests.engine.landscapes import installation

from landform.kit import yamls

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_numbers = itertools.count()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    with up(tmp_path_factory.mktemp("home") / "data") as home:
        yield home
        assert home.stop() == 0


@pytest.fixture
def person(home: Up) -> Terminal:
    return terminal(home, f"waiting-{next(_numbers)}")


def have(person: Terminal, *wanted: object) -> None:
    """Apply Installations and wait until they are done."""
    text = "---\n".join(map(yamls.dump, wanted))
    said = person.type("run", "-", stdin=text)
    assert said.code == 0, said


def test_reconcile_waits_for_the_job_that_it_started(person: Terminal) -> None:
    have(person, installation("a"))
    before = person.get("Installation", "a")["status"]["jobID"]
    said = person.type("reconcile", "a", "--wait")
    assert (said.code, said.out) == (0, "installations/a started\n")
    assert said.err.splitlines()[-1].endswith("Succeeded")
    after = person.get("Installation", "a")["status"]
    assert before != after["jobID"] == after["jobIDFinished"]


def test_delete_waits_until_nothing_is_left(person: Terminal) -> None:
    have(person, installation("a", exports="x"))
    assert person.type("delete", "a", "--wait").code == 0
    for kind in ("installations", "executions", "deployitems"):
        assert person.read("get", kind) == ["NAMESPACE  NAME  PHASE  AGE"]


def test_a_deletion_that_is_held_up_says_by_whom(person: Terminal) -> None:
    have(person, installation("base", exports="x"), installation("user", imports=("x",)))
    said = person.type("delete", "base", "--wait", "--timeout", "2500ms")
    assert said.code == 1
    assert "base is not done, and its time is over" in said.err
    assert "user" in said.err
    assert person.type("delete", "base", "--ignore-successors", "--wait").code == 0


def test_interrupt_ends_a_job_that_takes_long(person: Terminal) -> None:
    text = yamls.dump(installation("slow", delay="5m"))
    assert person.type("run", "-", "--timeout", "1s", stdin=text).code == 1
    said = person.type("interrupt", "slow", "--wait")
    assert (said.code, said.out) == (0, "installations/slow interrupted\n")
    assert person.get("Installation", "slow")["status"]["phase"] == "Failed"
    assert person.type("why", "slow").out.count("nterrupt") >= 1


@contextmanager
def typing(*arguments: str | Path) -> Iterator[subprocess.Popen[str]]:
    """A command that runs until it is stopped."""
    process = subprocess.Popen(
        command(*arguments),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment(PYTHONUNBUFFERED="1"),
        process_group=0,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def read_until(process: subprocess.Popen[str], words: str) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if words in line:
            return line
    raise AssertionError(f"it ended without {words!r}")


def test_a_watched_tree_shows_what_comes_until_ctrl_c(person: Terminal, home: Up) -> None:
    have(person, installation("first"))
    with typing("tree", "-w", "-n", person.namespace, "--data", home.folder) as process:
        read_until(process, "first: Succeeded")
        have(person, installation("second"))
        read_until(process, "second: Succeeded")
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_SECONDS) == 130


def test_watched_events_show_what_comes_until_they_are_ended(person: Terminal, home: Up) -> None:
    have(person, installation("a"))
    with typing("events", "a", "-w", "-n", person.namespace, "--data", home.folder) as process:
        person.tell("Installation", "a", "something happened")
        assert "installation/a" in read_until(process, "something happened")
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_SECONDS) == 143


def test_controllers_in_a_process_of_their_own_work_on_a_home_without(tmp_path: Path) -> None:
    with up(tmp_path / "data", "--no-controllers") as home:
        alone = Terminal(home, "default")
        text = yamls.dump(installation("a", exports="x"))
        assert alone.type("run", "-", "--timeout", "300ms", stdin=text).code == 1
        with typing("controller", "--kubeconfig", home.kubeconfig, "--health-address", "127.0.0.1:0") as process:
            read_until(process, "ready")
            assert alone.type("reconcile", "a", "--wait").code == 0
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE_SECONDS) == 0
        assert home.stop() == 0


def test_a_controller_must_be_told_its_cluster() -> None:
    for words in ((), ("--in-cluster", "--kubeconfig", "x")):
        with typing("controller", *words) as process:
            assert "give either --kubeconfig or --in-cluster" in read_until(process, "name the cluster")
            assert process.wait(PATIENCE_SECONDS) == 2


def test_a_controller_answers_whether_it_is_well(home: Up) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with typing("controller", "--kubeconfig", home.kubeconfig, "--health-address", address) as process:
        read_until(process, " ready")
        with urllib.request.urlopen(f"http://{address}/readyz") as answer:
            assert answer.read() == b"ok"
        with urllib.request.urlopen(f"http://{address}/metrics") as answer:
            assert b"landform_api_requests_total" in answer.read()
