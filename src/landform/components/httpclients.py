"""HTTP to registries and chart repositories: connections, TLS, proxies, redirects, retries, limits. Reads only."""

from __future__ import annotations

import asyncio
import ssl
import urllib.request
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self, TypeVar
from urllib.parse import urljoin, urlsplit

import aiohttp

from landform import __version__
from landform.cluster.retries import Backoff, parse_retry_after
from landform.components.errors import AccessDenied, ConfigurationError, NotFound, RepositoryError, Unavailable
from landform.kit.surroundings import Surroundings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from pathlib import Path

    from landform.components.errors import ComponentError

T = TypeVar("T")

_REDIRECTS = (301, 302, 303, 307, 308)
_MOST_REDIRECTS = 5
_PASSING = (408, 425, 429, 500, 502, 503, 504)
_NO_TLS = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST")
"""What OpenSSL says, depending on its version, of a server that answers with something else; it will do so again."""

_CHUNK = 256 * 1024


@dataclass(frozen=True)
class HttpSettings:
    """How to speak to registries."""

    connect_seconds: float = 10.0
    """For making one connection."""

    silence_seconds: float = 30.0
    """For a connection on which nothing comes."""

    total_seconds: float = 600.0
    """For one piece of content, all tries together."""

    tries: int = 4
    """How often something is asked for before it counts as unavailable."""

    backoff: Backoff = field(default_factory=lambda: Backoff(first=0.5, longest=8.0))
    """Between tries, where the registry does not say how long to wait."""

    longest_wait: float = 30.0
    """What a registry may ask us to wait, in seconds; if it wants more, it counts as unavailable."""

    connections: int = 32
    """Connections at the same time, all registries together."""

    connections_per_host: int = 8
    """Connections at the same time to one registry."""

    ca_file: Path | None = None
    """Further certificate authorities in PEM form, beside those of the system."""

    verify: bool = True
    """Whether the certificates of registries are checked; only for trying things out."""

    plain: bool = True
    """Whether `http://` is followed where somebody wrote it."""

    proxies: Mapping[str, str] = field(default_factory=dict)
    """URL of the proxy by scheme (`http`, `https`), and `no` with the hosts that need none."""


def proxies_of_environment() -> dict[str, str]:
    """The proxies that the usual environment variables name."""
    return urllib.request.getproxies_environment()


@dataclass(frozen=True)
class Ask:
    """One thing to ask for."""

    url: str
    headers: Mapping[str, str] = field(repr=False)
    where: str
    """What to call it in errors."""

    certificate_authority: str = ""
    """Certificates in PEM form to trust instead of the system's."""

    form: Mapping[str, str] | None = field(default=None, repr=False)
    """Fields to post, for the exchange of tokens; everything else is a GET."""


class Challenged(Exception):
    """The answer was 401; its challenges say what is missing."""

    def __init__(self, challenges: list[str]) -> None:
        super().__init__("401")
        self.challenges = challenges


class _Passing(Exception):
    """A failure that may pass."""

    def __init__(self, error: ComponentError, retry_after: float | None = None) -> None:
        super().__init__(str(error))
        self.error, self.retry_after = error, retry_after


