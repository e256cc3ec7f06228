"""Questions about rights and tokens: the review kinds, answered and never stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from landform.cluster.errors import BadRequest, Cause
from landform.embedded.access.authentication import Verified
from landform.embedded.access.bodies import Fields, decoded, invalid, invalid_value, required_value
from landform.embedded.access.rules import Attributes, Rule
from landform.embedded.access.tokens import TokenRejected
from landform.embedded.access.users import User
from landform.kit.clocks import rfc3339

if TYPE_CHECKING:
    from datetime import datetime

    from landform.cluster.resources import Unstructured
    from landform.embedded.access.rbac import Policy

AUTHORIZATION = "authorization.k8s.io"
AUTHENTICATION = "authentication.k8s.io"

Verify = Callable[[str, Sequence[str]], Verified]
"""Whose token it is and which of the audiences it serves; TokenRejected if it is not accepted."""


@dataclass(frozen=True)
class _Question:
    """A review as it came in, and what is needed to answer it."""

    kind: str
    body: Unstructured
    user: User
    policy: Policy
    verify: Verify
    now: datetime
    namespace: str


class _Resource(Fields, frozen=True):
    namespace: str | None = None
    verb: str | None = None
    group: str | None = None
    version: str | None = None
    resource: str | None = None
    subresource: str | None = None
    name: str | None = None
    field_selector: dict[str, Any] | None = None
    label_selector: dict[str, Any] | None = None


class _Path(Fields, frozen=True):
    path: str | None = None
    verb: str | None = None


class _AccessSpec(Fields, frozen=True):
    resource_attributes: _Resource | None = None
    non_resource_attributes: _Path | None = None
    user: str | None = None
    groups: list[str] | None = None
    extra: dict[str, list[str]] | None = None
    uid: str | None = None


class _AccessReview(Fields, frozen=True):
    metadata: dict[str, Any] | None = None
    spec: _AccessSpec | None = None


class _RulesSpec(Fields, frozen=True):
    namespace: str | None = None


class _RulesReview(Fields, frozen=True):
    spec: _RulesSpec | None = None


class _TokenSpec(Fields, frozen=True):
    token: str | None = None
    audiences: list[str] | None = None


class _TokenReview(Fields, frozen=True):
    spec: _TokenSpec | None = None


def review(
    kind: str,
    body: Unstructured,
    *,
    user: User,
    policy: Policy,
    verify: Verify,
    now: datetime,
    namespace: str = "",
) -> Unstructured:
    """The review with its status filled in; BadRequest or Invalid if it asks for nothing or for too much.

    `kind` is one of `KINDS`, `namespace` the one in the URL of a LocalSubjectAccessReview. Whether `user` may ask at
    all has been decided before, like for any other create.
    """
    return KINDS[kind](_Question(kind, body, user, policy, verify, now, namespace))


def _self_subject_access(question: _Question) -> Unstructured:
    asked = _access_review(question)
    _refuse_faults(question, [*_spec_faults(asked), *_metadata_faults(asked)])
    return _access_answer(question, asked, question.user)


def _subject_access(question: _Question) -> Unstructured:
    asked = _access_review(question)
    _refuse_faults(question, [*_spec_faults(asked), *_subject_faults(asked), *_metadata_faults(asked)])
    return _access_answer(question, asked, _subject(asked))


def _local_subject_access(question: _Question) -> Unstructured:
    asked = _access_review(question)
    said = (asked.metadata or {}).get("namespace") or question.namespace
    if said != question.namespace:
        raise BadRequest("the namespace of the provided object does not match the namespace sent on the request")
    faults = [*_spec_faults(asked), *_subject_faults(asked), *_metadata_faults(asked, "namespace")]
    _refuse_faults(question, [*faults, *_local_faults(asked, question.namespace)])
    return _access_answer(question, asked, _subject(asked))


def _self_subject_rules(question: _Question) -> Unstructured:
    spec = decoded(question.kind, question.body, _RulesReview).spec or _RulesSpec()
    if not spec.namespace:
        raise BadRequest("no namespace on request")
    rules = question.policy.rules_for(question.user, spec.namespace)
    status: dict[str, Any] = {
        "resourceRules": [_resource_rule(rule) for rule in rules if rule.resources],
        "nonResourceRules": [
            {"verbs": list(rule.verbs), "nonResourceURLs": list(rule.urls)} for rule in rules if rule.urls
        ],
        "incomplete": False,
    }
    problems = question.policy.problems_for(question.user, spec.namespace)
    if problems:
        status["evaluationError"] = ", ".join(problems)
    return _answer(question, AUTHORIZATION, {}, {}, status)


def _token(question: _Question) -> Unstructured:
    spec = decoded(question.kind, question.body, _TokenReview).spec or _TokenSpec()
    if question.namespace:
        raise BadRequest(f"namespace is not allowed on this type: {question.namespace}")
    if not spec.token:
        raise BadRequest("token is required for TokenReview in authentication")
    status: dict[str, Any]
    try:
        verified = question.verify(spec.token, spec.audiences or ())
    except TokenRejected as rejection:
        status = {"user": {}, "error": str(rejection)}
    else:
        user, audiences = verified
        status = {"authenticated": True, "user": user.to_user_info(), "audiences": list(audiences)}
    return _answer(question, AUTHENTICATION, question.body.get("metadata") or {}, msgspec.to_builtins(spec), status)


def _self_subject(question: _Question) -> Unstructured:
    metadata = {"creationTimestamp": rfc3339(question.now)}
    return _answer(question, AUTHENTICATION, metadata, None, {"userInfo": question.user.to_user_info()})


KINDS: dict[str, Callable[[_Question], Unstructured]] = {
    "SelfSubjectAccessReview": _self_subject_access,
    "SubjectAccessReview": _subject_access,
    "LocalSubjectAccessReview": _local_subject_access,
    "SelfSubjectRulesReview": _self_subject_rules,
    "TokenReview": _token,
    "SelfSubjectReview": _self_subject,
}
"""Every review kind and who answers it."""


def _access_review(question: _Question) -> _AccessReview:
    return decoded(question.kind, question.body, _AccessReview)


def _access_answer(question: _Question, asked: _AccessReview, user: User) -> Unstructured:
    spec = asked.spec or _AccessSpec()
    decision = question.policy.decide(_attributes(spec, user))
    status: dict[str, Any] = {"allowed": decision.allowed}
    if decision.reason:
        status["reason"] = decision.reason
    return _answer(question, AUTHORIZATION, asked.metadata or {}, msgspec.to_builtins(spec), status)


def _attributes(spec: _AccessSpec, user: User) -> Attributes:
    if spec.resource_attributes is None:
        path = spec.non_resource_attributes or _Path()
        return Attributes(user, path.verb or "", path=path.path or "")
    wanted = spec.resource_attributes
    return Attributes(
        user,
        wanted.verb or "",
        wanted.group or "",
        wanted.resource or "",
        wanted.subresource or "",
        wanted.name or "",
        wanted.namespace or "",
    )


def _subject(asked: _AccessReview) -> User:
    spec = asked.spec or _AccessSpec()
    extra = {key: tuple(values) for key, values in (spec.extra or {}).items()}
    return User(spec.user or "", tuple(spec.groups or ()), spec.uid or "", extra)


def _spec_faults(asked: _AccessReview) -> list[Cause]:
    spec = asked.spec or _AccessSpec()
    resource, path = spec.resource_attributes, spec.non_resource_attributes
    if resource is not None and path is not None:
        why = "cannot be specified in combination with resourceAttributes"
        return [
            invalid_value("spec.nonResourceAttributes", msgspec.to_builtins(path), why),
            *_selector_faults(resource),
        ]
    if resource is None and path is None:
        why = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
        return [invalid_value("spec.resourceAttributes", None, why)]
    return _selector_faults(resource) if resource is not None else []


def _selector_faults(resource: _Resource) -> list[Cause]:
    faults = []
    for field, selector in (("fieldSelector", resource.field_selector), ("labelSelector", resource.label_selector)):
        path = f"spec.resourceAttributes.{field}"
        if selector is None:
            continue
        raw, requirements = selector.get("rawSelector"), selector.get("requirements")
        if raw and requirements:
            faults.append(
                invalid_value(f"{path}.rawSelector", raw, "may not specified at the same time as requirements")
            )
        if not raw and not requirements:
            why = f"when {path} is specified, requirements or rawSelector is required"
            faults.append(required_value(f"{path}.requirements", why))
    return faults


def _subject_faults(asked: _AccessReview) -> list[Cause]:
    spec = asked.spec or _AccessSpec()
    if spec.user or spec.groups:
        return []
    return [invalid_value("spec.user", "", "at least one of user or group must be specified")]


def _metadata_faults(asked: _AccessReview, *allowed: str) -> list[Cause]:
    given = {key: value for key, value in (asked.metadata or {}).items() if value and key != "managedFields"}
    if given.keys() <= set(allowed):
        return []
    why = f"must be empty except for {allowed[0]}" if allowed else "must be empty"
    return [invalid_value("metadata", given, why)]


def _local_faults(asked: _AccessReview, namespace: str) -> list[Cause]:
    """A local review asks about its own namespace and about nothing else."""
    spec = asked.spec or _AccessSpec()
    faults = []
    if spec.resource_attributes is not None and (spec.resource_attributes.namespace or "") != namespace:
        said = spec.resource_attributes.namespace or ""
        faults.append(invalid_value("spec.resourceAttributes.namespace", said, "must match metadata.namespace"))
    if spec.non_resource_attributes is not None:
        said_path = msgspec.to_builtins(spec.non_resource_attributes)
        faults.append(invalid_value("spec.nonResourceAttributes", said_path, "disallowed on this kind of request"))
    return faults


def _refuse_faults(question: _Question, faults: list[Cause]) -> None:
    if faults:
        raise invalid(AUTHORIZATION, question.kind, "", faults)


def _resource_rule(rule: Rule) -> dict[str, list[str]]:
    lists = (("apiGroups", rule.groups), ("resources", rule.resources), ("resourceNames", rule.names))
    return {"verbs": list(rule.verbs), **{key: list(values) for key, values in lists if values}}


def _answer(
    question: _Question, group: str, metadata: Unstructured, spec: Unstructured | None, status: Unstructured
) -> Unstructured:
    answer: Unstructured = {"kind": question.kind, "apiVersion": f"{group}/v1", "metadata": metadata}
    if spec is not None:
        answer["spec"] = spec
    return {**answer, "status": status}
