"""OCI registries, read over HTTP: manifests, blobs, tags."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar
from urllib.parse import urlencode, urlsplit

import msgspec

from landform.components import challenges, credentials, digests, references
from landform.components.artifacts import MANIFEST_TYPES, Manifest
from landform.components.blobs import Blob
from landform.components.credentials import Consumer, Credentials, Identity
from landform.components.errors import AccessDenied, Corrupt, InvalidReference, NotFound, RepositoryError, TooLarge
from landform.components.httpclients import Ask, Challenged, HttpClient, read_body

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    import aiohttp

    from landform.components.caches import BlobCache, Incoming
    from landform.components.challenges import Challenge
    from landform.components.limits import Limits
    from landform.components.references import Authority
    from landform.components.savings import Saving

T = TypeVar("T")
P = ParamSpec("P")

_HUB, _HUB_HOST = "docker.io", "registry-1.docker.io"
_ACCEPT = ", ".join(MANIFEST_TYPES)
_CHUNK = 1024 * 1024
_TOKEN_SECONDS = 60.0
_TOKEN_MARGIN = 10.0
_MOST_TOKEN_BYTES = 256 * 1024
_MOST_TAG_PAGES = 100


class Downloads:
    """Content that is being fetched right now, so that nothing is fetched twice at the same time."""

    def __init__(self, saving: Saving | None = None) -> None:
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}
        self.saving = saving
        """Where small content is put into the cache beside everything else; None: whoever fetched it waits for that."""

    async def once(self, digest: str, look: Callable[[], Awaitable[T | None]], fetch: Callable[[], Awaitable[T]]) -> T:
        """What `look` finds, or else what `fetch` brings; others that want the same wait and look again."""
        lock, users = self._locks.get(digest, (asyncio.Lock(), 0))
        self._locks[digest] = (lock, users + 1)
        try:
            async with lock:
                found = await look()
                return await fetch() if found is None else found
        finally:
            lock, users = self._locks[digest]
            if users == 1:
                del self._locks[digest]
            else:
                self._locks[digest] = (lock, users - 1)


@dataclass
class Registry:
    """One registry, with the credentials of one user of it."""

    authority: Authority
    http: HttpClient
    cache: BlobCache
    limits: Limits
    consumers: tuple[Consumer, ...] = field(default=(), repr=False)
    downloads: Downloads = field(default_factory=Downloads)
    _tokens: dict[tuple[str, Credentials | None], tuple[str, float]] = field(
        default_factory=dict, init=False, repr=False
    )

    _renewing: dict[tuple[str, Credentials | None], asyncio.Lock] = field(default_factory=dict, init=False, repr=False)

    async def manifest(self, repository: str, reference: str) -> Manifest:
        if digests.is_digest(reference):
            return await self._manifest_by_digest(repository, reference)
        content, media_type = await self._get_manifest(repository, reference)
        return Manifest(content, media_type, digests.of(content))

    async def blob(self, repository: str, digest: str, limit: int) -> Blob:
        where = f"the blob {digest} of {self.place(repository)}"
        if not digests.is_digest(digest):
            raise Corrupt(f"{self.place(repository)} names a blob by {digest[:100]!r}, which is not a digest")

        async def look() -> Blob | None:
            saving = self.downloads.saving
            content = saving.kept(digest) if saving is not None else None
            if content is not None:
                return Blob(content)
            path = await self._cached(digest)
            return Blob(path) if path else None

        async def fetch() -> Blob:
            return await self._download(repository, digest, limit, where)

        blob = await self.downloads.once(digest, look, fetch)
        if blob.size > limit:
            raise TooLarge(f"{where} has {blob.size} bytes; {limit} are allowed")
        return blob

    async def tags(self, repository: str) -> list[str]:
        found: list[str] = []
        path = f"/v2/{_checked(repository)}/tags/list"
        for _ in range(_MOST_TAG_PAGES):
            try:
                body, link = await self._get(repository, path, {}, self._body_and_link)
            except NotFound:
                return found
            value = _json(body, f"the list of tags of {self.place(repository)}")
            found += [tag for tag in value.get("tags") or () if isinstance(tag, str)]
            if not link:
                return found
            path = link
        return found

    def place(self, repository: str) -> str:
        return f"{self.authority.host}/{repository}" if repository else self.authority.host

    async def _manifest_by_digest(self, repository: str, digest: str) -> Manifest:
        path = await self._cached(digest)
        if path is not None:
            content = await Blob(path).read(self.limits.manifest)
            return Manifest(content, str(_json(content, f"the manifest {digest}").get("mediaType") or ""), digest)
        content, media_type = await self._get_manifest(repository, digest)
        digests.checked(content, digest, f"the manifest {digest} of {self.place(repository)}")
        await _on_disk(self.cache.put, digest, content)
        return Manifest(content, media_type, digest)

    async def _get_manifest(self, repository: str, reference: str) -> tuple[bytes, str]:
        where = f"{self.place(repository)}:{reference}"

        async def consume(response: aiohttp.ClientResponse) -> tuple[bytes, str, str]:
            too_large = TooLarge(f"the manifest of {where} has more than the {self.limits.manifest} bytes allowed")
            body = await read_body(response, self.limits.manifest, lambda: too_large)
            return body, response.content_type, response.headers.get("Docker-Content-Digest", "")

        path = f"/v2/{_checked(repository)}/manifests/{reference}"
        try:
            body, media_type, stated = await self._get(repository, path, {"Accept": _ACCEPT}, consume)
        except NotFound as error:
            raise NotFound(f'oci artifact "{where}" not found in {repository}') from error
        if stated:
            digests.checked(body, stated, f"the manifest of {where}")
        return body, media_type

    async def _cached(self, digest: str) -> Path | None:
        return None if self.cache.lacks(digest) else await _on_disk(self.cache.get, digest)

    async def _download(self, repository: str, digest: str, limit: int, where: str) -> Blob:
        async def consume(response: aiohttp.ClientResponse) -> Blob:
            size = response.content_length
            if (size or 0) > limit:
                raise TooLarge(f"{where} has {size} bytes; {limit} are allowed")
            if size is not None and size <= _CHUNK:
                return await self._receive_small(response, digest, size, where)
            return await self._receive_large(response, digest, limit, where)

        try:
            return await self._get(repository, f"/v2/{_checked(repository)}/blobs/{digest}", {}, consume)
        except NotFound as error:
            raise NotFound(f"{where} is not there: {error}") from error
        except Corrupt as error:
            raise Corrupt(f"{where} does not match its digest: {error}") from error

    async def _receive_small(self, response: aiohttp.ClientResponse, digest: str, size: int, where: str) -> Blob:
        """Content that is worth only one change of thread; it stays in memory for whoever wants it now."""
        too_large = TooLarge(f"{where} has more than the {size} bytes that were announced")
        content = await read_body(response, size, lambda: too_large)
        if self.downloads.saving is not None:
            await self.downloads.saving.keep(digest, digests.checked(content, digest, where))
        else:
            await _on_disk(self.cache.put, digest, content)
        return Blob(content)

    async def _receive_large(self, response: aiohttp.ClientResponse, digest: str, limit: int, where: str) -> Blob:
        incoming = await _on_disk(self.cache.incoming, digest)
        try:
            await _receive(response, incoming, limit, where)
            return Blob(await _on_disk(incoming.finish))
        finally:
            await _on_disk(incoming.abandon)

    async def _body_and_link(self, response: aiohttp.ClientResponse) -> tuple[bytes, str]:
        too_large = TooLarge(f"the list of tags of {self.authority.host} is too long")
        body = await read_body(response, self.limits.manifest, lambda: too_large)
        link = response.links.get("next")
        return body, _path_of(str(link["url"])) if link else ""

    async def _get(
        self,
        repository: str,
        path: str,
        headers: dict[str, str],
        consume: Callable[[aiohttp.ClientResponse], Awaitable[T]],
    ) -> T:
        """Ask with what is known, then once more with what the registry wants to know."""
        known = self._credentials(repository)
        host = _HUB_HOST if self.authority.host == _HUB else self.authority.host
        url, where = f"{self.authority.scheme}://{host}{path}", f"GET {self.place(repository)}"
        authority = known.certificate_authority if known else ""
        token = self._token(repository, known)
        if token:
            headers = {**headers, "Authorization": token}
        try:
            return await self.http.fetch(Ask(url, headers, where, authority), consume)
        except Challenged as challenged:
            offered = challenges.parse(challenged.challenges)
        token = await self._renewed(token, repository, known, offered, where)
        try:
            return await self.http.fetch(Ask(url, {**headers, "Authorization": token}, where, authority), consume)
        except Challenged as challenged:
            self._tokens.pop((repository, known), None)
            raise AccessDenied(
                f"{where}: response status code 401: Unauthorized; the registry refused the credentials"
            ) from challenged

    def _credentials(self, repository: str) -> Credentials | None:
        authority = self.authority
        request = Identity(hostname=authority.hostname, port=authority.port or "", path=repository)
        return credentials.best(self.consumers, request)

    def _token(self, repository: str, known: Credentials | None) -> str:
        token, expires = self._tokens.get((repository, known), ("", 0.0))
        return token if expires > self.http.surroundings.clock.monotonic() else ""

    async def _renewed(
        self, refused: str, repository: str, known: Credentials | None, offered: list[Challenge], where: str
    ) -> str:
        """Another token than the one that was refused. Many may find out at the same time; one of them asks."""
        async with self._renewing.setdefault((repository, known), asyncio.Lock()):
            token = self._token(repository, known)
            return token if token and token != refused else await self._authenticate(repository, known, offered, where)

    async def _authenticate(
        self, repository: str, known: Credentials | None, offered: list[Challenge], where: str
    ) -> str:
        """The Authorization header that the registry asks for."""
        has_password = known is not None and bool(known.username or known.password)
        for challenge in offered:
            if challenge.scheme == "bearer":
                token, seconds = await self._fetch_token(repository, known, challenge, where)
                header = f"Bearer {token}"
            elif challenge.scheme == "basic" and has_password and known is not None:
                header, seconds = challenges.basic(known), float("inf")
            else:
                continue
            until = self.http.surroundings.clock.monotonic() + seconds - _TOKEN_MARGIN
            self._tokens[(repository, known)] = (header, until)
            return header
        raise AccessDenied(
            f"{where}: basic credential not found; the registry wants to know who asks, and no credentials fit it"
        )

    async def _fetch_token(
        self, repository: str, known: Credentials | None, challenge: Challenge, where: str
    ) -> tuple[str, float]:
        realm = urlsplit(challenge.realm)
        if realm.scheme not in ("https", self.authority.scheme) or not realm.hostname:
            raise AccessDenied(
                f"{where}: the registry names {challenge.realm[:100]!r} for tokens, which is not allowed"
            )
        ask = _token_ask(challenge, repository, known)
        where = f"the token service {realm.hostname} of {self.authority.host}"
        too_large = TooLarge(f"{where} sent a token of more than {_MOST_TOKEN_BYTES} bytes")
        try:
            body = await self.http.fetch(
                ask, lambda response: read_body(response, _MOST_TOKEN_BYTES, lambda: too_large)
            )
        except Challenged as challenged:
            raise AccessDenied(f"{where} refused the credentials: 401 Unauthorized") from challenged
        except NotFound as error:
            # Not the NotFound of a lookup, which would go on elsewhere.
            raise AccessDenied(f"{where} is not there: {error}") from error
        value = _json(body, where)
        token, seconds = value.get("token") or value.get("access_token"), value.get("expires_in")
        if not isinstance(token, str):
            raise AccessDenied(f"{where} gave no token")
        return token, float(seconds) if isinstance(seconds, int | float) and seconds > 0 else _TOKEN_SECONDS


async def _receive(response: aiohttp.ClientResponse, incoming: Incoming, limit: int, where: str) -> None:
    """Write a body to disk as it comes, in pieces that are worth a change of thread."""
    size, pending = 0, bytearray()
    async for chunk in response.content.iter_any():
        size += len(chunk)
        if size > limit:
            raise TooLarge(f"{where} has more than the {limit} bytes that are allowed")
        pending += chunk
        if len(pending) >= _CHUNK:
            await _on_disk(incoming.write, bytes(pending))
            pending.clear()
    await _on_disk(incoming.write, bytes(pending))


async def _on_disk(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Work on the cache in a thread. Its troubles are not those of the registry, which would be asked again."""
    try:
        return await asyncio.to_thread(function, *args, **kwargs)
    except OSError as error:
        raise RepositoryError(f"the cache of components cannot be used: {error}") from error


def _token_ask(challenge: Challenge, repository: str, known: Credentials | None) -> Ask:
    scope = challenge.scope or f"repository:{repository}:pull"
    where, authority = "the token service", known.certificate_authority if known else ""
    fields = {"service": challenge.service, "scope": scope}
    if known and known.identity_token:
        form = {**fields, "grant_type": "refresh_token", "client_id": "landform", "refresh_token": known.identity_token}
        return Ask(challenge.realm, {}, where, authority, form)
    separator = "&" if "?" in challenge.realm else "?"
    headers = {"Authorization": challenges.basic(known)} if known and (known.username or known.password) else {}
    return Ask(f"{challenge.realm}{separator}{urlencode(fields)}", headers, where, authority)


def _checked(repository: str) -> str:
    if not references.is_repository(repository):
        raise InvalidReference(f"{repository!r} cannot be the name of a repository in a registry")
    return repository


def _path_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def _json(content: bytes, what: str) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Corrupt(f"{what} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise Corrupt(f"{what} is not a JSON object")
    return value
