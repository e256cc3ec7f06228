"""What people see while they wait, on a terminal and elsewhere."""

from __future__ import annotations

import io

from rich.console import Console
from tests.insight.objects import NOW, execution, failed, installation, item, succeeded, waits, working

from landform.cli import progress, tree_views, why_views
from landform.insight.causes import why
from landform.insight.landscapes import Landscape
from landform.insight.trees import Node, tree

BEFORE = Landscape((installation("shop", **working()), installation("db-1", parent="shop", **working())))
WAITING = waits("Readiness", "Deployment a/b is not ready\nsince long")
LATER = Landscape(
    (installation("shop", **working()), installation("db-1", parent="shop", **working(says=WAITING))),
)
AFTER = Landscape(
    (installation("shop", **succeeded()), installation("db-1", parent="shop", **succeeded())),
    (execution("db-1", **succeeded()),),
    (item("db-1-a-x", "db-1", **succeeded()),),
)


def roots(landscape: Landscape) -> list[Node]:
    return [tree(landscape, root, NOW) for root in landscape.roots()]


def shown(console: Console, *landscapes: Landscape) -> str:
    with progress.display(console) as display:
        for landscape in landscapes:
            display.show(roots(landscape))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_elsewhere_each_change_is_one_line() -> None:
    console = Console(file=io.StringIO(), width=1000)
    assert shown(console, BEFORE, BEFORE, LATER, AFTER).splitlines() == [
        "shop: Progressing",
        "db-1 (db): Progressing",
        "db-1 (db): Progressing waits: Deployment a/b is not ready",
        "shop: Succeeded",
        "db-1 (db): Succeeded",
        "execution db-1: Succeeded",
        "db-1-a-x (a): Succeeded",
    ]


def test_on_a_terminal_the_tree_changes_in_place_and_is_gone_in_the_end() -> None:
    console = Console(file=io.StringIO(), width=60, height=20, force_terminal=True, color_system="standard")
    text = shown(console, BEFORE, AFTER)
    assert "\x1b[36mProgressing" in text, "work is cyan"
    assert "\x1b[32mSucceeded" in text, "success is green"
    assert "\x1b[1A" in text, "the cursor goes back up"
    assert text.rstrip().endswith("\x1b[2K") or "\x1b[2K" in text.rsplit("Succeeded", 1)[1], "the last tree is wiped"


def test_a_tree_on_a_narrow_terminal_keeps_to_its_width() -> None:
    console = Console(file=io.StringIO(), width=30, force_terminal=True, color_system=None)
    for line in tree_views.lines(roots(LATER)):
        console.print(line)
    assert isinstance(console.file, io.StringIO)
    assert max(map(len, console.file.getvalue().splitlines())) <= 30


def test_the_root_cause_is_red_and_good_news_is_green() -> None:
    for landscape, colour in ((LATER, "red"), (AFTER, "green")):
        [*_, last] = [
            line for line in why_views.lines(why(landscape, landscape.installations[0])) if ": " in line.plain
        ]
        assert colour in {str(span.style) for span in last.spans}


def test_an_error_that_ends_in_a_colon_shows_the_last_lines_below_it() -> None:
    error = "it ended with exit code 3; it printed last:\none\ntwo\nthree\nfour"
    broken = Landscape((installation("shop", **failed(error)), installation("web", **failed("it is wrong\nat line 3"))))
    texts = [line.plain.strip() for line in tree_views.lines(roots(broken))]
    assert [text.rpartition("Broken: ")[2] for text in texts if "Failed" not in text] == [
        "it ended with exit code 3; it printed last:",
        "two",
        "three",
        "four",
        "it is wrong",
    ]


def test_what_is_asked_to_start_but_has_not_looks_different_from_what_nobody_asked_for() -> None:
    asked = Landscape((installation("asked", operation="reconcile"), installation("idle")))
    assert [line.plain for line in tree_views.lines(roots(asked))] == [
        "asked  (asked to start)",
        "idle   (not started)",
    ]
