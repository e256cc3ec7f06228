"""From an Authorization header to a user."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from landform.cluster.errors import Unauthorized
from landform.embedded.access.tokens import LEEWAY, Claims, TokenRejected, Tokens
from landform.embedded.access.users import ADMIN, ANONYMOUS, User

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from landform.kit.clocks import Clock

REMEMBERED = 1024
"""How many verified tokens are remembered: checking a signature costs more than the rest of a small request."""


class Verified(NamedTuple):
    """Whose token it is, and which of the wanted audiences it serves."""

    user: User
    audiences: tuple[str, ...]


@dataclass
class Authenticator:
    """Says who sends a request.

    `is_admin_token` is `Authority.is_admin_token`. `why_revoked` is asked at every request, also for remembered
    tokens, and says why the ServiceAccount or the bound object of the claims is not there any more; empty if all is
    well (see `tokens.why_revoked`).
    """

    is_admin_token: Callable[[str], bool]
    tokens: Tokens
    why_revoked: Callable[[Claims], str]
    clock: Clock
    _remembered: OrderedDict[bytes, tuple[Claims, User]] = field(default_factory=OrderedDict, init=False, repr=False)

    def authenticate(self, authorization: str | None) -> User:
        """The sender of a request with this header; Unauthorized if it holds a token that is not accepted.

        As on the API server, no header, or one of another scheme than Bearer, means anonymous.
        """
        token = _bearer_token(authorization or "")
        if not token:
            return ANONYMOUS
        if self.is_admin_token(token):
            return ADMIN
        try:
            claims, user = self._known(token)
            self._check_not_revoked(claims)
        except TokenRejected:
            # The caller learns no more than that; a TokenReview tells the reason to those who may ask.
            raise Unauthorized("Unauthorized") from None
        return user

    def verify(self, token: str, audiences: Sequence[str]) -> Verified:
        """Whose token it is, for a TokenReview; without `audiences`, as a token for this API. TokenRejected if not."""
        own = self.tokens.issuer
        if self.is_admin_token(token):
            if audiences and own not in audiences:
                raise TokenRejected("invalid bearer token")
            return Verified(ADMIN, (own,))
        claims = self.tokens.verify(token, audiences, self.clock.now())
        self._check_not_revoked(claims)
        return Verified(claims.user(), claims.audiences)

    def _known(self, token: str) -> tuple[Claims, User]:
        """What the token says, from memory if it was verified before and is still in force."""
        # Remembered by its hash: the token itself stays nowhere, and a lookup tells nothing about near misses.
        key = hashlib.sha256(token.encode("utf-8", "replace")).digest()
        known = self._remembered.get(key)
        if known is not None and self._is_in_force(known[0]):
            self._remembered.move_to_end(key)
            return known
        self._remembered.pop(key, None)
        claims = self.tokens.verify(token, (), self.clock.now())
        known = self._remembered[key] = claims, claims.user()
        if len(self._remembered) > REMEMBERED:
            self._remembered.popitem(last=False)
        return known

    def _is_in_force(self, claims: Claims) -> bool:
        return claims.expires is None or self.clock.now().timestamp() <= claims.expires + LEEWAY

    def _check_not_revoked(self, claims: Claims) -> None:
        reason = self.why_revoked(claims)
        if reason:
            raise TokenRejected(reason)


def _bearer_token(authorization: str) -> str:
    scheme, _, rest = authorization.strip().partition(" ")
    return rest.partition(" ")[0] if scheme.lower() == "bearer" else ""
