"""DeployItems of a given size, as the benchmarks write them."""

from __future__ import annotations

from typing import Any

NAMESPACE = "default"
COLLECTION = f"/apis/landscaper.gardener.cloud/v1alpha1/namespaces/{NAMESPACE}/deployitems"
_OVERHEAD = 620
"""Bytes of a stored item besides its values."""


def deploy_item(name: str, size: int) -> dict[str, Any]:
    """A DeployItem that takes about `size` bytes as stored."""
    values = {f"key-{number}": f"{name}-{number}".ljust(80, ".") for number in range(max(1, (size - _OVERHEAD) // 94))}
    return {
        "apiVersion": "landscaper.gardener.cloud/v1alpha1",
        "kind": "DeployItem",
        "metadata": {"name": name, "labels": {"app": "benchmark"}},
        "spec": {
            "type": "landscaper.gardener.cloud/mock",
            "target": {"name": "cluster", "namespace": NAMESPACE},
            "config": {
                "apiVersion": "mock.deployer.landscaper.gardener.cloud/v1alpha1",
                "kind": "ProviderConfiguration",
                "providerStatus": values,
            },
        },
    }
