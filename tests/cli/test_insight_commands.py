"""`tree`, `why`, `events` and `get`, about objects that nobody works on."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING

import pytest
from tests.cli.processes import Up, up
from tests.cli.typed import BLUEPRINT, Terminal, terminal
from tests.insight.objects import execution, export, failed, installation, item, succeeded, waits, working

from landform.api.phases import Phase
from landform.api.waiting import WaitReason
from landform.kit import yamls

if TYPE_CHECKING:
    from collections.abc import Iterator

_numbers = itertools.count()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    with up(tmp_path_factory.mktemp("home") / "data", "--no-controllers") as home:
        yield home
        assert home.stop() == 0


@pytest.fixture
def person(home: Up) -> Terminal:
    return terminal(home, f"person-{next(_numbers)}")


def build_shop(person: Terminal) -> None:
    predecessor = waits(WaitReason.PREDECESSOR, "predecessor db-1 (db) is in phase Failed")
    person.store(
        installation("shop", blueprint=BLUEPRINT, **working()),
        installation("db-1", parent="shop", blueprint=BLUEPRINT, **failed("children failed")),
        installation("web-2", parent="shop", blueprint=BLUEPRINT, **working(Phase.INIT, predecessor)),
        execution("db-1", **failed("items failed")),
        item("db-1-server-x", "db-1", **failed("no space on disk sda\nsee the log")),
        export("url", "secret-url", of="db-1"),
        installation("other", blueprint=BLUEPRINT, **succeeded()),
    )


def test_a_tree_shows_phases_waits_errors_and_exports(person: Terminal) -> None:
    build_shop(person)
    lines = person.read("tree", "shop")
    assert lines[0].split()[:2] == ["shop", "Progressing"]
    assert lines[1:-2] == [
        "├─ db-1 (db)                          Failed        10s",
        "│  │  Reconcile: Broken: children failed",
        "│  │  exports url",
        "│  └─ execution db-1                  Failed        10s",
        "│     │  Reconcile: Broken: items failed",
        "│     └─ db-1-server-x (server) mock  Failed        10s",
        "│           Reconcile: Broken: no space on disk sda",
    ]
    assert lines[-2].split()[:4] == ["└─", "web-2", "(web)", "Init"]
    assert lines[-1] == "      waits: predecessor db-1 (db) is in phase Failed"


def test_without_a_name_all_roots_are_shown(person: Terminal) -> None:
    build_shop(person)
    roots = [line.split()[0] for line in person.read("tree") if line[0].isalpha()]
    assert roots == ["other", "shop"]
    said = person.type("tree", "--all-namespaces")
    assert said.code == 0
    assert said.out.count("shop ") >= 1


def test_values_are_shown_only_when_asked_for(person: Terminal) -> None:
    build_shop(person)
    for output in ("text", "yaml", "json"):
        assert "secret-url" not in person.type("tree", "shop", "-o", output).out
        assert "secret-url" in person.type("tree", "shop", "-o", output, "--show-values").out


def test_a_tree_is_data_for_programs(person: Terminal) -> None:
    build_shop(person)
    [shop] = json.loads(person.type("tree", "shop", "-o", "json").out)
    assert [child["name"] for child in shop["children"]] == ["db-1", "web-2"]
    assert shop["children"][0]["exports"] == [{"name": "url", "kind": "DataObject"}]
    assert shop["children"][1]["state"] == "waiting"
    assert yamls.load(person.type("tree", "shop", "-o", "yaml").out)[0]["name"] == "shop"


def test_why_leads_to_the_root_cause_and_says_what_to_do(person: Terminal) -> None:
    build_shop(person)
    assert person.read("why", "shop") == [
        "Installation shop [Progressing]: works on what is below it",
        "└ Installation db-1 (db) [Failed]: failed because of what is below it",
        "  └ Execution db-1 [Failed]: failed because of what is below it",
        "    └ DeployItem db-1-server-x (server) [Failed]: failed: Reconcile: Broken: no space on disk sda",
        "see the log",
        f"Mend the cause, then start again with `landform reconcile shop -n {person.namespace}`.",
    ]


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("db-1", "Installation db-1 (db)"),
        ("db", "Installation db-1 (db)"),
        ("server", "DeployItem db-1-server-x (server)"),
        ("di/db-1-server-x", "DeployItem db-1-server-x (server)"),
        ("exec/db-1", "Execution db-1"),
        ("inst/web", "Installation web-2 (web)"),
    ],
)
def test_why_understands_every_name_of_an_object(person: Terminal, name: str, first: str) -> None:
    build_shop(person)
    assert person.read("why", name)[0].startswith(first)


def test_why_follows_a_root_that_waits_for_another_root(person: Terminal) -> None:
    wait = waits(WaitReason.PREDECESSOR, "predecessor base is in phase Progressing")
    pull = waits(WaitReason.READINESS, "Deployment a/b is not ready")
    person.store(
        installation("shop", blueprint=BLUEPRINT, **working(Phase.INIT, wait)),
        installation("base", blueprint=BLUEPRINT, **working()),
        execution("base", **working()),
        item("base-a-x", "base", **working(says=pull)),
    )
    chain = json.loads(person.type("why", "shop", "-o", "json").out)
    assert [step["name"] for step in chain["steps"]] == ["shop", "base", "base", "base-a-x"]


def test_an_unknown_name_is_answered_with_a_near_one(person: Terminal, home: Up) -> None:
    build_shop(person)
    where = f"in namespace {person.namespace}"
    assert person.refused("why", "shpo") == f'installations "shpo" not found {where}; did you mean "shop"?'
    assert person.refused("tree", "othr") == f'installations "othr" not found {where}; did you mean "other"?'
    person.store(installation("only-here", blueprint=BLUEPRINT))
    elsewhere = Terminal(home, "kube-system")
    assert elsewhere.refused("tree", "only-here") == (
        f'installations "only-here" not found in namespace kube-system; there is one in namespace {person.namespace}'
    )


def test_a_name_that_several_have_is_not_guessed(person: Terminal) -> None:
    person.store(item("a-same-1", "a"), item("b-same-2", "b"))
    assert person.refused("why", "same").startswith('"same" is the name of several in namespace')


@pytest.mark.parametrize(
    ("short", "kind"), [("inst", "installations"), ("di", "deployitems"), ("cm", "configmaps"), ("ns", "namespaces")]
)
def test_short_names_work(person: Terminal, short: str, kind: str) -> None:
    build_shop(person)
    shown = [person.type("get", name, "-o", "yaml") for name in (short, kind)]
    assert shown[0] == shown[1]
    assert shown[0].code == 0


def test_an_unknown_kind_is_answered_with_a_near_one(person: Terminal) -> None:
    assert person.refused("get", "instalation") == (
        'the cluster does not know the kind "instalation"; did you mean "installation"?'
    )


def test_events_are_those_of_an_installation_and_all_below_it(person: Terminal) -> None:
    build_shop(person)
    for kind, name, number in (("DeployItem", "db-1-server-x", 2), ("Installation", "other", 1)):
        person.tell(kind, name, f"number {number}", count=number)
    assert len(person.read("events")) == 2
    [line] = person.read("events", "shop")
    assert line.split()[1:] == ["Told", "deployitem/db-1-server-x", "number", "2", "(x2)"]
    [event] = json.loads(person.type("events", "shop", "-o", "json").out)
    assert event["message"] == "number 2"


def test_where_there_is_nothing_the_commands_say_so(person: Terminal) -> None:
    empty = person.type("tree")
    assert (empty.code, empty.out) == (0, "")
    assert empty.err == (
        f"There is no Installation in namespace {person.namespace}; --all-namespaces shows those of others.\n"
    )
    assert f"There are no Events in namespace {person.namespace}; " in person.type("events").err


@pytest.mark.parametrize(
    "arguments",
    [
        ("tree", "-w", "-o", "json"),
        ("tree", "a", "-A"),
        ("events", "-w", "-o", "yaml"),
        ("get", "cm", "-A"),
        ("reconcile", "a", "--timeout", "5s"),
    ],
)
def test_what_does_not_go_together_is_a_usage_error(person: Terminal, arguments: tuple[str, ...]) -> None:
    assert person.type(*arguments).code == 2
