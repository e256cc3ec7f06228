"""Landform's own kinds in the embedded home: the rules that a webhook checks on other clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from landform.api.structs import API_VERSION
from landform.cluster import errors
from landform.cluster.resources import untyped
from landform.testing import homes

if TYPE_CHECKING:
    from landform.cluster.resources import Unstructured

DEPLOY_ITEMS = untyped(API_VERSION, "DeployItem", "deployitems")
SKIPS = {"validation.landscaper.gardener.cloud/skip-validation": "true"}
BAD_TIMEOUT = {"type": "landform.test/mock", "timeout": "soon"}


def deploy_item(spec: Unstructured, **metadata: object) -> Unstructured:
    return {"metadata": {"name": "one", **metadata}, "spec": spec}


async def test_an_object_that_breaks_a_rule_is_refused_with_the_place() -> None:
    async with homes.in_process() as cluster:
        with pytest.raises(errors.Invalid) as caught:
            await cluster.create(DEPLOY_ITEMS, deploy_item(BAD_TIMEOUT), namespace="default")
        assert [cause.field for cause in caught.value.causes] == ["spec.timeout"]


async def test_the_type_of_a_deploy_item_cannot_be_changed() -> None:
    async with homes.in_process() as cluster:
        await cluster.create(DEPLOY_ITEMS, deploy_item({"type": "landform.test/mock"}), namespace="default")
        with pytest.raises(errors.Forbidden) as caught:
            await cluster.patch(DEPLOY_ITEMS, "one", {"spec": {"type": "landform.test/other"}}, namespace="default")
        assert caught.value.message == (
            'deployitems.landscaper.gardener.cloud "one" is forbidden: spec.type: Forbidden: the type cannot be'
            " changed; create another DeployItem instead"
        )


async def test_an_object_stored_against_the_rules_can_still_be_let_go() -> None:
    async with homes.in_process() as cluster:
        stored = deploy_item(BAD_TIMEOUT, labels=SKIPS, finalizers=["landform.test/hold"])
        await cluster.create(DEPLOY_ITEMS, stored, namespace="default")
        await cluster.delete(DEPLOY_ITEMS, "one", namespace="default")
        freed = {"metadata": {"labels": None, "finalizers": None}}
        await cluster.patch(DEPLOY_ITEMS, "one", freed, namespace="default")
        with pytest.raises(errors.NotFound):
            await cluster.get(DEPLOY_ITEMS, "one", namespace="default")
