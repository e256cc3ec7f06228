"""The node runs pods as a real cluster does: users, volumes, tokens, logs, pod security, missing images."""

from __future__ import annotations

import json
import signal

import pytest
from tests.cluster.controlplane.plane import KubectlError
from tests.cluster.node import fixtures, images, pods
from tests.cluster.node.nodes import Node

pytestmark = [*fixtures.MARKS]

USERS = {"runAsUser": 1000, "runAsGroup": 3000, "fsGroup": 2000}
SHARED = {"name": "shared", "mountPath": "/shared"}

ASK_THE_API = """
import json, os, ssl, urllib.request
account = "/var/run/secrets/kubernetes.io/serviceaccount/"
token, namespace = (open(account + name).read() for name in ("token", "namespace"))
address = f"https://{os.environ['KUBERNETES_SERVICE_HOST']}:{os.environ['KUBERNETES_SERVICE_PORT']}"
request = urllib.request.Request(
    f"{address}/api/v1/namespaces/{namespace}/configmaps/greeting", headers={"Authorization": f"Bearer {token}"}
)
with urllib.request.urlopen(request, context=ssl.create_default_context(cafile=account + "ca.crt")) as answer:
    print(address, json.load(answer)["data"]["text"])
"""


def test_it_is_ready_and_says_what_it_runs(node: Node) -> None:
    info = json.loads(node.plane.kubectl("get", "node", node.name, "-o=json"))["status"]["nodeInfo"]
    assert info["kubeletVersion"] == "v1.34.10"
    assert info["containerRuntimeVersion"].startswith("containerd://")


def test_an_init_container_and_the_main_one_share_a_volume_as_an_ordinary_user(node: Node, namespace: str) -> None:
    stage = "id -u >/shared/ids; id -g >>/shared/ids; stat -c %g /shared >>/shared/ids"
    pod = pods.pod(
        "staged",
        pods.container(images.SHELL, "cat", "/shared/ids", volumeMounts=[SHARED]),
        initContainers=[pods.container(images.SHELL, "sh", "-c", stage, name="stage", volumeMounts=[SHARED])],
        securityContext=USERS,
        volumes=[{"name": "shared", "emptyDir": {}}],
    )
    pods.create(node.plane, namespace, pod)
    assert pods.wait_for_end(node.plane, namespace, "staged")["phase"] == "Succeeded"
    assert pods.logs(node.plane, namespace, "staged").split() == ["1000", "3000", "2000"]


def test_a_failed_container_tells_its_exit_code_and_its_output(node: Node, namespace: str) -> None:
    failing = pods.container(images.SHELL, "sh", "-c", "echo no luck today >&2; exit 7")
    pods.create(node.plane, namespace, pods.pod("failing", failing))
    status = pods.wait_for_end(node.plane, namespace, "failing")
    assert status["phase"] == "Failed"
    assert status["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 7
    assert pods.logs(node.plane, namespace, "failing") == "no luck today\n"


def test_a_container_over_its_memory_limit_is_killed(node: Node, namespace: str) -> None:
    greedy = pods.container(
        images.PYTHON, "python", "-c", "b'x' * 200_000_000", resources={"limits": {"memory": "50Mi"}}
    )
    pods.create(node.plane, namespace, pods.pod("greedy", greedy))
    status = pods.wait_for_end(node.plane, namespace, "greedy")
    end = status["containerStatuses"][0]["state"]["terminated"]
    assert end["exitCode"] == 128 + signal.SIGKILL
    # On a busy machine containerd may hear of the lack of memory after the end of the container.
    assert end["reason"] in ("OOMKilled", "Error")


def test_a_pod_reaches_the_api_by_its_cluster_address_with_its_own_token(node: Node, namespace: str) -> None:
    greeting = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "greeting"}, "data": {"text": "hello"}}
    binding = ("rolebinding", "reader", "--clusterrole=view", f"--serviceaccount={namespace}:default")
    node.plane.kubectl("create", *binding, f"--namespace={namespace}")
    asking = pods.container(images.PYTHON, "python", "-c", ASK_THE_API)
    pods.create(node.plane, namespace, greeting, pods.pod("asking", asking, automountServiceAccountToken=True))
    pods.wait_for_end(node.plane, namespace, "asking")
    assert pods.logs(node.plane, namespace, "asking") == "https://10.96.0.1:443 hello\n"


def test_the_image_of_landform_runs_in_a_restricted_namespace_with_a_read_only_root(node: Node, namespace: str) -> None:
    node.plane.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted")
    careless = pods.pod("careless", pods.container(images.LANDFORM, "landform", "--version"))
    with pytest.raises(KubectlError, match='violates PodSecurity "restricted:latest"'):
        pods.create(node.plane, namespace, careless)
    careful = pods.container(images.LANDFORM, "landform", "--version", securityContext=pods.RESTRICTED)
    # The image's own user is taken: its number satisfies runAsNonRoot.
    pods.create(node.plane, namespace, pods.pod("careful", careful))
    assert pods.wait_for_end(node.plane, namespace, "careful")["phase"] == "Succeeded"
    assert "landform" in pods.logs(node.plane, namespace, "careful")


def test_a_further_node_takes_pods_that_name_it(node: Node, namespace: str) -> None:
    with Node(node.plane, "further", schedules=False) as further:
        further.load(images.shell())
        there = {"kubernetes.io/hostname": "further"}
        pods.create(node.plane, namespace, pods.pod("there", pods.container(images.SHELL, "true"), nodeSelector=there))
        assert pods.wait_for_end(node.plane, namespace, "there")["phase"] == "Succeeded"
    node.plane.kubectl("delete", "node", "further")


def test_an_image_that_is_not_there_is_told_by_the_kubelet(node: Node, namespace: str) -> None:
    never = pods.container("localhost/missing:1", "true")
    pulled = pods.container("localhost/missing:1", "true") | {"imagePullPolicy": "IfNotPresent"}
    pods.create(node.plane, namespace, pods.pod("never", never), pods.pod("pulled", pulled))

    def reason(status: pods.Pod) -> str:
        [container] = status.get("containerStatuses", [{}])
        return str(container.get("state", {}).get("waiting", {}).get("reason"))

    pods.wait_until(node.plane, namespace, "never", lambda status: reason(status) == "ErrImageNeverPull")
    pods.wait_until(
        node.plane, namespace, "pulled", lambda status: reason(status) in ("ErrImagePull", "ImagePullBackOff")
    )
