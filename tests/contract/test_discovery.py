"""What a cluster says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.contract.objects import DEPLOYMENTS, PODS, SERVICES, eventually

from landform.cluster import resources

if TYPE_CHECKING:
    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Resource, Unstructured


async def test_the_kinds_that_every_cluster_has_are_discovered(cluster: Cluster) -> None:
    found = await cluster.discover()
    assert {
        resources.NAMESPACES,
        resources.CONFIG_MAPS,
        resources.SECRETS,
        resources.SERVICE_ACCOUNTS,
        resources.EVENTS,
        resources.LEASES,
        resources.CUSTOM_RESOURCE_DEFINITIONS,
        PODS,
        SERVICES,
        DEPLOYMENTS,
    } <= set(found)
    assert not [resource for resource in found if "/" in resource.plural]


async def test_the_workload_kinds_are_discovered(cluster: Cluster) -> None:
    found = {
        (resource.api_version, resource.kind, resource.plural, resource.namespaced)
        for resource in await cluster.discover()
    }
    assert {
        ("v1", "PersistentVolumeClaim", "persistentvolumeclaims", True),
        ("v1", "PersistentVolume", "persistentvolumes", False),
        ("apps/v1", "StatefulSet", "statefulsets", True),
        ("apps/v1", "DaemonSet", "daemonsets", True),
        ("apps/v1", "ReplicaSet", "replicasets", True),
        ("batch/v1", "Job", "jobs", True),
        ("batch/v1", "CronJob", "cronjobs", True),
        ("networking.k8s.io/v1", "Ingress", "ingresses", True),
        ("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", True),
        ("rbac.authorization.k8s.io/v1", "Role", "roles", True),
        ("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings", True),
        ("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", False),
        ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "clusterrolebindings", False),
        ("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", True),
        ("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", True),
        ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", False),
    } <= found


async def test_a_custom_kind_is_discovered(cluster: Cluster, widgets: Resource[Unstructured]) -> None:
    async def is_found() -> bool:
        return widgets in await cluster.discover()

    await eventually(is_found, "the custom kind is discovered")


async def test_the_version_names_a_release(cluster: Cluster) -> None:
    version = await cluster.version()
    assert version["major"] == "1"
    assert version["minor"].isdigit()
    assert version["gitVersion"].startswith(f"v1.{version['minor']}.")
    assert {"gitCommit", "buildDate", "goVersion", "platform"} <= version.keys()
