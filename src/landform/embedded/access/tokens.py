"""ServiceAccount tokens: signed statements of who someone is, for whom, and until when.

They are JSON Web Tokens with the claims that Kubernetes writes, signed with ES256 and a key of our own.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from landform.embedded.access.keys import from_pem, new_key, to_pem
from landform.embedded.access.private_files import read_or_create
from landform.embedded.access.users import AUTHENTICATED, User, service_account_groups, service_account_name
from landform.embedded.access.wording import quoted_list
from landform.kit.clocks import parse_rfc3339
from landform.kit.ids import Ids, RandomIds
from landform.kit.quoting import quote

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from landform.cluster.resources import Unstructured

ISSUER = "https://kubernetes.default.svc"
"""Who signs, and by default for whom: clients that compare with a usual Kubernetes find what they expect."""

LEEWAY = 60
"""Seconds by which the clock may have been set back or forth since a token was made; Kubernetes gives the same."""

T = TypeVar("T")

# No token of ours is nearly as long; what is longer is refused before anything is computed.
_LONGEST = 16 * 1024


class TokenRejected(Exception):
    """A token is not accepted. The text says why and never contains any part of the token."""


class _Reference(msgspec.Struct, frozen=True, omit_defaults=True):
    name: str = ""
    uid: str = ""


class _Kubernetes(msgspec.Struct, frozen=True, omit_defaults=True):
    namespace: str = ""
    node: _Reference | None = None
    pod: _Reference | None = None
    secret: _Reference | None = None
    serviceaccount: _Reference = _Reference()


class _Payload(msgspec.Struct, frozen=True, omit_defaults=True):
    aud: list[str] = []
    exp: int | None = None
    iat: int = 0
    iss: str = ""
    jti: str = ""
    kubernetes: _Kubernetes = msgspec.field(name="kubernetes.io", default=_Kubernetes())
    nbf: int = 0
    sub: str = ""


class _Header(msgspec.Struct, frozen=True):
    alg: str = ""
    kid: str = ""
    crit: Any = None


@dataclass(frozen=True)
class Bound:
    """An object that a token lives and dies with."""

    kind: str
    """``Pod``, ``Secret`` or ``Node``."""

    name: str
    uid: str


@dataclass(frozen=True)
class Claims:
    """What a verified token says."""

    namespace: str
    name: str
    uid: str
    audiences: tuple[str, ...]
    """Those of the token's audiences that were asked for."""

    expires: int | None
    """Seconds since 1970 after which the token is not accepted; None for tokens of Secrets."""

    token_id: str
    bound: Bound | None = None

    def user(self) -> User:
        """The ServiceAccount as a user."""
        extra: dict[str, tuple[str, ...]] = {}
        if self.bound is not None and self.bound.kind in ("Pod", "Node"):
            prefix = f"authentication.kubernetes.io/{self.bound.kind.lower()}"
            extra = {f"{prefix}-name": (self.bound.name,), f"{prefix}-uid": (self.bound.uid,)}
        if self.token_id:
            extra["authentication.kubernetes.io/credential-id"] = (f"JTI={self.token_id}",)
        groups = (*service_account_groups(self.namespace), AUTHENTICATED)
        return User(service_account_name(self.namespace, self.name), groups, self.uid, extra)


