"""URLs as Go's `net/url` reads them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from landform.kit.quoting import quote

_HEX = re.compile("[0-9a-fA-F]{2}")
_HOST_FORBIDDEN = set(" ^`{|}\\")


class UrlError(ValueError):
    """A text is no URL; the message is Go's."""


@dataclass
class Url:
    """The parts of a URL, unescaped."""

    scheme: str = ""
    user: str | None = None
    password: str | None = None
    host: str = ""
    path: str = ""
    query: str = ""
    fragment: str = ""
    values: dict[str, list[str]] = field(default_factory=dict)

    @property
    def hostname(self) -> str:
        """The host without port and brackets."""
        host = self.host
        if host.startswith("["):
            return host[1 : host.index("]")] if "]" in host else host
        return host.rpartition(":")[0] if _has_port(host) else host

    @property
    def port(self) -> str:
        """The port, or nothing."""
        tail = self.host.rpartition("]")[2] if self.host.startswith("[") else self.host
        return tail.rpartition(":")[2] if _has_port(tail) else ""


def _has_port(host: str) -> bool:
    return bool(re.search(r":[0-9]*\Z", host))


def parse(text: str) -> Url:
    """The parts of a URL; raises UrlError."""
    body, _, fragment = text.partition("#")
    read = body
    try:
        url = _parse(body)
        read = text
        url.fragment = _unescape(fragment, "fragment")
    except UrlError as error:
        raise UrlError(f"parse {quote(read)}: {error}") from None
    return url


def _parse(text: str) -> Url:
    if any(ord(char) < 0x20 or ord(char) == 0x7F for char in text):
        raise UrlError("net/url: invalid control character in URL")
    url = Url()
    if text == "*":
        url.path = "*"
        return url
    scheme, rest = _split_scheme(text)
    url.scheme = scheme.lower()
    if rest.endswith("?") and rest.count("?") == 1:
        rest = rest[:-1]
    else:
        rest, _, url.query = rest.partition("?")
    url.values = _query(url.query)
    if not rest.startswith("/"):
        if url.scheme:
            return url  # opaque, such as mailto:a@b
        segment, _, _ = rest.partition("/")
        if ":" in segment:
            raise UrlError("first path segment in URL cannot contain colon")
    if (url.scheme or not rest.startswith("///")) and rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        _set_authority(url, authority)
        rest = slash + path
    url.path = _unescape(rest, "path")
    return url


def _split_scheme(text: str) -> tuple[str, str]:
    for index, char in enumerate(text):
        if char.isascii() and char.isalpha():
            continue
        if char.isascii() and (char.isdigit() or char in "+-."):
            if index == 0:
                return "", text
        elif char == ":":
            if index == 0:
                raise UrlError("missing protocol scheme")
            return text[:index], text[index + 1 :]
        else:
            return "", text
    return "", text


def _set_authority(url: Url, authority: str) -> None:
    user, at, host = authority.rpartition("@")
    url.host = _host(host)
    if not at:
        return
    if not all(char.isascii() and (char.isalnum() or char in "-._:~!$&'()*+,;=%@") for char in user):
        raise UrlError("net/url: invalid userinfo")
    name, colon, password = user.partition(":")
    url.user = _unescape(name, "user")
    url.password = _unescape(password, "user") if colon else None


def _host(host: str) -> str:
    if host.startswith("["):
        end = host.rfind("]")
        if end < 0:
            raise UrlError("missing ']' in host")
        port = host[end + 1 :]
        if not re.fullmatch("(:[0-9]*)?", port):
            raise UrlError(f"invalid port {quote(port)} after host")
        return host
    colon = host.find(":")
    if colon >= 0 and not re.fullmatch("[0-9]*", host[colon + 1 :]):
        raise UrlError(f"invalid port {quote(host[colon:])} after host")
    return _unescape(host, "host")


def _unescape(text: str, part: str) -> str:
    if part == "host":
        for char in text:
            if char in _HOST_FORBIDDEN:
                raise UrlError(f"invalid character {quote(char)} in host name")
    if "%" not in text and (part != "query" or "+" not in text):
        return text
    data = bytearray()
    position = 0
    while position < len(text):
        char = text[position]
        if char == "%":
            digits = text[position + 1 : position + 3]
            if not _HEX.fullmatch(digits):
                raise UrlError(f"invalid URL escape {quote(text[position : position + 3])}")
            if part == "host" and int(digits, 16) < 0x80:
                raise UrlError(f"invalid URL escape {quote(text[position : position + 3])}")
            data.append(int(digits, 16))
            position += 3
            continue
        data += b" " if char == "+" and part == "query" else char.encode("utf-8", "surrogateescape")
        position += 1
    return data.decode("utf-8", "surrogateescape")


def _query(text: str) -> dict[str, list[str]]:
    """The values of a query; parts that cannot be read are left out."""
    values: dict[str, list[str]] = {}
    for part in text.split("&"):
        if not part or ";" in part:
            continue
        key, _, value = part.partition("=")
        try:
            name, content = _unescape(key, "query"), _unescape(value, "query")
        except UrlError:
            continue
        values.setdefault(name, []).append(content)
    return values
