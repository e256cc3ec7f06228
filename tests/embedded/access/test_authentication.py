"""From an Authorization header to a user."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from tests.embedded.access.support import StillClock

from landform.cluster.errors import Unauthorized
from landform.embedded.access import authentication
from landform.embedded.access.authentication import Authenticator
from landform.embedded.access.keys import new_key
from landform.embedded.access.tokens import ISSUER, Claims, TokenRejected, Tokens
from landform.embedded.access.users import ADMIN, ANONYMOUS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime


@dataclass(frozen=True)
class CountingTokens(Tokens):
    """Remembers how often a signature was checked."""

    checked: list[str] = field(default_factory=list, repr=False)

    def verify(self, token: str, audiences: Sequence[str], now: datetime) -> Claims:
        self.checked.append(token)
        return super().verify(token, audiences, now)


@dataclass
class World:
    """An authenticator with everything around it in view."""

    clock: StillClock = field(default_factory=StillClock)
    tokens: CountingTokens = field(default_factory=lambda: CountingTokens(new_key()))
    revoked: str = ""

    def __post_init__(self) -> None:
        self.authenticator = Authenticator(
            lambda token: token == "admin-secret", self.tokens, lambda _claims: self.revoked, self.clock
        )

    def token(self, name: str = "robot", audiences: Sequence[str] = (), expires_in: int | None = 3600) -> str:
        now = self.clock.now()
        return self.tokens.issue("blue", name, "u-1", audiences=audiences, expires_in=expires_in, now=now)

    def user_name(self, token: str) -> str:
        return self.authenticator.authenticate(f"Bearer {token}").name


@pytest.fixture
def world() -> World:
    return World()


@pytest.mark.parametrize(
    "header", [None, "", "  ", "Basic YTpi", "Bearer", "Bearer ", "Bearer  admin-secret", "admin-secret"]
)
def test_no_header_and_other_schemes_mean_anonymous(world: World, header: str | None) -> None:
    assert world.authenticator.authenticate(header) == ANONYMOUS


@pytest.mark.parametrize("header", ["Bearer admin-secret", "bearer admin-secret", "  BEARER admin-secret  "])
def test_the_admin_token_makes_the_admin(world: World, header: str) -> None:
    assert world.authenticator.authenticate(header) == ADMIN
    assert ADMIN.is_admin


def test_a_service_account_token_makes_the_service_account(world: World) -> None:
    assert world.user_name(world.token()) == "system:serviceaccount:blue:robot"


@pytest.mark.parametrize("token", ["wrong", "a.b.c", "\udcff", "x" * 100_000])
def test_any_other_token_is_refused_without_a_reason(world: World, token: str) -> None:
    with pytest.raises(Unauthorized) as refusal:
        world.user_name(token)
    assert str(refusal.value) == "Unauthorized"
    assert refusal.value.__cause__ is None


def test_a_token_made_for_others_does_not_open_this_api(world: World) -> None:
    with pytest.raises(Unauthorized):
        world.user_name(world.token(audiences=["vault"]))


def test_a_signature_is_checked_once(world: World) -> None:
    token = world.token()
    assert [world.user_name(token) for _ in range(5)] == ["system:serviceaccount:blue:robot"] * 5
    assert world.tokens.checked == [token]


def test_a_remembered_token_still_ends_at_its_time(world: World) -> None:
    token = world.token()
    world.user_name(token)
    world.clock.advance(3661)
    with pytest.raises(Unauthorized):
        world.user_name(token)


def test_a_remembered_token_dies_with_its_account_and_lives_again_with_it(world: World) -> None:
    token = world.token()
    world.user_name(token)
    world.revoked = "gone"
    with pytest.raises(Unauthorized):
        world.user_name(token)
    world.revoked = ""
    assert world.user_name(token) == "system:serviceaccount:blue:robot"


def test_a_wrong_token_is_never_remembered(world: World) -> None:
    for _ in range(2):
        with pytest.raises(Unauthorized):
            world.user_name("a.b.c")
    assert world.tokens.checked == ["a.b.c", "a.b.c"]


def test_only_the_latest_tokens_are_remembered(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(authentication, "REMEMBERED", 2)
    one, two, three = (world.token(name) for name in ("one", "two", "three"))
    for token in (one, two, one, three, one, two):
        world.user_name(token)
    assert world.tokens.checked == [one, two, three, two]


def test_the_authenticator_shows_no_token_in_its_repr(world: World) -> None:
    token = world.token()
    world.user_name(token)
    assert token not in repr(world.authenticator)


def test_a_review_tells_whose_token_it_is_and_for_whom(world: World) -> None:
    verified = world.authenticator.verify(world.token(audiences=["vault", ISSUER]), ["vault"])
    assert (verified.user.name, verified.audiences) == ("system:serviceaccount:blue:robot", ("vault",))


def test_a_review_of_the_admin_token_knows_only_the_audience_of_this_api(world: World) -> None:
    assert world.authenticator.verify("admin-secret", ()) == (ADMIN, (ISSUER,))
    assert world.authenticator.verify("admin-secret", ["vault", ISSUER]) == (ADMIN, (ISSUER,))
    with pytest.raises(TokenRejected):
        world.authenticator.verify("admin-secret", ["vault"])


def test_a_review_tells_the_reason_of_a_refusal(world: World) -> None:
    world.revoked = "service account blue/robot has been deleted"
    with pytest.raises(TokenRejected, match="blue/robot has been deleted"):
        world.authenticator.verify(world.token(), ())
