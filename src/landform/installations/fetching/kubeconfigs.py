"""Kubeconfigs that templates ask for, issued by the clusters of Targets."""

from __future__ import annotations

import base64
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

import yaml

from landform.api.errors import OperationFailed
from landform.blueprints.templating.kubeconfigs import (
    SERVICE_ACCOUNT_KUBECONFIG,
    SHOOT_KUBECONFIG,
    TARGET_CONTENT,
    IssuedKubeconfig,
)
from landform.cluster import kubeconfig
from landform.cluster.errors import ClusterError, ServerError, TooManyRequests, Unreachable
from landform.cluster.http import HttpCluster
from landform.cluster.interface import WriteOptions
from landform.cluster.resources import SERVICE_ACCOUNTS, ObjectKey, untyped
from landform.cluster.transport import Limits
from landform.components.errors import Unavailable
from landform.installations.fetching import objects
from landform.kit import yamls
from landform.kit.clocks import parse_rfc3339

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from landform.blueprints.questions import Question
    from landform.blueprints.templating.kubeconfigs import TargetArgument
    from landform.cluster.connections import Connection
    from landform.cluster.interface import Cluster, Reader
    from landform.cluster.resources import Resource, Unstructured

KINDS: Final = frozenset({SERVICE_ACCOUNT_KUBECONFIG, SHOOT_KUBECONFIG, TARGET_CONTENT})
"""The questions that are answered here."""

SHOOTS: Final = untyped("core.gardener.cloud/v1beta1", "Shoot", "shoots")

_OPERATION: Final = "IssueKubeconfig"
_REASON: Final = "TargetNotUsable"
_PATIENCE_SECONDS: Final = 20.0
"""How long the cluster of a Target is tried before its answer counts as missing."""


async def answer(question: Question, reader: Reader, namespace: str) -> Any:
    """The answer to a question of a template whose Installation is in a namespace."""
    if question.kind == TARGET_CONTENT:
        [target] = question.arguments
        return await content(target, reader, namespace)  # type: ignore[arg-type]
    name, where, seconds, target = question.arguments
    text = await content(target, reader, namespace)  # type: ignore[arg-type]
    connection = _connection(target, text)  # type: ignore[arg-type]
    async with _reached(connection, str(target)) as cluster:
        if question.kind == SHOOT_KUBECONFIG:
            return await _of_shoot(cluster, ObjectKey(str(where), str(name)), int(str(seconds)))
        return await _of_account(cluster, connection, ObjectKey(str(where), str(name)), int(str(seconds)))


async def content(target: TargetArgument, reader: Reader, namespace: str) -> str:
    """What a Target says about its place. Secrets are read in the namespace of the Installation only.

    A template may make up the Target that it hands over: it must not reach what others keep.
    """
    spec = json.loads(target.document).get("spec") or {}
    if spec.get("config") is not None:
        return json.dumps(spec["config"])
    reference = spec.get("secretRef") or {}
    name, key = str(reference.get("name") or ""), str(reference.get("key") or "")
    if not name:
        raise OperationFailed(_OPERATION, _REASON, f"{target} has neither config nor secretRef")
    if target.namespace not in ("", namespace):
        raise OperationFailed(_OPERATION, _REASON, f"{target} is not in the namespace of the Installation")
    found = await objects.secret(reader, ObjectKey(namespace, name), str(target), _REASON)
    if not key:
        return json.dumps({entry: _value(text) for entry, text in found.items()})
    if key not in found:
        raise OperationFailed(_OPERATION, _REASON, f"{target} names the key {key} of Secret {name}, which has none")
    return found[key]


def _value(text: str) -> Any:
    try:
        return yamls.load(text)
    except (yaml.YAMLError, ValueError):
        return text


def _connection(target: TargetArgument, text: str) -> Connection:
    """The way to the cluster of a Target. Nothing of its content reaches a message."""
    try:
        found = yamls.load(text)
        config = found["kubeconfig"] if isinstance(found, dict) and "kubeconfig" in found else text
        return kubeconfig.parse(config if isinstance(config, str) else json.dumps(config), source=str(target))
    except (yaml.YAMLError, ValueError):
        raise OperationFailed(_OPERATION, _REASON, f"{target} contains no kubeconfig") from None
    except ClusterError as error:
        raise OperationFailed(_OPERATION, _REASON, str(error)) from error


@asynccontextmanager
async def _reached(connection: Connection, what: str) -> AsyncIterator[Cluster]:
    cluster = HttpCluster(connection, limits=Limits(retry_seconds=_PATIENCE_SECONDS))
    try:
        yield cluster
    except (Unreachable, ServerError, TooManyRequests) as error:
        raise Unavailable(f"the cluster of {what} does not issue a kubeconfig now: {error}") from error
    except ClusterError as error:
        raise OperationFailed(_OPERATION, "KubeconfigNotIssued", f"{what}: {error}") from error
    finally:
        await cluster.close()


async def _of_shoot(cluster: Cluster, key: ObjectKey, seconds: int) -> IssuedKubeconfig:
    request = ("authentication.gardener.cloud/v1alpha1", "AdminKubeconfigRequest", "adminkubeconfig")
    status = await _requested(cluster, SHOOTS, key, request, seconds)
    return IssuedKubeconfig(status["kubeconfig"], parse_rfc3339(status["expirationTimestamp"]))


async def _of_account(cluster: Cluster, connection: Connection, key: ObjectKey, seconds: int) -> IssuedKubeconfig:
    request = ("authentication.k8s.io/v1", "TokenRequest", "token")
    status = await _requested(cluster, SERVICE_ACCOUNTS, key, request, seconds)
    text = yamls.dump(_kubeconfig(connection, key, status["token"]))
    return IssuedKubeconfig(base64.b64encode(text.encode()).decode(), parse_rfc3339(status["expirationTimestamp"]))


async def _requested(
    cluster: Cluster, resource: Resource[Unstructured], key: ObjectKey, request: tuple[str, str, str], seconds: int
) -> Unstructured:
    """The status of a request for access that was granted."""
    api_version, kind, subresource = request
    body = {"apiVersion": api_version, "kind": kind, "spec": {"expirationSeconds": seconds}}
    granted = await cluster.create(
        resource, body, namespace=key.namespace, name=key.name, options=WriteOptions(subresource=subresource)
    )
    status: Unstructured = granted.get("status") or {}
    return status


def _kubeconfig(connection: Connection, account: ObjectKey, token: str) -> dict[str, Any]:
    """A kubeconfig for the same cluster, as a service account."""
    cluster: dict[str, Any] = {"server": connection.server}
    if connection.insecure:
        cluster["insecure-skip-tls-verify"] = True
    elif connection.ca is not None:
        cluster["certificate-authority-data"] = base64.b64encode(connection.ca).decode()
    if connection.tls_server_name:
        cluster["tls-server-name"] = connection.tls_server_name
    if connection.proxy_url:
        cluster["proxy-url"] = connection.proxy_url
    name = account.name
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name,
        "contexts": [{"name": name, "context": {"cluster": name, "user": name, "namespace": account.namespace}}],
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": name, "user": {"token": token}}],
    }
