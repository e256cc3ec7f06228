"""A real kubectl reads, changes, watches and deletes objects on a real home."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.embedded.clients.homes import Client


@pytest.fixture
def deployment(kubectl: Client) -> Client:
    """kubectl in a namespace with the deployment ``d``."""
    kubectl("create", "deployment", "d", "--image=i:1", "--replicas=2")
    return kubectl


def config_map(**data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data}


# Small changes.


def test_label_and_annotate_set_and_remove(kubectl: Client) -> None:
    kubectl("create", "configmap", "a")
    kubectl("label", "configmap", "a", "x=1", "y=2")
    kubectl("label", "configmap", "a", "y-")
    kubectl("annotate", "configmap", "a", "z=3")
    metadata = kubectl.get("configmap", "a")["metadata"]
    assert (metadata["labels"], metadata["annotations"]) == ({"x": "1"}, {"z": "3"})
    assert kubectl("get", "configmap", "-l", "x=1,!y", "-o", "name") == "configmap/a\n"
    kept = kubectl.run("label", "configmap", "a", "x=2")
    assert kept.returncode == 1
    assert "already has a value" in kept.stderr


def test_scale_changes_replicas_if_they_are_what_is_expected(deployment: Client) -> None:
    deployment("scale", "deployment", "d", "--replicas=5", "--current-replicas=2")
    assert deployment.get("deployment", "d")["spec"]["replicas"] == 5
    assert deployment.run("scale", "deployment", "d", "--replicas=7", "--current-replicas=2").returncode == 1
    assert deployment.get("deployment", "d", "--subresource=scale")["spec"] == {"replicas": 5}


def test_set_changes_parts_of_a_pod_template(deployment: Client) -> None:
    deployment("set", "image", "deployment/d", "i=i:2")
    deployment("set", "env", "deployment/d", "A=B")
    deployment("set", "resources", "deployment/d", "--limits=cpu=1,memory=1Gi")
    deployment("set", "serviceaccount", "deployment/d", "robot")
    spec = deployment.get("deployment", "d")["spec"]["template"]["spec"]
    assert spec["serviceAccountName"] == "robot"
    (container,) = spec["containers"]
    assert container["image"] == "i:2"
    assert container["env"] == [{"name": "A", "value": "B"}]
    assert container["resources"] == {"limits": {"cpu": "1", "memory": "1Gi"}}


def test_rollout_restarts_pauses_and_resumes(deployment: Client) -> None:
    deployment("rollout", "restart", "deployment/d")
    template = deployment.get("deployment", "d")["spec"]["template"]
    assert "kubectl.kubernetes.io/restartedAt" in template["metadata"]["annotations"]
    deployment("rollout", "pause", "deployment/d")
    assert deployment.get("deployment", "d")["spec"]["paused"] is True
    deployment("rollout", "resume", "deployment/d")
    assert "paused" not in deployment.get("deployment", "d")["spec"]


def test_rollout_status_waits_for_what_the_status_says(deployment: Client) -> None:
    status = {
        "observedGeneration": 1, "replicas": 2, "updatedReplicas": 2, "availableReplicas": 2, "readyReplicas": 2,
    }  # fmt: skip
    waiting = deployment.run("rollout", "status", "deployment/d", "--timeout=1s")
    assert waiting.returncode == 1
    deployment("patch", "deployment", "d", "--subresource=status", "--type=merge", "-p", json.dumps({"status": status}))
    assert "successfully rolled out" in deployment("rollout", "status", "deployment/d", "--timeout=20s")


@pytest.mark.parametrize(
    ("type_", "patch", "expected"),
    [
        ("json", [{"op": "add", "path": "/data/c", "value": "3"}], {"a": "1", "b": "2", "c": "3"}),
        ("merge", {"data": {"a": None, "c": "3"}}, {"b": "2", "c": "3"}),
        ("strategic", {"data": {"$patch": "replace", "c": "3"}}, {"c": "3"}),
    ],
)
def test_patch_works_in_each_of_its_three_ways(kubectl: Client, type_: str, patch: Any, expected: Any) -> None:
    kubectl("create", "-f", "-", stdin=config_map(a="1", b="2"))
    kubectl("patch", "configmap", "a", f"--type={type_}", "-p", json.dumps(patch))
    assert kubectl.get("configmap", "a")["data"] == expected


def test_a_strategic_patch_merges_containers_by_name(deployment: Client) -> None:
    patch = {"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "s"}]}}}}
    deployment("patch", "deployment", "d", "-p", json.dumps(patch))
    containers = deployment.get("deployment", "d")["spec"]["template"]["spec"]["containers"]
    assert {container["name"] for container in containers} == {"i", "side"}


# Whole objects.


def test_apply_creates_then_configures_then_finds_nothing_to_do(kubectl: Client) -> None:
    assert kubectl("apply", "-f", "-", stdin=config_map(a="1", b="2")) == "configmap/a created\n"
    assert kubectl("apply", "-f", "-", stdin=config_map(a="1", b="2")) == "configmap/a unchanged\n"
    assert kubectl("apply", "-f", "-", stdin=config_map(a="2")) == "configmap/a configured\n"
    assert kubectl.get("configmap", "a")["data"] == {"a": "2"}


def test_apply_on_the_server_keeps_fields_to_their_managers(kubectl: Client) -> None:
    assert kubectl("apply", "--server-side", "-f", "-", stdin=config_map(a="1")) == "configmap/a serverside-applied\n"
    other = ("apply", "--server-side", "--field-manager=other", "-f", "-")
    kubectl(*other, stdin=config_map(b="2"))
    refused = kubectl.run(*other, stdin=config_map(a="2", b="2"))
    assert refused.returncode == 1
    assert 'conflict with "kubectl": .data.a' in refused.stderr
    kubectl(*other, "--force-conflicts", stdin=config_map(a="2", b="2"))
    assert kubectl.get("configmap", "a")["data"] == {"a": "2", "b": "2"}


def test_apply_prunes_what_is_no_longer_in_the_files(kubectl: Client) -> None:
    labels = {"labels": {"set": "s"}}
    both = [{**config_map(), "metadata": {"name": name, **labels}} for name in ("a", "b")]
    prune = ("apply", "--prune", "-l", "set=s", "--prune-allowlist=core/v1/ConfigMap", "-f", "-")
    kubectl(*prune, stdin={"apiVersion": "v1", "kind": "List", "items": both})
    assert "configmap/b pruned" in kubectl(*prune, stdin=both[0])


def test_diff_shows_what_apply_would_change(kubectl: Client) -> None:
    kubectl("apply", "-f", "-", stdin=config_map(a="1"))
    same = kubectl.run("diff", "-f", "-", stdin=config_map(a="1"))
    assert (same.returncode, same.stdout) == (0, "")
    changed = kubectl.run("diff", "-f", "-", stdin=config_map(a="2"))
    assert changed.returncode == 1
    assert '+  a: "2"' in changed.stdout


def test_replace_works_on_the_newest_version_only(kubectl: Client) -> None:
    kubectl("create", "-f", "-", stdin=config_map(a="1"))
    read = kubectl.get("configmap", "a")
    kubectl("replace", "-f", "-", stdin={**read, "data": {"a": "2"}})
    late = kubectl.run("replace", "-f", "-", stdin={**read, "data": {"a": "3"}})
    assert late.returncode == 1
    assert "the object has been modified" in late.stderr
    kubectl("replace", "--force", "-f", "-", stdin=config_map(b="4"))
    assert kubectl.get("configmap", "a")["data"] == {"b": "4"}


def test_edit_saves_what_the_editor_wrote(kubectl: Client, tmp_path: Path) -> None:
    kubectl("create", "-f", "-", stdin=config_map(a="before"))
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nexec sed -i s/before/after/ "$1"\n')
    editor.chmod(0o755)
    environment = {**kubectl.environment(), "KUBE_EDITOR": str(editor)}
    command = kubectl.command("edit", "configmap", "a")
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == 0, done.stderr
    assert kubectl.get("configmap", "a")["data"] == {"a": "after"}


def test_a_field_that_the_kind_does_not_have_is_refused(kubectl: Client) -> None:
    refused = kubectl.run("create", "-f", "-", stdin={**config_map(), "dota": {}})
    assert refused.returncode == 1
    assert 'unknown field "dota"' in refused.stderr


# Reading.


def test_explain_tells_of_built_in_and_of_our_own_kinds(kubectl: Client) -> None:
    assert "tolerations" in kubectl("explain", "deployment.spec.template.spec")
    assert "blueprint" in kubectl("explain", "installation.spec")


def test_api_resources_lists_built_in_and_our_own_kinds(kubectl: Client) -> None:
    names = kubectl("api-resources", "-o", "name").split()
    assert {"pods", "deployments.apps", "installations.landscaper.gardener.cloud"} <= set(names)


def test_get_shows_the_columns_of_a_real_cluster(deployment: Client) -> None:
    header, row = deployment("get", "deployment", "d", "-o", "wide").splitlines()
    assert header.split() == ["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE", "CONTAINERS", "IMAGES", "SELECTOR"]
    assert row.split()[:2] == ["d", "0/2"]


def test_describe_tells_of_an_object_and_its_events(deployment: Client) -> None:
    told = deployment("describe", "deployment", "d")
    assert "Replicas:" in told
    assert "2 desired" in told


def test_get_watches_objects_as_they_change(kubectl: Client) -> None:
    kubectl("create", "-f", "-", stdin=config_map(n="0"))
    command = kubectl.command("get", "configmap", "a", "-w", "-o", "jsonpath={.data.n}\n")
    with subprocess.Popen(command, env=kubectl.environment(), stdout=subprocess.PIPE, text=True) as watch:
        assert watch.stdout is not None
        try:
            seen = [watch.stdout.readline().strip()]
            for number in "12":
                kubectl("patch", "configmap", "a", "-p", json.dumps({"data": {"n": number}}))
                seen.append(watch.stdout.readline().strip())
        finally:
            watch.terminate()
    assert seen == ["0", "1", "2"]


# Waiting and deleting.


def test_wait_ends_when_a_condition_or_a_value_is_there(deployment: Client) -> None:
    assert deployment.run("wait", "deployment/d", "--for=condition=Available", "--timeout=1s").returncode == 1
    conditions = [{"type": "Available", "status": "True"}]
    patch = json.dumps({"status": {"conditions": conditions, "readyReplicas": 1}})
    deployment("patch", "deployment", "d", "--subresource=status", "--type=merge", "-p", patch)
    deployment("wait", "deployment/d", "--for=condition=Available", "--timeout=20s")
    deployment("wait", "deployment/d", "--for=jsonpath={.status.readyReplicas}=1", "--timeout=20s")


def own(kubectl: Client) -> None:
    """A config map ``owner``, and ``owned`` that belongs to it."""
    kubectl("create", "configmap", "owner")
    reference = {
        "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "blockOwnerDeletion": True,
        "uid": kubectl.get("configmap", "owner")["metadata"]["uid"],
    }  # fmt: skip
    kubectl("create", "-f", "-", stdin={**config_map(), "metadata": {"name": "owned", "ownerReferences": [reference]}})


@pytest.mark.parametrize("cascade", ["background", "foreground"])
def test_delete_takes_what_is_owned_along(kubectl: Client, cascade: str) -> None:
    own(kubectl)
    kubectl("delete", "configmap", "owner", f"--cascade={cascade}", "--timeout=20s")
    kubectl("wait", "configmap/owned", "--for=delete", "--timeout=20s")


def test_delete_leaves_orphans_if_told_to(kubectl: Client) -> None:
    own(kubectl)
    kubectl("delete", "configmap", "owner", "--cascade=orphan", "--timeout=20s")
    assert "ownerReferences" not in kubectl.get("configmap", "owned")["metadata"]


def test_delete_works_by_label_and_for_all(kubectl: Client) -> None:
    for name in "abc":
        kubectl("create", "secret", "generic", name)
    kubectl("label", "secret", "a", "x=y")
    assert kubectl("delete", "secret", "-l", "x=y").startswith('secret "a" deleted')
    assert len(kubectl("delete", "secret", "--all").splitlines()) == 2
    assert kubectl("get", "secret", "-o", "name") == ""


def test_deleting_a_namespace_empties_it(deployment: Client) -> None:
    deployment("delete", "namespace", deployment.namespace, "--timeout=30s")
    assert deployment.run("get", "namespace", deployment.namespace).returncode == 1
    assert deployment("get", "deployments", "-o", "name") == ""
