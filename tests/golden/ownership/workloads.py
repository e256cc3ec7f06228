"""Stories about Deployments, Pods and Services, whose lists are merged by key."""

from __future__ import annotations

from typing import Any

from tests.golden.ownership.steps import Scenario, Step, apply, create, merge, put, strategic

Json = dict[str, Any]


def owner(uid: str) -> Json:
    """A reference to an owner."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "name": f"owner-{uid}", "uid": uid}


def deployment(*containers: Json, **values: Any) -> Json:
    """A Deployment with these containers."""
    template = {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": list(containers)}}
    return {"spec": {"selector": {"matchLabels": {"app": "x"}}, "template": template, **values}}


def pod_template(**values: Any) -> Json:
    """A change of a Deployment's pods."""
    return {"spec": {"template": {"spec": values}}}


def container(name: str, **values: Any) -> Json:
    """A container."""
    return {"name": name, "image": f"{name}:1", **values}


def pod(*containers: Json, **values: Any) -> Json:
    """A Pod with these containers and without a token."""
    return {"spec": {"automountServiceAccountToken": False, "containers": list(containers), **values}}


def condition(kind: str, status: str) -> Json:
    """A condition of a Pod."""
    times = {"lastProbeTime": "2020-01-01T00:00:00Z", "lastTransitionTime": "2020-01-01T00:00:00Z"}
    return {"type": kind, "status": status, **times}


def service(*ports: Json, **values: Any) -> Json:
    """A Service that needs no address."""
    return {"spec": {"clusterIP": "None", "selector": {"app": "x"}, "ports": list(ports), **values}}


def _story(kind: str, name: str, *steps: Step) -> Scenario:
    return Scenario(name, kind, steps)


ENVIRONMENT = [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]
PORTS = [{"containerPort": 80, "name": "web"}, {"containerPort": 53, "protocol": "UDP", "name": "dns"}]

