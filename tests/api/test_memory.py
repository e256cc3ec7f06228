"""Objects in a cache cost little more than their bytes."""

from __future__ import annotations

import gc
import tracemalloc
import uuid
from typing import Any

import msgspec

from landform.api import sharing
from landform.api.deployitems import DeployItem

MOMENT = "2026-01-31T12:00:00Z"
GROUP = "landscaper.gardener.cloud"


def uid(number: int) -> str:
    return str(uuid.UUID(int=number << 64 | number))


def deploy_item(number: int) -> dict[str, Any]:
    """A finished DeployItem of 8.9 KB, five to an Execution, each with its own name, uid, labels and configuration."""
    execution, job = f"shop-{number // 5}", uid(number // 5)
    values = {f"key{n}": f"value-{n}-{number}" * 2 for n in range(187)}
    return {
        "apiVersion": f"{GROUP}/v1alpha1",
        "kind": "DeployItem",
        "metadata": {
            "name": f"{execution}-item{number}-x7kq2",
            "generateName": f"{execution}-item{number}-",
            "namespace": "production",
            "uid": uid(number),
            "resourceVersion": str(100_000 + number),
            "generation": 1,
            "creationTimestamp": MOMENT,
            "labels": {f"execution.{GROUP}/managed-by": execution, f"execution.{GROUP}/name": f"item{number}"},
            "annotations": {
                f"{GROUP}/deployer-type": f"{GROUP}/helm",
                f"{GROUP}/deployer-target-name": "cluster-eu",
                f"{GROUP}/reconcile-time": MOMENT,
                f"execution.{GROUP}/dependsOn": "",
            },
            "ownerReferences": [
                {
                    "apiVersion": f"{GROUP}/v1alpha1",
                    "kind": "Execution",
                    "name": execution,
                    "uid": uid(number // 5 + 10_000),
                    "controller": True,
                    "blockOwnerDeletion": True,
                }
            ],
            "finalizers": [f"finalizer.{GROUP}"],
        },
        "spec": {
            "type": f"{GROUP}/helm",
            "context": "default",
            "target": {"name": "cluster-eu", "namespace": "production"},
            "config": {"apiVersion": "helm.deployer/v1alpha1", "kind": "ProviderConfiguration", "values": values},
        },
        "status": {
            "phase": "Succeeded",
            "observedGeneration": 1,
            "jobID": job,
            "jobIDFinished": job,
            "jobIDGenerationTime": MOMENT,
            "lastReconcileTime": MOMENT,
            "deployer": {"identity": "helm-1", "name": f"helm.deployer.{GROUP}", "version": "v1.0.0"},
            "providerStatus": {"apiVersion": "helm.deployer/v1alpha1", "kind": "ProviderStatus", "x": "y" * 400},
            "transitionTimes": dict.fromkeys(("triggerTime", "initTime", "waitTime", "finishedTime"), MOMENT),
        },
    }


def test_a_deploy_item_of_9_kilobytes_costs_about_that() -> None:
    texts = [msgspec.json.encode(deploy_item(number)) for number in range(500)]
    average = sum(map(len, texts)) / len(texts)
    assert 8_500 < average < 9_100
    decode = msgspec.json.Decoder(DeployItem).decode
    decode(texts[0])

    gc.collect()
    tracemalloc.start()
    try:
        # Each from a buffer of its own, as a watch delivers them: a buffer that stays alive is part of the cost.
        items = [decode(bytes(bytearray(text))) for text in texts]
        cost = tracemalloc.get_traced_memory()[0] / len(items)
    finally:
        tracemalloc.stop()
    assert cost < 10_000
    assert cost < average * 1.1


def test_equal_parts_of_different_objects_are_held_once() -> None:
    first, second = (msgspec.json.decode(msgspec.json.encode(deploy_item(n)), type=DeployItem) for n in (1, 2))
    assert first.metadata.owner_references is second.metadata.owner_references
    assert first.metadata.namespace is second.metadata.namespace
    assert first.spec.target is second.spec.target
    assert first.status.job_id is second.status.job_id
    assert first.metadata.labels is not second.metadata.labels


def test_the_memory_of_shared_values_is_bounded() -> None:
    for number in range(20_000):
        sharing.shared(f"value {number}")
    assert sharing.count() <= sharing.MOST
