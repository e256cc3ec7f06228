"""Data and Targets that flow between Installations, given by kubectl."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.cluster.core.landscapes import (
    API,
    blueprint,
    data,
    deploying,
    exporter,
    exporting,
    importer,
    installation,
    item,
    refs,
    target,
    template,
)

if TYPE_CHECKING:
    from tests.cluster.core.users import User

pytestmark = pytest.mark.usefixtures("controller")

PLACES = [{"name": "places", "type": "targetList", "targetType": "example.com/place"}]
PLACES_BY_KEY = [{"name": "places", "type": "targetMap", "targetType": "example.com/place"}]
MANY = 12
"""Enough that 10 comes before 9 where positions are sorted as texts."""


async def test_a_new_value_reaches_everybody_along_the_chain(user: User) -> None:
    await user.apply(exporter("a", "one"), importer("b", "one", exports="two"), importer("c", "two", exports="three"))
    found = await user.run("a", "b", "c")
    assert [each.status.phase for each in found] == ["Succeeded"] * 3
    assert await user.data("three") == "here!!"
    await user.apply(exporter("a", "one", "there"))
    await user.run("a")

    async def arrived() -> bool:
        return bool(await user.data("three") == "there!!")

    await user.until(arrived, "the new value at the end of the chain")
    assert (await user.ended("c", before=found[2].status.job_id)).status.phase == "Succeeded"


async def test_a_root_whose_predecessor_failed_fails_and_says_so(user: User) -> None:
    bad = blueprint(exports=data("value"), deployExecutions=deploying(item("bad", phase="Failed")))
    await user.apply(installation("a", bad, exports=refs(value="one")), importer("b", "one"))
    _, found = await user.run("a", "b")
    error = found.status.last_error
    assert found.status.phase == "Failed"
    assert error is not None
    assert (error.operation, error.reason) == ("init", "AllPredecessorsSucceeded")
    assert error.message == "predecessor installation a is in phase Failed; it must succeed first"


async def test_two_exporters_of_one_name_are_named(user: User) -> None:
    await user.apply(exporter("first", "same"), exporter("second", "same"))
    found = await user.run("first", "second")
    failed = [each for each in found if each.status.phase == "Failed"]
    assert failed
    for each in failed:
        assert each.status.last_error is not None
        assert "first" in each.status.last_error.message
        assert "second" in each.status.last_error.message


async def test_secrets_and_config_maps_are_read_as_yaml(user: User) -> None:
    await user.kubectl(
        "create", "secret", "generic", "s", "--from-literal=n=5", "--from-literal=b=yes", "--from-literal=t=x"
    )
    await user.kubectl("create", "configmap", "c", "--from-literal=all=[1, {a: no}]")
    text = blueprint(
        imports=data("secret", "config"),
        exports=data("out"),
        exportExecutions=exporting(out={"secret": "(( imports.secret ))", "config": "(( imports.config ))"}),
    )
    sources: list[dict[str, Any]] = [
        {"name": "secret", "secretRef": {"name": "s"}},
        {"name": "config", "configMapRef": {"name": "c", "key": "all"}},
    ]
    await user.apply(installation("reader", text, imports={"data": sources}, exports=refs(out="out")))
    (found,) = await user.run("reader")
    assert found.status.phase == "Succeeded"
    assert await user.data("out") == {"secret": {"n": 5, "b": True, "t": "x"}, "config": [1, {"a": False}]}


async def test_a_list_of_targets_keeps_its_order_three_levels_down(user: User) -> None:
    lowest = blueprint(
        imports=PLACES,
        exports=data("order"),
        deployExecutions=[_go("{{- range $i, $t := .imports.places }}", "  target: {import: places, index: {{ $i }}}")],
        exportExecutions=[_exporting_order()],
    )
    forward = {"imports": {"targets": [{"name": "places", "targetListRef": "places"}]}, "exports": refs(order="order")}
    handing_on = {
        "imports": PLACES,
        "exports": data("order"),
        "exportExecutions": exporting(order="(( dataobjects.order ))"),
    }
    middle = blueprint(**handing_on, subinstallations=[template("lowest", lowest, **forward)])
    top = blueprint(**handing_on, subinstallations=[template("middle", middle, **forward)])
    names = [f"place-{number}" for number in range(MANY)]
    given = {"targets": [{"name": "places", "targets": names}]}
    await user.apply(*(target(name, number=number) for number, name in enumerate(names)))
    await user.apply(installation("top", top, imports=given, exports=refs(order="order")))
    (found,) = await user.run("top")
    assert found.status.phase == "Succeeded", found.status.last_error
    assert await user.data("order") == list(range(MANY))
    assert len({each.spec.target.name for each in await user.items() if each.spec.target}) == MANY


async def test_a_map_of_targets_can_be_composed_and_handed_on(user: User) -> None:
    lowest = blueprint(
        imports=PLACES_BY_KEY,
        exports=data("order"),
        deployExecutions=[_go("{{- range $i, $t := .imports.places }}", "  target: {import: places, key: {{ $i }}}")],
        exportExecutions=[
            {
                "name": "x",
                "type": "GoTemplate",
                "template": "exports:\n  order:\n{{- range $k, $t := .imports.places }}\n"
                "    {{ $k }}: {{ $t.spec.config.number }}\n{{- end }}\n",
            }
        ],
    )
    one = {"type": "target", "targetType": "example.com/place"}
    composed = {"name": "places", "targetMap": {"blue": "second", "red": "first"}}
    top = blueprint(
        imports=[{"name": "first", **one}, {"name": "second", **one}],
        exports=data("order"),
        subinstallations=[template("lowest", lowest, imports={"targets": [composed]}, exports=refs(order="order"))],
        exportExecutions=exporting(order="(( dataobjects.order ))"),
    )
    given = {"targets": [{"name": "first", "target": "a"}, {"name": "second", "target": "b"}]}
    await user.apply(target("a", number=1), target("b", number=2))
    await user.apply(installation("top", top, imports=given, exports=refs(order="order")))
    (found,) = await user.run("top")
    assert found.status.phase == "Succeeded", found.status.last_error
    assert await user.data("order") == {"blue": 2, "red": 1}


async def test_a_changed_import_fails_the_job_that_was_using_it(user: User) -> None:
    value = {"apiVersion": API, "kind": "DataObject", "metadata": {"name": "value"}, "data": "old"}
    slow = blueprint(imports=data("value"), deployExecutions=deploying(item("slow", delay="1s")))
    await user.apply(value, installation("user", slow, imports=refs(value="value")))
    await user.annotate("inst/user", operation="reconcile")

    async def working() -> bool:
        return any(each.status.phase == "Progressing" for each in await user.items())

    await user.until(working, "the item to be worked on")
    await user.apply({**value, "data": "new"})
    found = await user.ended("user")
    assert found.status.phase == "Failed"
    assert found.status.last_error is not None
    assert (found.status.last_error.operation, found.status.last_error.reason) == (
        "handlePhaseCompleting",
        "CheckImportsHash",
    )


def _go(each: str, target_line: str) -> dict[str, Any]:
    """A deploy execution with an item for each of something."""
    lines = [
        "deployItems:",
        each,
        "- name: item-{{ $i }}",
        "  type: landscaper.gardener.cloud/mock",
        target_line,
        "  config:",
        "    apiVersion: mock.deployer.landscaper.gardener.cloud/v1alpha1",
        "    kind: ProviderConfiguration",
        "    export: {number: {{ $t.spec.config.number }}}",
        "{{- end }}",
    ]
    return {"name": "default", "type": "GoTemplate", "template": "\n".join(lines)}


def _exporting_order() -> dict[str, Any]:
    text = "exports:\n  order: [{{ range .imports.places }}{{ .spec.config.number }}, {{ end }}]\n"
    return {"name": "default", "type": "GoTemplate", "template": text}