@dataclass(frozen=True)
class Tokens:
    """The maker and checker of ServiceAccount tokens."""

    key: ec.EllipticCurvePrivateKey = field(repr=False)
    issuer: str = ISSUER
    ids: Ids = field(default_factory=RandomIds, repr=False)
    key_id: str = field(init=False)
    """Names the key in a token's header without giving it away: a hash of the public key, as Kubernetes does it."""

    def __post_init__(self) -> None:
        public = self.key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        object.__setattr__(self, "key_id", _encoded(hashlib.sha256(public).digest()))

    @classmethod
    def load_or_create(cls, folder: Path, issuer: str = ISSUER, ids: Ids | None = None) -> Tokens:
        """With the key in the folder; made if there is none. UnusableFile if it is broken."""
        path = folder / "service-account-key.pem"
        return cls(from_pem(read_or_create(path, lambda: to_pem(new_key())), path), issuer, ids or RandomIds())

    def issue(
        self,
        namespace: str,
        name: str,
        uid: str,
        *,
        audiences: Sequence[str],
        expires_in: int | None,
        now: datetime,
        bound: Bound | None = None,
    ) -> str:
        """A token for the ServiceAccount; without `audiences` it serves for this API, without `expires_in` for ever."""
        begin = int(now.timestamp())
        references = {bound.kind.lower(): _Reference(bound.name, bound.uid)} if bound is not None else {}
        payload = _Payload(
            aud=list(audiences),
            exp=begin + expires_in if expires_in is not None else None,
            iat=begin,
            iss=self.issuer,
            jti=self.ids.uid(),
            kubernetes=_Kubernetes(namespace=namespace, serviceaccount=_Reference(name, uid), **references),
            nbf=begin,
            sub=service_account_name(namespace, name),
        )
        return self._signed(msgspec.json.encode(payload))

    def verify(self, token: str, audiences: Sequence[str], now: datetime) -> Claims:
        """What the token says; TokenRejected unless we signed it, for one of these audiences, and it is in force.

        Without `audiences`, those of this API. Whether the ServiceAccount and the bound object still exist is not
        known here: see `why_revoked`.
        """
        payload = self._payload(token)
        wanted = tuple(audiences) or (self.issuer,)
        given = payload.aud or [self.issuer]
        common = tuple(audience for audience in given if audience in wanted)
        if not common:
            raise TokenRejected(
                f"token audiences {quoted_list(given)} is invalid for the target audiences {quoted_list(wanted)}"
            )
        _check_times(payload, now.timestamp())
        return _claims(payload, common)

    def _signed(self, payload: bytes) -> str:
        header = msgspec.json.encode({"alg": "ES256", "kid": self.key_id})
        signed = f"{_encoded(header)}.{_encoded(payload)}"
        r, s = decode_dss_signature(self.key.sign(signed.encode(), ec.ECDSA(SHA256())))
        return f"{signed}.{_encoded(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"

    def _payload(self, token: str) -> _Payload:
        """The payload of a token that we signed."""
        parts = token.split(".") if len(token) <= _LONGEST else []
        if len(parts) != 3:
            raise TokenRejected("invalid bearer token")
        header = _parsed(_decoded(parts[0]), _Header)
        if header.alg != "ES256" or header.crit is not None:
            raise TokenRejected("invalid bearer token")
        if header.kid != self.key_id:
            raise TokenRejected("invalid signature, no keys found")
        self._check_signature(f"{parts[0]}.{parts[1]}".encode(), _decoded(parts[2]))
        payload = _parsed(_decoded(parts[1]), _Payload)
        if payload.iss != self.issuer:
            raise TokenRejected("invalid bearer token")
        return payload

    def _check_signature(self, signed: bytes, signature: bytes) -> None:
        if len(signature) != 64:
            raise TokenRejected("invalid bearer token")
        numbers = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
        try:
            self.key.public_key().verify(encode_dss_signature(*numbers), signed, ec.ECDSA(SHA256()))
        except InvalidSignature:
            raise TokenRejected("invalid bearer token") from None


def why_revoked(claims: Claims, account: Unstructured | None, bound: Unstructured | None, now: datetime) -> str:
    """Why a token is no longer accepted although it is in force; empty if it is.

    `account` is the ServiceAccount of that name as it is stored now, `bound` the object that the claims are bound to;
    None if there is none.
    """
    if account is None:
        return f"serviceaccounts {quote(claims.name)} not found"
    if account["metadata"].get("uid") != claims.uid:
        return f"service account UID ({account['metadata'].get('uid', '')}) does not match claim ({claims.uid})"
    if _is_deleted(account, now):
        return f"service account {claims.namespace}/{claims.name} has been deleted"
    if claims.bound is None:
        return ""
    if bound is None or bound["metadata"].get("uid") != claims.bound.uid or _is_deleted(bound, now):
        return "service account token has been invalidated"
    return ""


def _is_deleted(obj: Unstructured, now: datetime) -> bool:
    """Whether the object only waits for its finalizers; a pod's last moments still count as life."""
    deleted = obj["metadata"].get("deletionTimestamp")
    return bool(deleted) and parse_rfc3339(deleted).timestamp() < now.timestamp() - LEEWAY


def _check_times(payload: _Payload, now: float) -> None:
    if payload.nbf > now + LEEWAY:
        raise TokenRejected("service account token is not valid yet")
    if payload.exp is not None and payload.exp < now - LEEWAY:
        raise TokenRejected("service account token has expired")
    if payload.iat > now + LEEWAY:
        raise TokenRejected("service account token is issued in the future")


def _claims(payload: _Payload, audiences: tuple[str, ...]) -> Claims:
    known = payload.kubernetes
    references = (("Pod", known.pod), ("Secret", known.secret), ("Node", known.node))
    bound = next((Bound(kind, each.name, each.uid) for kind, each in references if each is not None), None)
    account = known.serviceaccount
    return Claims(known.namespace, account.name, account.uid, audiences, payload.exp, payload.jti, bound)


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _decoded(part: str) -> bytes:
    try:
        data = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except (ValueError, binascii.Error):
        raise TokenRejected("invalid bearer token") from None
    # Python's decoder skips foreign characters and ignores spare bits: only what we would write is accepted.
    if _encoded(data) != part:
        raise TokenRejected("invalid bearer token")
    return data


def _parsed(data: bytes, model: type[T]) -> T:
    try:
        return msgspec.json.decode(data, type=model)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        raise TokenRejected("invalid bearer token") from None
