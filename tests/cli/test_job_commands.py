"""`apply`, `reconcile`, `interrupt` and `delete`, towards a home where no controller listens."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.processes import Up, up
from tests.cli.typed import BLUEPRINT, Terminal, terminal
from tests.insight.objects import installation, succeeded, working

from landform.api.names import Annotation, Finalizer
from landform.api.phases import Phase
from landform.kit import yamls

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_numbers = itertools.count()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    with up(tmp_path_factory.mktemp("home") / "data", "--no-controllers") as home:
        yield home
        assert home.stop() == 0


@pytest.fixture
def person(home: Up) -> Terminal:
    return terminal(home, f"person-{next(_numbers)}")


def asked(person: Terminal, name: str) -> dict[str, str]:
    found: dict[str, str] = person.get("Installation", name)["metadata"].get("annotations", {})
    return found


def manifest(name: str, filesystem: Any = None, **metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": "landscaper.gardener.cloud/v1alpha1",
        "kind": "Installation",
        "metadata": {"name": name, **metadata},
        "spec": {"blueprint": {"inline": {"filesystem": filesystem or BLUEPRINT}}},
    }


def test_apply_starts_the_job_of_an_installation(person: Terminal) -> None:
    text = yamls.dump(manifest("shop"))
    assert person.read("apply", "-f", "-", stdin=text) == ["installations/shop applied and started"]
    assert asked(person, "shop") == {Annotation.OPERATION: "reconcile"}


def test_apply_can_leave_an_installation_alone(person: Terminal) -> None:
    text = yamls.dump(manifest("shop"))
    assert person.read("apply", "--no-reconcile", "-f", "-", stdin=text) == ["installations/shop applied"]
    assert asked(person, "shop") == {}


def test_apply_does_not_start_a_part_of_another_installation(person: Terminal) -> None:
    text = yamls.dump(manifest("part", labels={"landscaper.gardener.cloud/encompassed-by": "shop"}))
    assert person.read("apply", "-f", "-", stdin=text) == ["installations/part applied"]


def test_what_an_installation_imports_is_sent_before_it(person: Terminal, tmp_path: Path) -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"{person.namespace}-b"}}
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}}
    (tmp_path / "1.yaml").write_text("---\n".join(map(yamls.dump, (manifest("shop"), settings, namespace))))
    assert person.read("apply", "-f", str(tmp_path)) == [
        f"namespaces/{person.namespace}-b applied",
        "configmaps/settings applied",
        "installations/shop applied and started",
    ]


def test_a_blueprint_folder_beside_the_file_is_written_into_the_installation(person: Terminal, tmp_path: Path) -> None:
    (tmp_path / "shop" / "blue" / "parts").mkdir(parents=True)
    (tmp_path / "shop" / "blue" / "blueprint.yaml").write_text(BLUEPRINT["blueprint.yaml"])
    (tmp_path / "shop" / "blue" / "parts" / "a.yaml").write_text("a: 1\n")
    (tmp_path / "shop" / "blue" / "logo.png").write_bytes(b"\x89PNG\xff")
    (tmp_path / "shop" / "installation.yaml").write_text(yamls.dump(manifest("shop", {"$folder": "./blue"})))
    # The files of a blueprint are no objects: only the Installation is found.
    assert person.read("apply", "-f", str(tmp_path)) == ["installations/shop applied and started"]
    stored = person.get("Installation", "shop")["spec"]["blueprint"]["inline"]["filesystem"]
    assert stored == {
        **BLUEPRINT,
        "parts": {"a.yaml": "a: 1\n"},
        "logo.png": "---Start Binary---\niVBOR/8=\n---End Binary---\n",
    }


def test_a_blueprint_folder_that_is_not_there_is_named(person: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "installation.yaml"
    file.write_text(yamls.dump(manifest("shop", {"$folder": "blue"})))
    assert person.refused("apply", "-f", str(file)) == (
        f"{file}, document 1: there is no blueprint.yaml in {tmp_path / 'blue'};"
        " $folder is relative to the file that it stands in"
    )
    file.write_text(yamls.dump(manifest("shop", {"$folder": 1})))
    assert "$folder must be the path of a folder" in person.refused("apply", "-f", str(file))


def test_a_blueprint_itself_cannot_be_applied(person: Terminal, tmp_path: Path) -> None:
    (tmp_path / "blueprint.yaml").write_text(BLUEPRINT["blueprint.yaml"])
    assert "is a blueprint, not a folder of objects" in person.refused("apply", "-f", str(tmp_path))


def test_reconcile_asks_for_a_job(person: Terminal) -> None:
    person.store(installation("shop", blueprint=BLUEPRINT, **succeeded()))
    assert person.read("reconcile", "shop") == ["installations/shop started"]
    assert asked(person, "shop") == {Annotation.OPERATION: "reconcile"}


def test_reconcile_refuses_a_part_and_names_the_root(person: Terminal) -> None:
    person.store(installation("db-1", parent="shop", blueprint=BLUEPRINT))
    assert person.refused("reconcile", "db-1") == (
        f"db-1 is a part of shop, which alone can start it; use `landform reconcile shop -n {person.namespace}`"
    )


def test_of_several_names_nothing_is_started_if_one_is_wrong(person: Terminal) -> None:
    person.store(installation("shop", blueprint=BLUEPRINT))
    person.refused("reconcile", "shop", "nothing")
    assert asked(person, "shop") == {}


def test_waiting_ends_when_its_time_is_over(person: Terminal) -> None:
    person.store(installation("shop", blueprint=BLUEPRINT, **succeeded()))
    said = person.type("reconcile", "shop", "--wait", "--timeout", "200ms")
    assert said.code == 1
    assert said.out == "installations/shop started\n"
    assert said.err.splitlines()[-3:] == [
        "shop is not done, and its time is over",
        'Installation shop [Succeeded]: is asked to "reconcile", but no controller has taken that up',
        "Is a controller running? `landform up` has one inside; on Kubernetes it is `landform controller`.",
    ]


@pytest.mark.parametrize("text", ["5", "never", "-1s", "0s"])
def test_a_time_that_is_none_is_a_usage_error(person: Terminal, text: str) -> None:
    said = person.type("reconcile", "shop", "--wait", f"--timeout={text}")
    assert said.code == 2
    assert "Invalid value for '--timeout'" in said.err
    assert "90s or 10m" in said.err


def test_interrupt_ends_only_jobs_that_there_are(person: Terminal) -> None:
    person.store(
        installation("busy", blueprint=BLUEPRINT, **working()), installation("done", blueprint=BLUEPRINT, **succeeded())
    )
    assert person.read("interrupt", "busy", "done") == [
        "installations/done has no job to interrupt",
        "installations/busy interrupted",
    ]
    assert asked(person, "busy") == {Annotation.OPERATION: "interrupt"}
    assert asked(person, "done") == {}
    assert person.read("interrupt", "done", "--wait") == ["installations/done has no job to interrupt"]


def held(name: str, **state: Any) -> Any:
    made = installation(name, blueprint=BLUEPRINT, **state)
    metadata = type(made.metadata)(name=name, finalizers=(str(Finalizer.LANDSCAPER),))
    return type(made)(metadata=metadata, spec=made.spec, status=made.status)


def test_delete_begins_a_deletion(person: Terminal) -> None:
    person.store(installation("free", blueprint=BLUEPRINT), held("held", **succeeded()))
    assert person.read("delete", "free", "held", "--without-uninstall", "--ignore-successors") == [
        "installations/free deleted",
        "installations/held is being deleted",
    ]
    assert asked(person, "held") == {
        Annotation.DELETE_WITHOUT_UNINSTALL: "true",
        Annotation.DELETE_IGNORE_SUCCESSORS: "true",
    }


def test_a_deletion_that_failed_is_begun_again(person: Terminal) -> None:
    person.store(held("held", phase=Phase.DELETE_FAILED))
    person.read("delete", "held")
    assert asked(person, "held") == {Annotation.OPERATION: "reconcile"}


def test_waiting_for_a_deletion_ends_when_the_object_is_gone(person: Terminal) -> None:
    person.store(installation("free", blueprint=BLUEPRINT))
    assert person.read("delete", "free", "--wait") == ["installations/free deleted"]


def test_an_installation_that_is_not_there_is_answered_with_a_near_one(person: Terminal) -> None:
    person.store(installation("shop", blueprint=BLUEPRINT))
    for command in ("delete", "reconcile", "interrupt"):
        assert 'did you mean "shop"?' in person.refused(command, "shopp")
