"""What can go wrong between us and a cluster, split by what the caller does next.

ClusterError                      everything below; itself a LandformError (landform.kit.errors)
├── ConfigurationError            the kubeconfig or the in-cluster files are wrong: tell the user, do not retry
├── Unreachable                   no answer: retry later, the request may or may not have taken effect
├── Unreadable                    an answer, but not what the resource's type says: a bug or a wrong peer
└── ApiError                      the cluster answered with a Status: it carries code, reason, message, causes
    ├── BadRequest         400    the request itself is malformed: a bug or bad input, do not retry
    ├── Unauthorized       401    who we are was not accepted: get new credentials
    ├── Forbidden          403    we may not do this: tell the user which right is missing
    ├── NotFound           404    the object or the kind is not there
    ├── MethodNotAllowed   405    the resource has no such verb
    ├── Conflict           409    decided on an old version, or a field is owned by another manager: read again
    │   └── AlreadyExists  409    create something else, or use what is there
    ├── Gone               410    the resourceVersion is too old: list again
    ├── TooLarge           413    the body is over the limit: it can never be stored
    ├── UnsupportedMedia   415    the cluster does not take this patch type
    ├── Invalid            422    the object breaks its schema or rules: `causes` says where
    ├── TooManyRequests    429    wait `retry_after` seconds
    └── ServerError        5xx    the cluster is in trouble: retry later
        └── Storage        507    the embedded home could not write to its disk
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from landform.kit.errors import LandformError


class ClusterError(LandformError):
    """The root of everything that can go wrong with a cluster."""


class ConfigurationError(ClusterError):
    """The kubeconfig or the in-cluster files do not describe a usable connection."""


class Unreachable(ClusterError):
    """The cluster did not answer. A write may or may not have taken effect."""


class Unreadable(ClusterError):
    """The cluster answered with something that is not what the resource's type says."""


@dataclass(frozen=True)
class Cause:
    """One fault in an object: what kind of fault, at which field, in words."""

    reason: str
    """As the API server names it, such as FieldValueRequired or FieldValueInvalid."""

    message: str
    """The fault in words, without the field."""

    field: str = ""
    """Path of the field, such as ``spec.items[2].name``."""


@dataclass(eq=False)
class ApiError(ClusterError):
    """The cluster refused; `to_status` and `from_status` are the only places that know the wire form."""

    message: str
    code: int = 0
    reason: str = ""
    causes: tuple[Cause, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)
    """The Status' details other than causes and retryAfterSeconds: group, kind, name, uid."""

    retry_after: float | None = None
    """Seconds that the cluster asks us to wait."""

    default_code: ClassVar[int] = 500
    default_reason: ClassVar[str] = "InternalError"

    def __post_init__(self) -> None:
        self.code = self.code or self.default_code
        self.reason = self.reason or self.default_reason
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message

    def to_status(self) -> dict[str, Any]:
        """This error as a ``v1`` Status object."""
        details = dict(self.details)
        if self.causes:
            details["causes"] = [
                {"reason": c.reason, "message": c.message, **({"field": c.field} if c.field else {})}
                for c in self.causes
            ]
        if self.retry_after is not None:
            details["retryAfterSeconds"] = max(1, round(self.retry_after))
        status: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": self.reason,
        }
        if details:
            status["details"] = details
        status["code"] = self.code
        return status


class BadRequest(ApiError):
    """The request is malformed."""

    default_code = 400
    default_reason = "BadRequest"


class Unauthorized(ApiError):
    """The credentials were not accepted."""

    default_code = 401
    default_reason = "Unauthorized"


class Forbidden(ApiError):
    """The credentials are known, the right is missing."""

    default_code = 403
    default_reason = "Forbidden"


class NotFound(ApiError):
    """The object, or the whole kind, is not there."""

    default_code = 404
    default_reason = "NotFound"


class MethodNotAllowed(ApiError):
    """The resource does not have this verb."""

    default_code = 405
    default_reason = "MethodNotAllowed"


class NotAcceptable(ApiError):
    """None of the asked-for representations exists."""

    default_code = 406
    default_reason = "NotAcceptable"


class Conflict(ApiError):
    """The write was decided on an old version, or touches fields of another manager."""

    default_code = 409
    default_reason = "Conflict"


class AlreadyExists(Conflict):
    """An object of that name is there already."""

    default_reason = "AlreadyExists"


class Gone(ApiError):
    """The resourceVersion or the continue token is too old."""

    default_code = 410
    default_reason = "Expired"


class TooLarge(ApiError):
    """The body is over the limit."""

    default_code = 413
    default_reason = "RequestEntityTooLarge"


class UnsupportedMedia(ApiError):
    """The body's content type is not taken here."""

    default_code = 415
    default_reason = "UnsupportedMediaType"


class Invalid(ApiError):
    """The object breaks its schema or its rules; `causes` says where."""

    default_code = 422
    default_reason = "Invalid"


class TooManyRequests(ApiError):
    """The cluster asks us to slow down."""

    default_code = 429
    default_reason = "TooManyRequests"


class ServerError(ApiError):
    """The cluster is in trouble."""


class Storage(ServerError):
    """The embedded home could not write to its disk; nothing of the request was kept."""

    default_code = 507
    default_reason = "InternalError"


_BY_CODE: dict[int, type[ApiError]] = {
    cls.default_code: cls
    for cls in (
        BadRequest, Unauthorized, Forbidden, NotFound, MethodNotAllowed, NotAcceptable, Conflict, Gone, TooLarge,
        UnsupportedMedia, Invalid, TooManyRequests, Storage,
    )
}  # fmt: skip


def from_status(status: dict[str, Any], *, retry_after: float | None = None) -> ApiError:
    """The error that a Status object describes, of the class the caller can act on."""
    code = int(status.get("code") or 500)
    reason = str(status.get("reason") or "")
    cls = AlreadyExists if reason == "AlreadyExists" else _BY_CODE.get(code, ServerError if code >= 500 else ApiError)
    details = dict(status.get("details") or {})
    causes = tuple(
        Cause(str(c.get("reason", "")), str(c.get("message", "")), str(c.get("field", "")))
        for c in details.pop("causes", None) or ()
    )
    asked = details.pop("retryAfterSeconds", None)
    return cls(
        str(status.get("message") or f"the cluster answered {code}"),
        code=code,
        reason=reason,
        causes=causes,
        details=details,
        retry_after=float(asked) if asked is not None else retry_after,
    )
