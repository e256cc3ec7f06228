"""Sends requests to one cluster: connections, TLS, credentials, retries. Knows nothing of objects."""

from __future__ import annotations

import asyncio
import contextlib
import io
import logging
import socket
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import aiohttp

from landform import __version__
from landform.cluster import retries
from landform.cluster.answers import error_of
from landform.cluster.errors import ClusterError, ConfigurationError, Unauthorized, Unreachable
from landform.cluster.retries import Backoff, Failure

if TYPE_CHECKING:
    import ssl
    from collections.abc import Awaitable, Callable, Iterator

    from landform.cluster.connections import Connection
    from landform.cluster.credentials import ClientCertificate, Credential
    from landform.cluster.requests import Request
    from landform.kit.surroundings import Surroundings

log = logging.getLogger(__name__)

USER_AGENT = f"landform/{__version__}"

R = TypeVar("R")


@dataclass(frozen=True)
class Limits:
    """How long and how much."""

    connect_seconds: float = 10.0
    """For making one connection."""

    request_seconds: float = 60.0
    """For one try of one request, its answer included; the API server itself gives up after as long."""

    retry_seconds: float = 30.0
    """For all tries of one request: none is begun after. A command that a person waits for wants less."""

    silence_seconds: float = 90.0
    """For a watch without a single byte before its peer counts as gone. The API server sends bookmarks about every
    60 s; where it sends none, the watch is taken up again where it was, which costs little."""

    connections: int = 100
    """Requests at the same time; more wait. Watches do not count."""

    page: int = 500
    """Objects per request when everything is listed."""

    backoff: Backoff = field(default_factory=Backoff)
    """Between tries."""


