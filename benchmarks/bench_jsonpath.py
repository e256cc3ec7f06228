"""How long compiled paths take on a Deployment. Prints each time and its ratio to the target of 10 µs.

Run: python benchmarks/bench_jsonpath.py
"""

from __future__ import annotations

import timeit
from typing import Any

from landform.kit import jsonpath

TARGET = 10e-6
"""Seconds that a compiled path on a Deployment may take."""

ROUNDS = 5
REPEATS = 5_000

DEPLOYMENT: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {
        "name": "web",
        "namespace": "shop",
        "generation": 4,
        "annotations": {"deployment.kubernetes.io/revision": "3", "example.com/owner": "team-a"},
        "labels": {"app": "web", "tier": "front"},
    },
    "spec": {
        "replicas": 3,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {
                "containers": [
                    {"name": "web", "image": "web:1.25", "ports": [{"name": "http", "containerPort": 8080}]},
                    {"name": "proxy", "image": "proxy:2.0", "ports": [{"name": "metrics", "containerPort": 9090}]},
                ]
            },
        },
    },
    "status": {
        "observedGeneration": 4,
        "replicas": 3,
        "availableReplicas": 3,
        "conditions": [
            {"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable"},
            {"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"},
        ],
    },
}

PATHS = {
    "field": "{.status.availableReplicas}",
    "escaped key": r"{.metadata.annotations.deployment\.kubernetes\.io/revision}",
    "index": "{.spec.template.spec.containers[0].image}",
    "wildcard": "{.spec.template.spec.containers[*].image}",
    "filter": '{.status.conditions[?(@.type=="Available")].status}',
    "range": "{range .spec.template.spec.containers[*]}{.name}={.image} {end}",
    "recursive descent": "{..containerPort}",
}


def seconds(path: jsonpath.JSONPath) -> float:
    """The time of one evaluation; the best of some rounds, for other work on the machine only adds to it."""
    return min(timeit.repeat(lambda: path.find(DEPLOYMENT), number=REPEATS, repeat=ROUNDS)) / REPEATS


def main() -> None:
    print(f"{'path':<20}{'time':>10}{'of 10 µs':>12}")
    for name, text in PATHS.items():
        taken = seconds(jsonpath.compile(text))
        print(f"{name:<20}{taken * 1e6:>7.2f} µs{taken / TARGET:>11.2f}x")
    text = PATHS["index"]
    taken = min(timeit.repeat(lambda: jsonpath.compile(text), number=1000, repeat=ROUNDS)) / 1000
    print(f"{'(compiling index)':<20}{taken * 1e6:>7.2f} µs")


if __name__ == "__main__":
    main()
