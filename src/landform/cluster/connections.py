"""A connection: where a cluster is, how it proves itself, and who we are to it."""

from __future__ import annotations

import ssl
import tempfile
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from landform.cluster.credentials import ClientCertificate, Credentials, FixedCredentials
from landform.cluster.errors import ConfigurationError


@dataclass(frozen=True)
class Connection:
    """Everything an HTTP client needs to know to talk to one cluster."""

    server: str
    """Base URL, with an optional path and without a slash at the end."""

    credentials: Credentials = field(default_factory=FixedCredentials)
    """Who we are."""

    ca: bytes | None = field(default=None, repr=False)
    """PEM text of the authorities that the server's certificate may come from; None = the machine's own."""

    insecure: bool = False
    """Accept any certificate of the server."""

    tls_server_name: str = ""
    """Name that the server's certificate must carry; empty = the host in `server`."""

    proxy_url: str = field(default="", repr=False)
    """HTTP proxy on the way; empty = none. The environment's proxy settings are not looked at."""

    namespace: str = "default"
    """Namespace to use when none is named."""

    headers: tuple[tuple[str, str], ...] = ()
    """Further headers of each request, such as those of impersonation."""

    source: str = "the connection"
    """Where this comes from, for messages."""

    def __post_init__(self) -> None:
        scheme, host = urlsplit(self.server)[:2]
        if scheme not in ("http", "https") or not host:
            raise ConfigurationError(f"{self.source}: the server {_shown(self.server)!r} is not an http or https URL")
        if self.proxy_url and urlsplit(self.proxy_url).scheme not in ("http", "https"):
            raise ConfigurationError(f"{self.source}: the proxy {_shown(self.proxy_url)!r} is not an http or https URL")
        object.__setattr__(self, "server", self.server.rstrip("/"))

    @property
    def is_encrypted(self) -> bool:
        """Whether the connection uses TLS."""
        return self.server.startswith("https:")

    def ssl_context(self, certificate: ClientCertificate | None = None) -> ssl.SSLContext:
        """The TLS settings, showing `certificate`. Reads files of the machine, so not for the event loop."""
        try:
            context = ssl.create_default_context(cadata=self.ca.decode() if self.ca else None)
        except (ssl.SSLError, ValueError) as fault:
            raise ConfigurationError(
                f"{self.source}: the certificate authority is not readable PEM: {fault}"
            ) from fault
        # Clusters make their own authorities. Like Go's TLS, accept whichever certificate is named as one, be it
        # self-signed or in the middle of a chain, and authorities without the extensions that RFC 5280 wants.
        context.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN
        context.verify_flags &= ~ssl.VerifyFlags.VERIFY_X509_STRICT
        if self.insecure:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if certificate is not None:
            self._show(context, certificate)
        return context

    def _show(self, context: ssl.SSLContext, certificate: ClientCertificate) -> None:
        # Python can load a private key from a named file only, so for that moment there is one that only we can read.
        with tempfile.NamedTemporaryFile(prefix="landform-") as file:
            file.write(certificate.certificate.rstrip() + b"\n" + certificate.key)
            file.flush()
            try:
                # An encrypted key would otherwise make OpenSSL ask for its password on the terminal.
                context.load_cert_chain(file.name, password="")
            except (ssl.SSLError, ValueError) as fault:
                message = f"{self.source}: the client certificate and its key are not a readable pair: {fault}"
                raise ConfigurationError(message) from fault


def _shown(url: str) -> str:
    """A URL without the user and password that may stand in it."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
