"""What the kinds say about late data: job ids that renew, and where the wish for it counts."""

from __future__ import annotations

from typing import Any

import pytest

from landform.api import jobs, validation
from landform.kit.ids import RandomIds


def test_a_job_that_renews_is_known_by_its_id_and_a_pass_after_it_is_none() -> None:
    job = jobs.renewal_id(RandomIds().uid())
    assert jobs.is_renewal(job)
    assert len(job) <= 63  # it is the value of a label
    passed = jobs.pass_id(job, RandomIds())
    assert (jobs.is_renewal(passed), jobs.is_pass(passed), jobs.base(passed)) == (False, True, job)
    assert not jobs.is_renewal(RandomIds().uid())
    assert not jobs.is_renewal(None)


@pytest.mark.parametrize(("wish", "owners", "refused"), [(True, 1, True), (False, 1, False), (True, 0, False)])
def test_late_data_can_be_wished_for_on_a_root_only(wish: bool, owners: int, refused: bool) -> None:
    owner = {"apiVersion": "landscaper.gardener.cloud/v1alpha1", "kind": "Installation", "name": "a", "uid": "u"}
    obj: dict[str, Any] = {
        "apiVersion": "landscaper.gardener.cloud/v1alpha1",
        "kind": "Installation",
        "metadata": {"name": "b", "ownerReferences": [owner] * owners},
        "spec": {"blueprint": {"inline": {"filesystem": {}}}, "automaticReconcile": {"lateData": wish}},
    }
    found = [fault.field for fault in validation.validate(obj)]
    assert found == (["spec.automaticReconcile.lateData"] if refused else [])