class _Failed(Exception):
    """One try failed; `error` is what the caller gets if it was the last."""

    def __init__(self, error: ClusterError, failure: Failure, credential: Credential | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.failure = failure
        self.credential = credential


class Transport:
    """The connections to one cluster. Used within one event loop; `close` gives them back."""

    def __init__(self, connection: Connection, surroundings: Surroundings, limits: Limits) -> None:
        self._connection = connection
        self._surroundings = surroundings
        self._limits = limits
        self._requests: aiohttp.ClientSession | None = None
        self._watches: aiohttp.ClientSession | None = None
        self._tls: tuple[ClientCertificate | None, ssl.SSLContext] | None = None
        self._preparing = asyncio.Lock()
        self._warned: set[str] = set()
        self._closed = False

    async def send(self, request: Request) -> bytes:
        """The body of a successful answer; otherwise the error that it means."""
        return await self._persist(request, self._fetch)

    async def stream(self, request: Request) -> aiohttp.ClientResponse:
        """A successful answer whose body is still to come, on a connection of its own; the caller closes it."""
        return await self._persist(request, self._begin)

    async def chunk(self, response: aiohttp.ClientResponse) -> bytes:
        """The next bytes of a stream, none at its end; Unreachable if it breaks or falls silent."""
        silence, where = self._limits.silence_seconds, f"the watch on {self._connection.server}"
        try:
            async with asyncio.timeout(silence):
                return await response.content.readany()
        except TimeoutError as fault:
            raise Unreachable(f"{where} gave no sign of life for {silence:g} s") from fault
        except (aiohttp.ClientError, OSError) as fault:
            raise Unreachable(f"{where} broke off: {_words(fault)}") from fault

    async def close(self) -> None:
        """Give back all connections. Idempotent."""
        self._closed = True
        sessions, self._requests, self._watches = (self._requests, self._watches), None, None
        for session in sessions:
            if session is not None:
                await session.close()

    async def _persist(self, request: Request, attempt: Callable[[Request], Awaitable[R]]) -> R:
        """Try until it succeeds, or until trying again would be wrong or too late."""
        clock = self._surroundings.clock
        started, tries, renewed = clock.monotonic(), 0, False
        while True:
            try:
                return await attempt(request)
            except _Failed as failed:
                tries += 1
                if not renewed and self._renew(failed):
                    renewed = True
                    continue
                delay = self._delay(request, failed.failure, tries, clock.monotonic() - started)
                if delay is None:
                    raise failed.error from failed.__cause__
                log.debug("%s again in %.1f s: %s", request, delay, failed)
            await clock.sleep(delay)

    def _renew(self, failed: _Failed) -> bool:
        if not isinstance(failed.error, Unauthorized) or failed.credential is None:
            return False
        return self._connection.credentials.renew(failed.credential)

    def _delay(self, request: Request, failure: Failure, tries: int, elapsed: float) -> float | None:
        """Seconds until the next try; None if there must not be one."""
        if not retries.may_repeat(request.repeat, failure):
            return None
        delay = self._limits.backoff.delay(tries, self._surroundings.random)
        delay = max(delay, failure.retry_after or 0.0)
        return delay if elapsed + delay <= self._limits.retry_seconds else None

    async def _fetch(self, request: Request) -> bytes:
        if self._requests is None:
            self._requests = self._session(self._limits.connections)
        with self._mapped(request):
            async with asyncio.timeout(self._limits.request_seconds):
                response = await self._exchange(request, self._requests)
                try:
                    return await response.read()
                finally:
                    response.release()

    async def _begin(self, request: Request) -> aiohttp.ClientResponse:
        if self._watches is None:
            self._watches = self._session(0)
        with self._mapped(request):
            async with asyncio.timeout(self._limits.request_seconds):
                response = await self._exchange(request, self._watches)
        _keep_alive(response)
        return response

    async def _exchange(self, request: Request, session: aiohttp.ClientSession) -> aiohttp.ClientResponse:
        """One request and the beginning of its answer, if that is a success."""
        credential = await self._connection.credentials.current()
        response = await session.request(
            request.method,
            self._connection.server + request.path,
            headers=self._headers(request, credential),
            data=_data(request.body),
            ssl=await self._context(credential.certificate) if self._connection.is_encrypted else True,
            server_hostname=self._connection.tls_server_name or None,
            proxy=self._connection.proxy_url or None,
            allow_redirects=False,
        )
        self._log_warnings(response)
        if response.status < 300:
            return response
        try:
            body = await response.read()
        finally:
            response.release()
        raise self._refused(request, response, body, credential)

    def _refused(
        self, request: Request, response: aiohttp.ClientResponse, body: bytes, credential: Credential
    ) -> _Failed:
        error = error_of(
            request,
            response.status,
            response.reason or "",
            body,
            location=response.headers.get("Location", ""),
            retry_after=retries.parse_retry_after(response.headers.get("Retry-After"), self._surroundings.clock.now()),
        )
        return _Failed(error, Failure(response.status, retry_after=error.retry_after), credential)

    @contextlib.contextmanager
    def _mapped(self, request: Request) -> Iterator[None]:
        """Turn what the HTTP library raises into what is known of the request."""
        try:
            yield
        except (aiohttp.ClientSSLError, aiohttp.InvalidURL) as fault:
            message = f"{self._connection.source}: no secure connection to {self._connection.server}: {_words(fault)}"
            raise ConfigurationError(message) from fault
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.ClientHttpProxyError) as fault:
            raise _Failed(self._unreachable(request, _words(fault)), Failure(sent=False)) from fault
        except TimeoutError as fault:
            why = f"none came within {self._limits.request_seconds:g} s"
            raise _Failed(self._unreachable(request, why), Failure()) from fault
        except (aiohttp.ClientError, OSError) as fault:
            raise _Failed(self._unreachable(request, _words(fault)), Failure()) from fault

    def _unreachable(self, request: Request, why: str) -> Unreachable:
        return Unreachable(f"no answer from {self._connection.server} to {request}: {why}")

    def _session(self, connections: int) -> aiohttp.ClientSession:
        if self._closed:
            raise RuntimeError("the cluster's connections have been closed")
        session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=connections),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=self._limits.connect_seconds),
            cookie_jar=aiohttp.DummyCookieJar(),
        )
        # aiohttp would send PUT and DELETE again by itself when a connection that was used before breaks. Whether
        # that is right is for `retries` to say, and aiohttp has no public switch for it.
        session._retry_connection = False
        return session

    async def _context(self, certificate: ClientCertificate | None) -> ssl.SSLContext:
        async with self._preparing:  # requests that begin together must share one, or they cannot share connections
            if self._tls is None or self._tls[0] != certificate:
                self._tls = certificate, await asyncio.to_thread(self._connection.ssl_context, certificate)
            return self._tls[1]

    def _headers(self, request: Request, credential: Credential) -> list[tuple[str, str]]:
        headers = {"User-Agent": USER_AGENT, "Accept-Encoding": "identity", **request.headers}
        if credential.authorization:
            headers["Authorization"] = credential.authorization
        return [*headers.items(), *self._connection.headers]

    def _log_warnings(self, response: aiohttp.ClientResponse) -> None:
        """Tell what the cluster warns of (deprecated versions, unknown fields), once per text."""
        for text in response.headers.getall("Warning", ()):
            if text not in self._warned and len(self._warned) < _MOST_WARNINGS:
                self._warned.add(text)
                log.warning("%s warns: %s", self._connection.server, text.removeprefix("299 - ").strip('"'))


_LARGE = 2**20
"""Bytes from which on a body is sent piece by piece: aiohttp warns that sending it at once blocks the event loop."""


def _data(body: bytes | None) -> bytes | io.BytesIO | None:
    return io.BytesIO(body) if body is not None and len(body) >= _LARGE else body


_MOST_WARNINGS = 1000
"""Texts that are remembered; a cluster that warns of more is not listened to any further."""

_KEEP_ALIVE = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}
"""Seconds of silence before the kernel asks the peer whether it is there, between its questions, and how many."""


def _keep_alive(response: aiohttp.ClientResponse) -> None:
    """Let the kernel notice a peer that is gone without a word; not every system has every setting."""
    transport = response.connection.transport if response.connection else None
    peer = transport.get_extra_info("socket") if transport else None
    if peer is not None:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _KEEP_ALIVE.items():
            if hasattr(socket, name):
                peer.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def _words(fault: BaseException) -> str:
    """The fault in words; some have none but their name, and aiohttp's own show its inside."""
    if isinstance(fault, aiohttp.ClientConnectorCertificateError):
        fault = fault.certificate_error
    elif isinstance(fault, aiohttp.ClientConnectorError):
        return fault.os_error.strerror or str(fault.os_error)
    return str(fault) or type(fault).__name__
