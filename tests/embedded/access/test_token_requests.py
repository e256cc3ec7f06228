"""Tokens on demand and tokens in Secrets."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from tests.embedded.access.support import START

from landform.cluster.errors import ApiError, BadRequest, Cause, Conflict, Invalid, NotFound
from landform.embedded.access.keys import new_key
from landform.embedded.access.token_requests import answer_token_request, secret_patch
from landform.embedded.access.tokens import ISSUER, Bound, Tokens

TOKENS = Tokens(new_key())
ACCOUNT = {"metadata": {"namespace": "blue", "name": "robot", "uid": "u-1"}}
STORED = {
    ("Pod", "p"): {"metadata": {"uid": "u-2"}, "spec": {"serviceAccountName": "robot"}},
    ("Pod", "other"): {"metadata": {"uid": "u-3"}, "spec": {"serviceAccountName": "other"}},
    ("Secret", "s"): {"metadata": {"uid": "u-4"}},
}


def answered(spec: object = None, metadata: object = None) -> dict[str, Any]:
    body = {"kind": "TokenRequest", "metadata": metadata, "spec": spec}
    return answer_token_request(
        body, ACCOUNT, tokens=TOKENS, find=lambda kind, name: STORED.get((kind, name)), now=START
    )


@pytest.mark.parametrize("spec", [None, {}, {"audiences": None, "expirationSeconds": None, "boundObjectRef": None}])
def test_without_wishes_the_token_is_for_this_api_and_for_an_hour(spec: object) -> None:
    answer = answered(spec)
    token = answer["status"].pop("token")
    assert answer == {
        "kind": "TokenRequest",
        "apiVersion": "authentication.k8s.io/v1",
        "metadata": {"name": "robot", "namespace": "blue", "uid": "u-1", "creationTimestamp": "2030-01-01T12:00:00Z"},
        "spec": {"audiences": [ISSUER], "expirationSeconds": 3600, "boundObjectRef": None},
        "status": {"expirationTimestamp": "2030-01-01T13:00:00Z"},
    }
    claims = TOKENS.verify(token, (), START)
    assert (claims.namespace, claims.name, claims.uid) == ("blue", "robot", "u-1")
    assert claims.expires == int(START.timestamp()) + 3600


def test_wishes_for_audiences_and_time_are_met() -> None:
    answer = answered({"audiences": ["vault"], "expirationSeconds": 600})
    claims = TOKENS.verify(answer["status"]["token"], ("vault",), START)
    assert claims.expires == int(START.timestamp()) + 600
    assert answer["spec"]["audiences"] == ["vault"]


@pytest.mark.parametrize(
    ("seconds", "message"),
    [
        (10, "Invalid value: 10: may not specify a duration less than 10 minutes"),
        (0, "Invalid value: 0: may not specify a duration less than 10 minutes"),
        (2**32 + 1, "Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds"),
    ],
)
def test_too_short_and_too_long_is_refused_in_the_api_servers_words(seconds: int, message: str) -> None:
    with pytest.raises(Invalid) as refusal:
        answered({"expirationSeconds": seconds})
    whole = f'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: {message}'
    assert str(refusal.value) == whole
    assert refusal.value.causes == (Cause("FieldValueInvalid", message, "spec.expirationSeconds"),)


@pytest.mark.parametrize("seconds", [600, 2**32])
def test_the_limits_themselves_are_allowed(seconds: int) -> None:
    assert answered({"expirationSeconds": seconds})["spec"]["expirationSeconds"] == seconds


@pytest.mark.parametrize(("kind", "name", "uid"), [("Pod", "p", "u-2"), ("Secret", "s", "u-4")])
def test_a_token_is_bound_to_the_object_that_is_named(kind: str, name: str, uid: str) -> None:
    reference = {"kind": kind, "apiVersion": "v1", "name": name}
    answer = answered({"boundObjectRef": reference})
    assert TOKENS.verify(answer["status"]["token"], (), START).bound == Bound(kind, name, uid)
    assert answer["spec"]["boundObjectRef"] == reference


@pytest.mark.parametrize(
    ("reference", "error", "message"),
    [
        ({"kind": "Pod", "apiVersion": "v1", "name": "gone"}, NotFound, 'pods "gone" not found'),
        (
            {"kind": "Pod", "apiVersion": "v1", "name": "other"},
            BadRequest,
            'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
        ),
        (
            {"kind": "Deployment", "apiVersion": "apps/v1", "name": "d"},
            BadRequest,
            "cannot bind token to object of type apps/v1, Kind=Deployment",
        ),
        (
            {"kind": "Secret", "apiVersion": "v1", "name": "s", "uid": "old"},
            Conflict,
            'Operation cannot be fulfilled on Secret "s": the UID in the bound object reference (old) does not match '
            "the UID in record. The object might have been deleted and then recreated",
        ),
    ],
)
def test_a_token_cannot_be_bound_to_what_is_not_there_or_not_his(
    reference: dict[str, str], error: type[ApiError], message: str
) -> None:
    with pytest.raises(error) as refusal:
        answered({"boundObjectRef": reference})
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("metadata", "error"),
    [({"name": "other"}, Invalid), ({"namespace": "red"}, Invalid), ({"uid": "u-9"}, Conflict)],
)
def test_a_body_that_speaks_of_another_account_is_refused(metadata: dict[str, str], error: type[ApiError]) -> None:
    with pytest.raises(error, match=r"must match the service account|does not match the UID of the service account"):
        answered({}, metadata)


@pytest.mark.parametrize(
    ("spec", "place"),
    [
        ("text", r"\$.spec"),
        ({"expirationSeconds": "600"}, r"\$.spec.expirationSeconds"),
        ({"expirationSeconds": 600.5}, r"\$.spec.expirationSeconds"),
        ({"audiences": [1]}, r"\$.spec.audiences\[0\]"),
        ({"boundObjectRef": []}, r"\$.spec.boundObjectRef"),
    ],
)
def test_wrong_types_are_refused_with_their_place(spec: object, place: str) -> None:
    with pytest.raises(
        BadRequest, match=rf'TokenRequest in version "v1" cannot be handled as a TokenRequest: .*{place}'
    ):
        answered(spec)


def secret(annotations: dict[str, str], data: dict[str, str] | None = None, kind: str = "") -> dict[str, Any]:
    return {
        "type": kind or "kubernetes.io/service-account-token",
        "metadata": {"namespace": "blue", "name": "s", "uid": "u-4", "annotations": annotations},
        "data": data,
    }


OWN = {"kubernetes.io/service-account.name": "robot", "kubernetes.io/service-account.uid": "u-1"}


def patched(given: dict[str, Any]) -> dict[str, Any]:
    return secret_patch(given, ACCOUNT, tokens=TOKENS, ca="CA", now=START)


def test_an_empty_secret_gets_token_ca_and_namespace_and_the_accounts_uid() -> None:
    patch = patched(secret({"kubernetes.io/service-account.name": "robot"}))
    data = {key: base64.b64decode(value).decode() for key, value in patch["data"].items()}
    claims = TOKENS.verify(data.pop("token"), (), START.replace(year=2130))
    assert data == {"ca.crt": "CA", "namespace": "blue"}
    assert (claims.name, claims.expires, claims.bound) == ("robot", None, Bound("Secret", "s", "u-4"))
    assert patch["metadata"] == {"annotations": {"kubernetes.io/service-account.uid": "u-1"}}


def test_what_is_there_stays_but_an_old_ca_is_replaced() -> None:
    full = secret(OWN, {"token": "dA==", "ca.crt": "Q0E=", "namespace": "Ymx1ZQ=="})
    assert patched(full) == {}
    full["data"]["ca.crt"] = "b2xk"
    assert patched(full) == {"data": {"ca.crt": "Q0E="}}


@pytest.mark.parametrize(
    "other",
    [
        secret({}),
        secret({"kubernetes.io/service-account.name": "other"}),
        secret({**OWN, "kubernetes.io/service-account.uid": "u-9"}),
        secret(OWN, kind="Opaque"),
    ],
)
def test_a_secret_for_another_account_or_of_another_type_gets_nothing(other: dict[str, Any]) -> None:
    assert patched(other) == {}
