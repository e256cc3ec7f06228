"""Writes rbac.json: random roles, bindings and questions, answered by Kubernetes' own code.

`python make_rbac.py PROGRAM > rbac.json`, where PROGRAM is rbac.go built in a module that requires
``k8s.io/kubernetes v1.34.10`` (see README.md).
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from typing import Any

NAMESPACES = ["blue", "red"]
USERS = ["system:serviceaccount:blue:robot", 'o"dd<é>']
GROUPS = ["devs", "ops"]
VERBS = ["get", "list", "*"]
API_GROUPS = ["", "apps", "*"]
RESOURCES = ["pods", "deployments", "pods/log", "deployments/scale", "*/scale", "pods/*", "*/log", "*"]
NAMES = ["one", "two"]
URLS = ["/healthz", "/api", "/api/*", "/apis/*", "*", "/metrics**"]
PATHS = ["/healthz", "/api", "/api/", "/api/v1", "/apis", "/metrics/x", "/version", ""]

chance = random.Random(20)


def some(choices: list[str], most: int) -> list[str]:
    return chance.sample(choices, chance.randint(1, most))


def rule(urls: bool) -> dict[str, Any]:
    if urls and chance.random() < 0.3:
        return {"verbs": some(VERBS, 2), "nonResourceURLs": some(URLS, 2)}
    made: dict[str, Any] = {"verbs": some(VERBS, 2), "apiGroups": some(API_GROUPS, 2), "resources": some(RESOURCES, 2)}
    if chance.random() < 0.2:
        made["resourceNames"] = some(NAMES, 2)
    return made


def role(name: str, namespace: str = "") -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return {"metadata": metadata, "rules": [rule(not namespace) for _ in range(chance.randint(0, 2))]}


def subject() -> dict[str, str]:
    kind = chance.choice(["User", "Group", "ServiceAccount"])
    if kind == "User":
        return {"kind": kind, "name": chance.choice(USERS)}
    if kind == "Group":
        return {"kind": kind, "name": chance.choice(GROUPS)}
    namespace = chance.choice([*NAMESPACES, ""])
    return {"kind": kind, "name": "robot", "namespace": namespace} if namespace else {"kind": kind, "name": "robot"}


def binding(name: str, namespace: str = "") -> dict[str, Any]:
    kind = chance.choice(["Role", "ClusterRole"]) if namespace else "ClusterRole"
    return {
        "metadata": {"name": name, "namespace": namespace} if namespace else {"name": name},
        "roleRef": {"kind": kind, "name": chance.choice(["r0", "r1", "r2"] if chance.random() < 0.9 else ["gone"])},
        "subjects": [subject() for _ in range(chance.randint(1, 3))],
    }


def asker() -> dict[str, Any]:
    return {"user": chance.choice(USERS), "groups": some(GROUPS, 2)}


def question() -> dict[str, Any]:
    asked = {**asker(), "verb": chance.choice(["get", "list"])}
    if chance.random() < 0.25:
        return {**asked, "path": chance.choice(PATHS)}
    resource, _, subresource = chance.choice(
        ["pods", "pods/log", "deployments/scale", "deployments", "x/log"]
    ).partition("/")
    return {
        **asked,
        "group": chance.choice(API_GROUPS[:2]),
        "resource": resource,
        "subresource": subresource,
        "name": chance.choice(["", *NAMES]),
        "namespace": chance.choice(["", *NAMESPACES]),
    }


def case() -> dict[str, Any]:
    return {
        "roles": [role(f"r{i}", namespace) for namespace in NAMESPACES for i in range(2)],
        "clusterRoles": [role(f"r{i}") for i in range(3)],
        "roleBindings": [binding(f"b{i}", chance.choice(NAMESPACES)) for i in range(chance.randint(1, 5))],
        "clusterRoleBindings": [binding(f"c{i}") for i in range(chance.randint(1, 4))],
        "queries": [question() for _ in range(8)],
        "grants": [{**asker(), "namespace": chance.choice(["", *NAMESPACES]), "rules": [rule(True)]} for _ in range(3)],
    }


def main() -> None:
    cases = [case() for _ in range(50)]
    answered = json.loads(subprocess.run([sys.argv[1]], input=json.dumps(cases).encode(), stdout=-1, check=True).stdout)
    for asked, told in zip(cases, answered, strict=True):
        for query, answer in zip(asked["queries"], told["queries"], strict=True):
            query.update({key: answer[key] for key in ("allowed", "reason", "message") if key in answer})
        for grant, answer in zip(asked["grants"], told["grants"], strict=True):
            grant["message"] = answer["message"]
    print("[\n" + ",\n".join(json.dumps(each, ensure_ascii=False, separators=(",", ":")) for each in cases) + "\n]")


if __name__ == "__main__":
    main()
