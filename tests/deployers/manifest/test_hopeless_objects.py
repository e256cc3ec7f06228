"""Objects that do not become ready by themselves: that is told, and where nothing can help the item fails at once."""

from __future__ import annotations

from typing import Any

import pytest
from tests.deployers.manifest.places import (
    DEPLOYMENTS,
    NAMESPACE,
    WIDGETS,
    Place,
    config_map,
    definition,
    deployment,
    error,
    in_place,
    waits_for,
    widget,
)

from landform.api.phases import Phase
from landform.cluster.resources import untyped
from landform.deployers.manifest import goals
from landform.deployers.manifest.readiness_verdicts import failed, ready, stuck, waiting

JOBS = untyped("batch/v1", "Job", "jobs")
_SUBJECT: Any = "Job shop/import"
HOPELESS = "it will not become ready by itself"


def job(name: str = "import") -> dict[str, Any]:
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}
    metadata = {"name": name, "namespace": NAMESPACE}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {"template": template}}


def gives_up(message: str = "too often") -> dict[str, Any]:
    return {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded", "message": message}


def test_a_job_that_has_failed_fails_its_item_at_once() -> None:
    async def scenario(place: Place) -> None:
        assert waits_for(await place.run(job(), seconds=5)).startswith("Job shop/import: 0 of 1 pods have completed")
        await place.status(JOBS, "import", conditions=[gives_up()])
        item = await place.later(seconds=0.1)
        assert item.status.phase == Phase.FAILED
        assert item.status.last_error is not None
        assert item.status.last_error.reason == "ObjectFailed"
        assert error(item) == (
            f"Job shop/import: condition Failed is True: BackoffLimitExceeded: too often; {HOPELESS};"
            " delete it, then the next job creates it anew"
        )
        await place.target.delete(JOBS, "import", namespace=NAMESPACE)
        await place.again()
        await place.status(JOBS, "import", conditions=[{"type": "Complete", "status": "True"}])
        assert (await place.later()).status.phase == Phase.SUCCEEDED

    in_place(scenario)


def test_a_job_that_others_deploy_may_be_replaced_by_them() -> None:
    theirs = {"apiVersion": "batch/v1", "kind": "Job", "name": "theirs", "namespace": NAMESPACE}
    checks = {"default": [{"resourceSelector": [theirs]}]}

    async def scenario(place: Place) -> None:
        await place.put(job("theirs"), JOBS)
        await place.status(JOBS, "theirs", conditions=[gives_up()])
        item = await place.run(config_map(), readinessChecks=checks, seconds=2)
        assert item.status.phase == Phase.PROGRESSING
        assert waits_for(item).endswith(HOPELESS)
        await place.target.delete(JOBS, "theirs", namespace=NAMESPACE)
        await place.put(job("theirs"), JOBS)
        await place.status(JOBS, "theirs", conditions=[{"type": "Complete", "status": "True"}])
        assert (await place.later()).status.phase == Phase.SUCCEEDED

    in_place(scenario)


def test_a_deployment_that_is_too_late_is_told_first_and_may_recover() -> None:
    late = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "timed out"}

    async def scenario(place: Place) -> None:
        await place.run(deployment("a"), deployment("web"), seconds=2)
        await place.status(DEPLOYMENTS, "web", observedGeneration=1, conditions=[late])
        item = await place.later(seconds=2)
        assert item.status.phase == Phase.PROGRESSING
        assert waits_for(item).startswith("Deployment shop/web: 0 of 1 replicas are updated; condition Progressing is")
        assert f"timed out; {HOPELESS}; and 1 more" in waits_for(item)
        await place.roll_out("web")
        await place.roll_out("a")
        assert (await place.later()).status.phase == Phase.SUCCEEDED

    in_place(scenario)


def test_what_is_stalled_is_told_and_may_recover() -> None:
    stalled = {"type": "Stalled", "status": "True", "reason": "NoSuchFolder", "message": "it is not there"}

    async def scenario(place: Place) -> None:
        await place.run(definition(), seconds=2)
        await place.create(widget(), name="two")
        await place.again("two", seconds=2)
        await place.status(WIDGETS, "w", conditions=[stalled])
        item = await place.again("two", seconds=2)
        assert waits_for(item) == (
            f"Widget shop/w: condition Stalled is True: NoSuchFolder: it is not there; {HOPELESS}"
        )
        await place.status(WIDGETS, "w", conditions=[{"type": "Ready", "status": "True"}])
        assert (await place.later("two")).status.phase == Phase.SUCCEEDED

    in_place(scenario)


@pytest.mark.parametrize("is_own", [True, False])
def test_only_ones_own_objects_fail_for_good(is_own: bool) -> None:
    told = {
        state: goals._about(_SUBJECT, verdict("why"), is_own=is_own)
        for state, verdict in (("ready", ready), ("waiting", waiting), ("stuck", stuck), ("failed", failed))
    }
    assert [state for state, found in told.items() if found.is_failed] == (["failed"] if is_own else [])
    assert [state for state, found in told.items() if found.is_stuck] == (["stuck"] if is_own else ["stuck", "failed"])
    assert [state for state, found in told.items() if HOPELESS in found.why] == ["stuck", "failed"]
