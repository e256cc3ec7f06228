"""Tokens on demand: the TokenRequest of a ServiceAccount, and Secrets that hold a token for ever."""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import msgspec

from landform.cluster.errors import ApiError, BadRequest, Conflict, NotFound
from landform.cluster.resources import Unstructured
from landform.embedded.access.bodies import Fields, Metadata, decoded, invalid, invalid_value
from landform.embedded.access.tokens import Bound, Tokens
from landform.kit.clocks import rfc3339
from landform.kit.quoting import quote

GROUP = "authentication.k8s.io"
DEFAULT_SECONDS = 3600
SHORTEST_SECONDS = 600
LONGEST_SECONDS = 2**32

SECRET_TYPE = "kubernetes.io/service-account-token"
ACCOUNT_NAME = "kubernetes.io/service-account.name"
"""Annotation of such a Secret: whose token it is to hold."""
ACCOUNT_UID = "kubernetes.io/service-account.uid"
"""Annotation of such a Secret: which ServiceAccount of that name."""

Find = Callable[[str, str], Unstructured | None]
"""Looks up an object by kind (Pod, Secret, Node) and name, in the ServiceAccount's namespace if the kind has one."""


class _Reference(Fields, frozen=True):
    kind: str | None = None
    api_version: str | None = None
    name: str | None = None
    uid: str | None = None


class _Spec(Fields, frozen=True):
    audiences: list[str] | None = None
    expiration_seconds: int | None = None
    bound_object_ref: _Reference | None = None


class _TokenRequest(Fields, frozen=True):
    metadata: Metadata | None = None
    spec: _Spec | None = None


def answer_token_request(
    body: Unstructured, account: Unstructured, *, tokens: Tokens, find: Find, now: datetime
) -> Unstructured:
    """The TokenRequest with the token in its status; an ApiError if it asks for what cannot be given."""
    request = decoded("TokenRequest", body, _TokenRequest)
    metadata, spec = request.metadata or Metadata(), request.spec or _Spec()
    namespace, name, uid = (str(account["metadata"].get(key, "")) for key in ("namespace", "name", "uid"))
    _check_account(metadata, namespace, name, uid)
    seconds = DEFAULT_SECONDS if spec.expiration_seconds is None else spec.expiration_seconds
    _check_duration(seconds)
    bound = _bound(spec.bound_object_ref, name, find) if spec.bound_object_ref is not None else None
    audiences = spec.audiences or [tokens.issuer]
    token = tokens.issue(namespace, name, uid, audiences=audiences, expires_in=seconds, bound=bound, now=now)
    return {
        "kind": "TokenRequest",
        "apiVersion": f"{GROUP}/v1",
        "metadata": {"name": name, "namespace": namespace, "uid": uid, "creationTimestamp": rfc3339(now)},
        "spec": {
            "audiences": audiences,
            "expirationSeconds": seconds,
            "boundObjectRef": msgspec.to_builtins(spec.bound_object_ref),
        },
        "status": {"token": token, "expirationTimestamp": rfc3339(now + timedelta(seconds=seconds))},
    }


def secret_patch(
    secret: Unstructured, account: Unstructured, *, tokens: Tokens, ca: str, now: datetime
) -> Unstructured:
    """What a Secret of `SECRET_TYPE` lacks, as a merge patch; empty if nothing, or if it is for another account.

    The token never ends by itself: it is bound to the Secret, whose deletion ends it. The Secret must have its uid.
    """
    if not is_token_secret(secret, account):
        return {}
    data, namespace = secret.get("data") or {}, secret["metadata"]["namespace"]
    missing: dict[str, str] = {}
    if data.get("ca.crt") != _base64(ca):
        missing["ca.crt"] = _base64(ca)
    if not data.get("namespace"):
        missing["namespace"] = _base64(namespace)
    if not data.get("token"):
        name, uid = account["metadata"]["name"], account["metadata"]["uid"]
        bound = Bound("Secret", secret["metadata"]["name"], secret["metadata"]["uid"])
        token = tokens.issue(namespace, name, uid, audiences=(), expires_in=None, bound=bound, now=now)
        missing["token"] = _base64(token)
    patch: dict[str, Any] = {"data": missing} if missing else {}
    if (secret["metadata"].get("annotations") or {}).get(ACCOUNT_UID) != account["metadata"]["uid"]:
        patch["metadata"] = {"annotations": {ACCOUNT_UID: account["metadata"]["uid"]}}
    return patch


def is_token_secret(secret: Unstructured, account: Unstructured) -> bool:
    """Whether the Secret is to hold a token of this very ServiceAccount."""
    annotations = secret["metadata"].get("annotations") or {}
    return (
        secret.get("type") == SECRET_TYPE
        and annotations.get(ACCOUNT_NAME) == account["metadata"]["name"]
        and annotations.get(ACCOUNT_UID) in (None, "", account["metadata"]["uid"])
    )


def _check_account(metadata: Metadata, namespace: str, name: str, uid: str) -> None:
    """What the body says of the account, if anything, must be what the URL says."""
    for field, said, known in (("name", metadata.name, name), ("namespace", metadata.namespace, namespace)):
        if said and said != known:
            why = f"must match the service account {field} if specified"
            raise invalid(GROUP, "TokenRequest", name, [invalid_value(f"metadata.{field}", said, why)])
    if metadata.uid and metadata.uid != uid:
        why = f"the UID in the token request ({metadata.uid}) does not match the UID of the service account ({uid})"
        raise _conflict(f"TokenRequest.{GROUP}", name, why)


def _check_duration(seconds: int) -> None:
    if seconds < SHORTEST_SECONDS:
        why = "may not specify a duration less than 10 minutes"
    elif seconds > LONGEST_SECONDS:
        why = "may not specify a duration larger than 2^32 seconds"
    else:
        return
    raise invalid(GROUP, "TokenRequest", "", [invalid_value("spec.expirationSeconds", seconds, why)])


def _bound(reference: _Reference, account: str, find: Find) -> Bound:
    """The object that the token is to be bound to, as it is stored now."""
    kind, name = reference.kind or "", reference.name or ""
    group, _, version = (reference.api_version or "").rpartition("/")
    if group or kind not in ("Pod", "Secret", "Node"):
        written = f"{group}/{version}, Kind={kind}"
        raise BadRequest(f"cannot bind token to object of type {written}")
    found = find(kind, name)
    if found is None:
        raise _not_found(f"{kind.lower()}s", name)
    if kind == "Pod" and (found.get("spec") or {}).get("serviceAccountName") != account:
        raise BadRequest(
            f"cannot bind token for serviceaccount {quote(account)} to pod running with different serviceaccount name."
        )
    uid = str(found["metadata"].get("uid", ""))
    if reference.uid and reference.uid != uid:
        why = (
            f"the UID in the bound object reference ({reference.uid}) does not match the UID in record. The object "
            "might have been deleted and then recreated"
        )
        raise _conflict(kind, name, why)
    return Bound(kind, name, uid)


def _conflict(what: str, name: str, why: str) -> ApiError:
    return Conflict(f"Operation cannot be fulfilled on {what} {quote(name)}: {why}", details={"name": name})


def _not_found(plural: str, name: str) -> ApiError:
    return NotFound(f"{plural} {quote(name)} not found", details={"name": name, "kind": plural})


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode("ascii")
