"""Admission reviews: what the API server asks a validating webhook, and what it is answered."""

from __future__ import annotations

from typing import Any

import msgspec

from landform.api import faults
from landform.api.validation import validate
from landform.cluster.errors import ApiError, Cause, Forbidden, Invalid

API_VERSION = "admission.k8s.io/v1"
KIND = "AdmissionReview"

_CHECKED_OPERATIONS = frozenset({"CREATE", "UPDATE"})


class BadReview(ValueError):
    """The body is not an AdmissionReview that can be answered."""


def answer(body: bytes) -> bytes:
    """The AdmissionReview that answers one; BadReview if the body is none."""
    request = _request(body)
    refusal = refuse(request)
    response: dict[str, Any] = {"uid": request["uid"], "allowed": refusal is None}
    if refusal is not None:
        response["status"] = refusal.to_status()
    return msgspec.json.encode({"apiVersion": API_VERSION, "kind": KIND, "response": response})


def refuse(request: dict[str, Any]) -> ApiError | None:
    """Why the request must not be done, or None if it may."""
    if request.get("operation") not in _CHECKED_OPERATIONS or request.get("subResource"):
        return None
    found = validate(request.get("object"), request.get("oldObject"))
    if not found:
        return None
    error = Forbidden if any(fault.immutable for fault in found) else Invalid
    kind, name = request.get("kind"), request.get("name")
    details = {"name": name, **kind} if isinstance(kind, dict) else {"name": name}
    return error(
        faults.summary(found),
        causes=tuple(Cause(fault.reason, fault.message, fault.field) for fault in found),
        details={key: details[key] for key in ("name", "group", "kind") if isinstance(details.get(key), str)},
    )


def _request(body: bytes) -> dict[str, Any]:
    try:
        review = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as exc:
        raise BadReview(f"the body is not JSON: {exc}") from exc
    if not isinstance(review, dict) or (review.get("apiVersion"), review.get("kind")) != (API_VERSION, KIND):
        raise BadReview(f"the body is not an {KIND} of {API_VERSION}")
    request = review.get("request")
    if not isinstance(request, dict):
        raise BadReview(f"the {KIND} has no request")
    if not isinstance(request.get("uid"), str) or not request["uid"]:
        raise BadReview(f"the request of the {KIND} has no uid")
    return request
