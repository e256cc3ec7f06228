"""The worked example of the specification (appendix B): what each object is called, and what stands in it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.cluster.core.landscapes import (
    API,
    blueprint,
    data,
    deploying,
    exporting,
    installation,
    item,
    refs,
    target,
    template,
)

if TYPE_CHECKING:
    from tests.cluster.core.users import User

pytestmark = pytest.mark.usefixtures("controller")

LANDSCAPER, DATA, EXECUTION = (f"{prefix}landscaper.gardener.cloud" for prefix in ("", "data.", "execution."))
FINALIZERS = ["finalizer.landscaper.gardener.cloud"]


def shop() -> dict[str, Any]:
    """A root with a database, a website that wants its address, and an item of its own."""
    db = blueprint(
        exports=data("url"),
        deployExecutions=deploying(item("db", export={"url": "db://here"})),
        exportExecutions=exporting(url="(( deployitems.db.url ))"),
    )
    web = blueprint(
        imports=[*data("url"), {"name": "cluster", "type": "target", "targetType": "example.com/place"}],
        deployExecutions=deploying(item("web", export={"url": "(( imports.url ))"})),
    )
    root = blueprint(
        imports=[*data("domain"), {"name": "clusters", "type": "targetMap", "targetType": "example.com/place"}],
        exports=data("all"),
        subinstallations=[
            template("db", db, exports=refs(url="dbUrl")),
            template(
                "web", web, imports={**refs(url="dbUrl"), "targets": [{"name": "cluster", "target": "clusters[eu]"}]}
            ),
        ],
        deployExecutions=deploying({**item("base"), "target": {"import": "clusters", "key": "eu"}}),
        exportExecutions=exporting(all={"url": "(( dataobjects.dbUrl ))", "domain": "(( dataobjects.domain ))"}),
    )
    clusters = {"name": "clusters", "targetMap": {"eu": "cluster-eu", "us": "cluster-us"}}
    return installation("shop", root, imports={**refs(domain="domain"), "targets": [clusters]}, exports=refs(all="all"))


class Seen:
    """The objects of a namespace as kubectl gives them."""

    def __init__(self, listing: str) -> None:
        self._objects = json.loads(listing)["items"]

    def one(self, kind: str, name: str = "", **labels: str) -> dict[str, Any]:
        """The only object of that kind with that name or those labels of data objects."""
        wanted = {f"{DATA}/{key}": value for key, value in labels.items()}
        (found,) = (
            obj
            for obj in self._objects
            if obj["kind"] == kind
            and (not name or obj["metadata"]["name"] == name)
            and wanted.items() <= obj["metadata"].get("labels", {}).items()
        )
        return dict(found)

    def child(self, name: str) -> dict[str, Any]:
        """The sub-Installation that a blueprint calls so."""
        annotation = f"{LANDSCAPER}/subinstallation-name"
        (found,) = (obj for obj in self._objects if obj["metadata"].get("annotations", {}).get(annotation) == name)
        return dict(found)


def owner(obj: dict[str, Any]) -> tuple[str, str, bool]:
    """Kind and name of the one owner, and whether it is the controller."""
    (reference,) = obj["metadata"]["ownerReferences"]
    return reference["kind"], reference["name"], reference.get("controller", False)


def labels(obj: dict[str, Any]) -> dict[str, str]:
    """The labels of a DataObject or Target, without their prefix."""
    return {key.removeprefix(f"{DATA}/"): value for key, value in obj["metadata"]["labels"].items()}


@pytest.fixture
async def seen(user: User) -> Seen:
    """The namespace when the shop has succeeded."""
    domain = {"apiVersion": API, "kind": "DataObject", "metadata": {"name": "domain"}, "data": "example.com"}
    await user.apply(domain, target("cluster-eu"), target("cluster-us"), shop())
    (found,) = await user.run("shop")
    assert found.status.phase == "Succeeded"
    return Seen(await user.kubectl("get", "inst,exec,di,dobj,tgt,secret", "--output=json"))


async def test_the_worked_example_looks_as_specified(seen: Seen, user: User) -> None:
    root = seen.one("Installation", "shop")
    job = root["status"]["jobID"]
    assert root["status"]["executionRef"] == {"name": "shop", "namespace": user.namespace}
    _check_children(seen, job)
    _check_inner_scope(seen, job)
    _check_item(seen, user.namespace)
    exported = seen.one("DataObject", "all")
    assert exported["data"] == {"url": "db://here", "domain": "example.com"}
    assert labels(exported) == {"key": "all", "source": "Inst.shop", "sourceType": "export", "jobid": job}
    assert owner(exported) == ("Installation", "shop", False)


def _check_children(seen: Seen, job: str) -> None:
    for name in ("db", "web"):
        child = seen.child(name)
        assert child["metadata"]["name"].startswith(f"{name}-")
        assert len(child["metadata"]["name"]) == len(name) + 6
        assert child["metadata"]["labels"] == {f"{LANDSCAPER}/encompassed-by": "shop"}
        assert child["metadata"]["finalizers"] == FINALIZERS
        assert owner(child) == ("Installation", "shop", True)
        assert (child["spec"]["context"], "componentDescriptor" in child["spec"]) == ("default", False)
        assert (child["status"]["jobID"], child["status"]["jobIDFinished"]) == (job, job)
    execution = seen.one("Execution", "shop")
    assert (owner(execution), execution["metadata"]["finalizers"]) == (("Installation", "shop", True), FINALIZERS)
    assert set(execution["spec"]) == {"context", "deployItemsCompressed"}


def _check_inner_scope(seen: Seen, job: str) -> None:
    db = seen.child("db")["metadata"]["name"]
    given = {"context": "Inst.shop", "source": "Inst.shop", "sourceType": "import", "jobid": job}
    assert labels(seen.one("DataObject", context="Inst.shop", key="domain")) == {**given, "key": "domain"}
    for key in ("eu", "us"):
        found = seen.one("Target", context="Inst.shop", targetmapkey=key)
        assert labels(found) == {**given, "key": "clusters", "targetmapkey": key}
        assert owner(found) == ("Installation", "shop", False)
    url = seen.one("DataObject", context="Inst.shop", key="dbUrl")
    made = {"context": "Inst.shop", "source": f"Inst.{db}", "sourceType": "export", "jobid": job}
    assert (labels(url), owner(url)) == ({**made, "key": "dbUrl"}, ("Installation", db, False))
    exports = seen.one("DataObject", context=f"Exec.{db}")
    assert (labels(exports), exports["data"]) == (
        {"context": f"Exec.{db}", "source": f"Exec.{db}"},
        {"db": {"url": "db://here"}},
    )


def _check_item(seen: Seen, namespace: str) -> None:
    (base,) = (obj for obj in seen._objects if obj["metadata"]["name"].startswith("shop-base-"))
    assert base["metadata"]["labels"] == {f"{EXECUTION}/managed-by": "shop", f"{EXECUTION}/name": "base"}
    assert base["metadata"]["finalizers"] == FINALIZERS
    annotations = dict(base["metadata"]["annotations"])
    assert annotations.pop(f"{LANDSCAPER}/reconcile-time").endswith("Z")
    assert annotations == {
        f"{LANDSCAPER}/deployer-type": f"{LANDSCAPER}/mock",
        f"{LANDSCAPER}/deployer-target-name": "cluster-eu",
        f"{EXECUTION}/dependsOn": "",
    }
    assert base["spec"]["target"] == {"name": "cluster-eu", "namespace": namespace}
    assert (base["spec"]["type"], base["spec"]["context"]) == (f"{LANDSCAPER}/mock", "default")
