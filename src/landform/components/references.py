"""References to OCI artifacts, such as ``registry.example.com:5000/shop/app:1.0@sha256:…``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from landform.components import digests
from landform.components.errors import InvalidReference

_REPOSITORY = re.compile(r"[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_HOST = re.compile(r"(?:[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*|\[[0-9a-fA-F:]+\])(?::[0-9]{1,5})?")
_DOCKER_HUB = "docker.io"


@dataclass(frozen=True)
class Authority:
    """A registry: how to speak to it, and where."""

    host: str
    """Host name or address, with a port if there is one."""

    scheme: str = "https"
    """`https`, or `http` where somebody asked for it."""

    def __str__(self) -> str:
        return self.host if self.scheme == "https" else f"{self.scheme}://{self.host}"

    @property
    def hostname(self) -> str:
        """The host without its port."""
        return self.host if self.port is None else self.host.rpartition(":")[0]

    @property
    def port(self) -> str | None:
        """The port, if there is one."""
        head, colon, port = self.host.rpartition(":")
        return port if colon and port.isdecimal() and (not head.startswith("[") or head.endswith("]")) else None


@dataclass(frozen=True)
class ArtifactReference:
    """One artifact of a registry."""

    authority: Authority
    repository: str
    tag: str
    digest: str

    @property
    def reference(self) -> str:
        """What to ask the registry for; a digest says more than a tag."""
        return self.digest or self.tag or "latest"


def parse_url(url: str) -> tuple[Authority, str]:
    """The registry and the path of a URL; without a scheme https is meant, also on this machine."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        scheme, rest = "https", url
    host, _, path = rest.partition("/")
    if scheme not in ("https", "http", "oci") or not _HOST.fullmatch(host):
        raise InvalidReference(f"{url!r} does not name a registry; write host[:port][/path], or begin with http://")
    return Authority(host, "http" if scheme == "http" else "https"), path.strip("/")


def parse(text: str) -> ArtifactReference:
    """The parts of ``[http://|https://]host[:port]/repository[:tag][@digest]``."""
    scheme, separator, rest = text.partition("://")
    if not separator:
        rest = _with_host(text)
        scheme = "https"
    host, _, path = rest.partition("/")
    authority, _ = parse_url(f"{scheme}://{host}")
    repository, tag, digest = split(path)
    return ArtifactReference(authority, repository, tag, digest)


def split(text: str) -> tuple[str, str, str]:
    """Repository, tag and digest of a reference without a host; tag and digest may be empty."""
    name, _, digest = text.partition("@")
    head, colon, tag = name.rpartition(":")
    repository = (head if colon else name).lstrip("/")
    if not colon:
        tag = ""
    if not _REPOSITORY.fullmatch(repository) or (tag and not _TAG.fullmatch(tag)) or (colon and not tag):
        raise InvalidReference(f"{text!r} is not a reference to an artifact; write repository:tag or repository@digest")
    if digest and not digests.is_digest(digest):
        raise InvalidReference(f"{text!r} has a digest that is neither sha256 nor sha512")
    return repository, tag, digest


def is_repository(text: str) -> bool:
    """Whether a text may be the name of a repository."""
    return _REPOSITORY.fullmatch(text) is not None


def _with_host(text: str) -> str:
    """A reference with the registry that docker means if it names none."""
    first, slash, _ = text.partition("/")
    if slash and ("." in first or ":" in first or first == "localhost"):
        return text
    return f"{_DOCKER_HUB}/{text}" if slash else f"{_DOCKER_HUB}/library/{text}"
