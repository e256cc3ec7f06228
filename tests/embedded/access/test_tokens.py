"""ServiceAccount tokens: what they say, and that nothing else is believed."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import given
from hypothesis import strategies as st
from tests.embedded.access.support import START

from landform.embedded.access.keys import new_key, to_pem
from landform.embedded.access.private_files import UnusableFile
from landform.embedded.access.tokens import ISSUER, Bound, Claims, TokenRejected, Tokens, why_revoked

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path


class Counting:
    """Ids that are easy to recognise."""

    def uid(self) -> str:
        return "00000000-0000-4000-8000-000000000001"

    def suffix(self) -> str:
        return "bbbbb"


TOKENS = Tokens(new_key(), ids=Counting())
NOW = int(START.timestamp())


def issued(
    tokens: Tokens = TOKENS,
    audiences: tuple[str, ...] = (ISSUER,),
    expires_in: int | None = 3600,
    bound: Bound | None = None,
    now: datetime = START,
) -> str:
    return tokens.issue("blue", "robot", "u-1", audiences=audiences, expires_in=expires_in, bound=bound, now=now)


def part(token: str, index: int) -> dict[str, Any]:
    text = token.split(".")[index]
    decoded: dict[str, Any] = json.loads(base64.urlsafe_b64decode(text + "=="))
    return decoded


def encoded(data: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(data).encode()).rstrip(b"=").decode()


def rejection(token: str, audiences: tuple[str, ...] = (), now: datetime = START, tokens: Tokens = TOKENS) -> str:
    with pytest.raises(TokenRejected) as rejected:
        tokens.verify(token, audiences, now)
    return str(rejected.value)


def at(seconds: int) -> datetime:
    return START.fromtimestamp(NOW + seconds, START.tzinfo)


def test_a_token_says_what_kubernetes_tokens_say() -> None:
    token = issued(bound=Bound("Pod", "p", "u-2"))
    assert part(token, 0) == {"alg": "ES256", "kid": TOKENS.key_id}
    assert part(token, 1) == {
        "iss": ISSUER,
        "aud": [ISSUER],
        "sub": "system:serviceaccount:blue:robot",
        "iat": NOW,
        "nbf": NOW,
        "exp": NOW + 3600,
        "jti": "00000000-0000-4000-8000-000000000001",
        "kubernetes.io": {
            "namespace": "blue",
            "serviceaccount": {"name": "robot", "uid": "u-1"},
            "pod": {"name": "p", "uid": "u-2"},
        },
    }


@pytest.mark.parametrize(
    "bound", [None, Bound("Pod", "p", "u-2"), Bound("Secret", "s", "u-3"), Bound("Node", "n", "u-4")]
)
def test_what_is_issued_is_read_back(bound: Bound | None) -> None:
    claims = TOKENS.verify(issued(bound=bound), (), START)
    expected = Claims("blue", "robot", "u-1", (ISSUER,), NOW + 3600, "00000000-0000-4000-8000-000000000001", bound)
    assert claims == expected


def test_the_user_of_a_token_is_the_service_account_with_its_groups() -> None:
    user = TOKENS.verify(issued(bound=Bound("Pod", "p", "u-2")), (), START).user()
    assert (user.name, user.uid) == ("system:serviceaccount:blue:robot", "u-1")
    assert user.groups == ("system:serviceaccounts", "system:serviceaccounts:blue", "system:authenticated")
    assert user.extra == {
        "authentication.kubernetes.io/credential-id": ("JTI=00000000-0000-4000-8000-000000000001",),
        "authentication.kubernetes.io/pod-name": ("p",),
        "authentication.kubernetes.io/pod-uid": ("u-2",),
    }


def test_a_token_is_in_force_from_its_making_to_its_end_give_or_take_a_minute() -> None:
    token = issued()
    for seconds in (-60, 0, 3600, 3660):
        TOKENS.verify(token, (), at(seconds))
    assert rejection(token, now=at(-61)) == "service account token is not valid yet"
    assert rejection(token, now=at(3661)) == "service account token has expired"


def test_a_token_without_end_is_in_force_for_ever() -> None:
    assert TOKENS.verify(issued(expires_in=None), (), at(100 * 365 * 24 * 3600)).expires is None


@pytest.mark.parametrize(
    ("made_for", "wanted", "common"),
    [
        ((ISSUER,), (), (ISSUER,)),
        ((), (), (ISSUER,)),
        ((), (ISSUER,), (ISSUER,)),
        (("vault", ISSUER), ("vault",), ("vault",)),
        (("vault",), ("vault", "other"), ("vault",)),
    ],
)
def test_a_token_serves_the_audiences_it_was_made_for(
    made_for: tuple[str, ...], wanted: tuple[str, ...], common: tuple[str, ...]
) -> None:
    assert TOKENS.verify(issued(audiences=made_for), wanted, START).audiences == common


def test_a_token_for_others_is_refused() -> None:
    text = f'token audiences ["vault"] is invalid for the target audiences ["{ISSUER}"]'
    assert rejection(issued(audiences=("vault",))) == text
    assert "is invalid for the target audiences" in rejection(issued(audiences=()), audiences=("vault",))


def test_a_token_of_another_key_or_issuer_is_refused() -> None:
    assert rejection(issued(Tokens(new_key()))) == "invalid signature, no keys found"
    assert rejection(issued(Tokens(TOKENS.key, "https://elsewhere"))) == "invalid bearer token"


def test_a_forged_header_does_not_help() -> None:
    header, payload, signature = issued().split(".")
    forgeries: list[object] = [
        {"alg": "none", "kid": TOKENS.key_id},
        {"alg": "HS256", "kid": TOKENS.key_id},
        {"alg": "ES256", "kid": TOKENS.key_id, "crit": ["b64"], "b64": False},
        {"alg": "ES256"},
        {},
        [],
        "text",
    ]
    for forged in forgeries:
        assert rejection(f"{encoded(forged)}.{payload}.{signature}") in (
            "invalid bearer token",
            "invalid signature, no keys found",
        )
        rejection(f"{encoded(forged)}.{payload}.")
    assert TOKENS.verify(f"{header}.{payload}.{signature}", (), START)


def test_a_changed_payload_is_refused() -> None:
    header, _, signature = issued().split(".")
    payload = part(issued(), 1)
    payload["kubernetes.io"]["serviceaccount"]["name"] = "admin"
    assert rejection(f"{header}.{encoded(payload)}.{signature}") == "invalid bearer token"


@given(st.data())
def test_no_token_that_differs_in_one_character_is_accepted(data: st.DataObject) -> None:
    token = issued()
    index = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.sampled_from("ABab01-_.= \né").filter(lambda character: character != token[index]))
    rejection(token[:index] + other + token[index + 1 :])


@given(st.one_of(st.text(), st.from_regex(r"\A[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*\Z")))
def test_no_text_is_taken_for_a_token_or_breaks_the_check(text: str) -> None:
    assert rejection(text) in ("invalid bearer token", "invalid signature, no keys found")


@pytest.mark.parametrize("signature", ["", "AA", "A" * 86, "A" * 87 + "="])
def test_signatures_of_no_or_zero_value_are_refused(signature: str) -> None:
    header, payload, _ = issued().split(".")
    assert rejection(f"{header}.{payload}.{signature}") == "invalid bearer token"


def test_absurd_tokens_are_refused_without_harm() -> None:
    nested = base64.urlsafe_b64encode(b'{"x":' * 5000 + b"1" + b"}" * 5000).rstrip(b"=").decode()
    assert rejection(f"{nested}.{nested}.AA") == "invalid bearer token"
    assert rejection("a" * 10_000_000) == "invalid bearer token"
    assert rejection("\ud800.\ud800.\ud800") == "invalid bearer token"


def test_a_rejection_never_quotes_the_token() -> None:
    header, payload, signature = issued(audiences=("vault",)).split(".")
    said = rejection(f"{header}.{payload}.{signature}")
    assert not any(piece in said for piece in (header, payload, signature))


def test_the_key_is_kept_in_the_folder_and_shown_nowhere(tmp_path: Path) -> None:
    first = Tokens.load_or_create(tmp_path)
    assert Tokens.load_or_create(tmp_path).verify(issued(first), (), START).name == "robot"
    assert (tmp_path / "service-account-key.pem").stat().st_mode & 0o777 == 0o600
    assert repr(first) == f"Tokens(issuer='{ISSUER}', key_id='{first.key_id}')"


@pytest.mark.parametrize("text", ["", "garbage", to_pem(ec.generate_private_key(ec.SECP384R1()))])
def test_a_broken_key_is_told_in_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "service-account-key.pem").write_text(text)
    with pytest.raises(UnusableFile, match=r"service-account-key.pem .* key; restore it from a backup, or delete it"):
        Tokens.load_or_create(tmp_path)


def stored(uid: str, deleted: str = "") -> dict[str, Any]:
    return {"metadata": {"uid": uid, **({"deletionTimestamp": deleted} if deleted else {})}}


@pytest.mark.parametrize(
    ("account", "bound", "reason"),
    [
        (stored("u-1"), stored("u-2"), ""),
        (stored("u-1", "2030-01-01T11:59:30Z"), stored("u-2", "2030-01-01T12:30:00Z"), ""),
        (None, stored("u-2"), 'serviceaccounts "robot" not found'),
        (stored("u-9"), stored("u-2"), "service account UID (u-9) does not match claim (u-1)"),
        (stored("u-1", "2030-01-01T11:58:00Z"), stored("u-2"), "service account blue/robot has been deleted"),
        (stored("u-1"), None, "service account token has been invalidated"),
        (stored("u-1"), stored("u-9"), "service account token has been invalidated"),
        (stored("u-1"), stored("u-2", "2030-01-01T11:58:00Z"), "service account token has been invalidated"),
    ],
)
def test_a_token_dies_with_its_account_and_with_what_it_is_bound_to(
    account: dict[str, Any] | None, bound: dict[str, Any] | None, reason: str
) -> None:
    claims = TOKENS.verify(issued(bound=Bound("Secret", "s", "u-2")), (), START)
    assert why_revoked(claims, account, bound, START) == reason


def test_a_token_that_is_bound_to_nothing_needs_only_its_account() -> None:
    assert why_revoked(TOKENS.verify(issued(), (), START), stored("u-1"), None, START) == ""