ALL = (
    _story(
        "Deployment",
        "deployment-create",
        create("alice", deployment(container("c", env=ENVIRONMENT, ports=PORTS))),
        put("bob", {"spec": {"replicas": 3}}),
        merge("carol", {"spec": {"strategy": {"rollingUpdate": {"maxSurge": 2}}}}),
    ),
    _story(
        "Deployment",
        "deployment-apply",
        apply("alice", deployment(container("c", env=ENVIRONMENT, ports=PORTS), replicas=2)),
        apply("bob", deployment(container("c", env=[{"name": "C", "value": "3"}]))),
        put("scaler", {"spec": {"replicas": 5}}),
        apply("alice", deployment(container("c", env=ENVIRONMENT, ports=PORTS), replicas=2)),
        apply("alice", deployment(container("c", env=ENVIRONMENT[1:]), container("d"))),
        apply("bob", deployment(container("c", ports=[{"containerPort": 80, "protocol": "TCP"}]))),
        apply("alice", deployment(container("c"))),
    ),
    _story(
        "Deployment",
        "deployment-duplicates",
        apply("alice", deployment(container("c"), container("c"))),
        apply("alice", deployment(container("c", env=[{"name": "A"}, {"name": "A"}]))),
        apply("alice", deployment(container("c", colour="red"))),
        apply("alice", deployment({"image": "x"})),
    ),
    _story(
        "Deployment",
        "deployment-duplicate-env",
        create("alice", deployment(container("c", env=[{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]))),
        apply("bob", deployment(container("c", env=[{"name": "B", "value": "3"}]))),
        apply("bob", deployment(container("c", env=[{"name": "A", "value": "4"}]))),
        apply("bob", deployment(container("c", env=[{"name": "A", "value": "4"}])), force=True),
    ),
    _story(
        "Deployment",
        "deployment-strategic",
        create("alice", deployment(container("a", env=ENVIRONMENT), container("b", ports=PORTS))),
        strategic("bob", pod_template(containers=[{"name": "b", "image": "b:2"}])),
        strategic("bob", pod_template(containers=[{"name": "a", "env": [{"name": "A", "$patch": "delete"}]}])),
        strategic("bob", pod_template(**{"$setElementOrder/containers": [{"name": "b"}, {"name": "a"}]})),
        strategic("bob", pod_template(containers=[{"name": "a", "$patch": "delete"}])),
        strategic("bob", {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}),
        strategic("bob", pod_template(containers=[{"name": "b", "ports": [{"$patch": "replace"}, PORTS[0]]}])),
        strategic("bob", pod_template(containers=[{"image": "b:2"}])),
        strategic("bob", pod_template(tolerations=[{"key": "k", "operator": "Exists"}])),
        strategic("bob", pod_template(tolerations=[{"key": "l", "operator": "Exists"}])),
        strategic("bob", {"metadata": {"labels": {"a": "b"}, "finalizers": ["a.test/one", "a.test/two"]}}),
        strategic("bob", {"metadata": {"labels": {"a": None}, "$deleteFromPrimitiveList/finalizers": ["a.test/one"]}}),
    ),
    _story(
        "Deployment",
        "deployment-node-selector",
        apply(
            "alice",
            deployment(
                container("c"),
                template={
                    "metadata": {"labels": {"app": "x"}},
                    "spec": {"containers": [container("c")], "nodeSelector": {"a": "1"}, "affinity": {}},
                },
            ),
        ),
        strategic("bob", pod_template(nodeSelector={"b": "2"})),
        apply("alice", deployment(container("c"))),
    ),
    _story(
        "Deployment",
        "deployment-status",
        create("alice", deployment(container("c"))),
        put(
            "controller",
            {"status": {"observedGeneration": 1, "replicas": 1, "unavailableReplicas": 1}},
            subresource="status",
        ),
        put(
            "controller",
            {"spec": {"replicas": 7}, "metadata": {"labels": {"l": "m"}}, "status": {"replicas": 2}},
            subresource="status",
        ),
        apply("bob", {**deployment(container("c")), "status": {"replicas": 9}}),
    ),
    _story(
        "Pod",
        "pod-create",
        create("alice", pod(container("c"))),
        put("bob", {"metadata": {"labels": {"a": "b"}}}),
        strategic("kubelet", {"status": {"conditions": [condition("Ready", "True")]}}, subresource="status"),
        strategic(
            "kubelet",
            {"status": {"conditions": [condition("Ready", "False"), condition("Other", "True")], "hostIP": "10.0.0.1"}},
            subresource="status",
        ),
    ),
    _story(
        "Pod",
        "pod-apply",
        apply(
            "alice",
            pod(
                container("c", volumeMounts=[{"name": "v", "mountPath": "/v"}]), volumes=[{"name": "v", "emptyDir": {}}]
            ),
        ),
        apply("bob", {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "d:2"}]}}),
        apply("bob", {"spec": {"containers": [{"name": "c", "image": "d:2"}]}}, force=True),
        apply("bob", {"metadata": {"labels": {"a": "b"}}, "spec": {"activeDeadlineSeconds": 5}}),
        apply("bob", {}),
    ),
    _story(
        "Service",
        "service-ports",
        apply("alice", service({"port": 80, "name": "web"}, {"port": 53, "protocol": "UDP", "name": "dns"})),
        apply("bob", {"spec": {"ports": [{"port": 80, "name": "web", "targetPort": "http"}]}}),
        apply(
            "bob", {"spec": {"ports": [{"port": 53, "protocol": "UDP", "name": "dns"}, {"port": 443, "name": "tls"}]}}
        ),
        strategic("carol", {"spec": {"ports": [{"port": 80, "nodePort": 0, "name": "other"}]}}),
        apply("alice", service({"port": 80, "name": "web"})),
        apply("alice", service({"port": 80, "name": "web"}), force=True),
        strategic("carol", {"spec": {"selector": {"b": "c"}, "ports": [{"port": 443, "$patch": "delete"}]}}),
    ),
)