class HttpClient:
    """The connections to all registries. Used within one event loop, as a context manager."""

    def __init__(self, settings: HttpSettings | None = None, surroundings: Surroundings | None = None) -> None:
        self._settings = settings or HttpSettings()
        self._surroundings = surroundings or Surroundings()
        self._session: aiohttp.ClientSession | None = None
        self._contexts: dict[str, ssl.SSLContext] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Give back all connections. Idempotent."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    @property
    def surroundings(self) -> Surroundings:
        """Where time and chance come from."""
        return self._surroundings

    async def fetch(self, ask: Ask, consume: Callable[[aiohttp.ClientResponse], Awaitable[T]]) -> T:
        """What `consume` makes of a successful answer. It is called again with a new answer if one breaks off.

        Raises NotFound, AccessDenied, RepositoryError or Unavailable, and Challenged for a 401.
        """
        settings, clock = self._settings, self._surroundings.clock
        try:
            async with asyncio.timeout(settings.total_seconds):
                for tries in range(1, settings.tries + 1):
                    try:
                        return await self._attempt(ask, consume)
                    except _Passing as failure:
                        if tries == settings.tries or (failure.retry_after or 0) > settings.longest_wait:
                            raise failure.error from failure
                        delay = settings.backoff.delay(tries, self._surroundings.random)
                        delay = max(delay, failure.retry_after or 0.0)
                    await clock.sleep(delay)
        except TimeoutError as error:
            raise Unavailable(f"{ask.where} took more than {settings.total_seconds:g} s") from error
        raise AssertionError("unreachable")

    async def _attempt(self, ask: Ask, consume: Callable[[aiohttp.ClientResponse], Awaitable[T]]) -> T:
        url, headers, authority = ask.url, dict(ask.headers), ask.certificate_authority
        for _ in range(_MOST_REDIRECTS + 1):
            try:
                async with await self._send(ask, url, headers, authority) as response:
                    if response.status in _REDIRECTS and "Location" in response.headers:
                        if ask.form is not None:
                            raise RepositoryError(f"{ask.where} redirects a request that holds a secret")
                        url, headers = _redirected(url, response.headers["Location"], headers, ask.where)
                        if not _same_server(url, ask.url):
                            authority = ""  # it is the authority of the registry, not of where it keeps its content
                        continue
                    self._check(response, ask)
                    return await consume(response)
            except (aiohttp.ClientConnectorCertificateError, ssl.SSLCertVerificationError) as error:
                raise RepositoryError(f"{ask.where}: the certificate of the server is not trusted: {error}") from error
            except (aiohttp.InvalidURL, ValueError) as error:
                raise RepositoryError(f"{ask.where}: the address cannot be used: {error}") from error
            except aiohttp.ClientConnectorSSLError as error:
                if getattr(error.os_error, "reason", None) not in _NO_TLS:
                    raise _Passing(Unavailable(f"{ask.where} is not reachable: {_words(error)}")) from error
                message = f"{ask.where}: the server does not speak TLS; write http:// if plain HTTP is meant"
                raise RepositoryError(message) from error
            except (aiohttp.ClientError, OSError, TimeoutError) as error:
                raise _Passing(Unavailable(f"{ask.where} is not reachable: {_words(error)}")) from error
        raise RepositoryError(f"{ask.where} redirects more than {_MOST_REDIRECTS} times")

    async def _send(self, ask: Ask, url: str, headers: Mapping[str, str], authority: str) -> aiohttp.ClientResponse:
        if not self._settings.plain and urlsplit(url).scheme == "http":
            raise ConfigurationError(
                f"{ask.where}: plain HTTP is not allowed here (oci.allowPlainHttp is false); "
                "give the registry https, or have it allowed"
            )
        session = self._open()
        tls = await self._tls(authority) if url.startswith("https:") else True
        proxy = self._proxy(url)
        if ask.form is not None:
            return await session.post(
                url, headers=headers, data=dict(ask.form), allow_redirects=False, ssl=tls, proxy=proxy
            )
        return await session.get(url, headers=headers, allow_redirects=False, ssl=tls, proxy=proxy)

    def _check(self, response: aiohttp.ClientResponse, ask: Ask) -> None:
        status = response.status
        if status in (200, 206):
            return
        reason = f"{ask.where}: response status code {status}: {response.reason or 'no reason given'}"
        if status == 401:
            raise Challenged(response.headers.getall("WWW-Authenticate", []))
        if status == 403:
            raise AccessDenied(f"{reason}; the credentials do not allow it")
        if status in (404, 410):
            raise NotFound(reason)
        if status in _PASSING:
            now = self._surroundings.clock.now()
            raise _Passing(Unavailable(reason), parse_retry_after(response.headers.get("Retry-After"), now))
        raise RepositoryError(reason)

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            settings = self._settings
            # The environment is not trusted here: besides proxies, aiohttp would take passwords from ~/.netrc.
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=settings.connections, limit_per_host=settings.connections_per_host
                ),
                timeout=aiohttp.ClientTimeout(
                    total=None, sock_connect=settings.connect_seconds, sock_read=settings.silence_seconds
                ),
                headers={"User-Agent": f"landform/{__version__}"},
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                trust_env=False,
            )
        return self._session

    async def _tls(self, certificate_authority: str) -> ssl.SSLContext:
        if certificate_authority not in self._contexts:
            context = await asyncio.to_thread(_context, certificate_authority, self._settings)
            self._contexts[certificate_authority] = context
        return self._contexts[certificate_authority]

    def _proxy(self, url: str) -> str | None:
        if not self._settings.proxies:
            return None
        parts = urlsplit(url)
        proxies = dict(self._settings.proxies)
        bypass = urllib.request.proxy_bypass_environment  # type: ignore[attr-defined] # public, but untyped
        if not parts.hostname or bypass(parts.netloc, proxies):
            return None
        return proxies.get(parts.scheme) or proxies.get("all")


async def read_body(response: aiohttp.ClientResponse, limit: int, too_large: Callable[[], Exception]) -> bytes:
    """The whole body of an answer that is not too large, whatever its header says."""
    if (response.content_length or 0) > limit:
        raise too_large()
    body = bytearray()
    async for chunk in response.content.iter_chunked(_CHUNK):
        body += chunk
        if len(body) > limit:
            raise too_large()
    return bytes(body)


def _redirected(url: str, location: str, headers: Mapping[str, str], where: str) -> tuple[str, dict[str, str]]:
    """Where a redirect leads and what to send there: credentials stay with the server that they are for."""
    target = urljoin(url, location)
    old, new = urlsplit(url), urlsplit(target)
    if new.scheme not in ("http", "https") or (old.scheme == "https" and new.scheme == "http"):
        raise RepositoryError(f"{where} redirects to {new.scheme}://{new.hostname}, which is not allowed")
    kept = dict(headers)
    if not _same_server(url, target):
        kept.pop("Authorization", None)
    return target, kept


def _same_server(one: str, other: str) -> bool:
    first, second = urlsplit(one), urlsplit(other)
    return (first.scheme, first.hostname, first.port) == (second.scheme, second.hostname, second.port)


def _context(certificate_authority: str, settings: HttpSettings) -> ssl.SSLContext:
    if not settings.verify:
        unchecked = ssl.create_default_context()
        unchecked.check_hostname, unchecked.verify_mode = False, ssl.CERT_NONE
        return unchecked
    try:
        if certificate_authority:
            return ssl.create_default_context(cadata=certificate_authority)
        context = ssl.create_default_context()
        if settings.ca_file is not None:
            context.load_verify_locations(cafile=settings.ca_file)
    except (ssl.SSLError, OSError) as error:
        raise ConfigurationError(f"a certificate authority for registries cannot be used: {error}") from error
    return context


def _words(error: BaseException) -> str:
    """What happened; of a connection that could not be made only the cause, for the rest is not for people."""
    cause = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    return getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
