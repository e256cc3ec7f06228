"""URLs, taken apart and put together as Go's net/url does."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Any

from landform.gotemplate.errors import GoError
from landform.gotemplate.functions import Function, function
from landform.gotemplate.quoting import quote
from landform.gotemplate.sprig import runes
from landform.gotemplate.values import decoded, encoded, kind_name

_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
_PATH = frozenset(_UNRESERVED + "$&+,/:;=@")
_USER = frozenset(_UNRESERVED + "$&+,;=")
_FRAGMENT = frozenset(_UNRESERVED + "$&+,/:;=?@!()*")
_HOST = frozenset(_UNRESERVED + "!$&'()*+,;=:[]<>\"")
_HEX = "0123456789abcdefABCDEF"
_USERINFO = frozenset(_UNRESERVED + ":!$&'()*+,;=%@")


def escape(text: str, kept: frozenset[str]) -> str:
    """The text with all but some characters as %XX."""
    return "".join(chr(byte) if chr(byte) in kept else f"%{byte:02X}" for byte in encoded(text))


def unescape(text: str, *, host: bool = False, zone: bool = False) -> str:
    """The text with %XX read; GoError in Go's words."""
    content = encoded(text)
    parts = bytearray()
    index = 0
    while index < len(content):
        byte = content[index]
        if byte == 0x25:
            code = decoded(content[index : index + 3])
            if len(code) < 3 or code[1] not in _HEX or code[2] not in _HEX:
                raise GoError(f"invalid URL escape {quote(code)}")
            number = int(code[1:], 16)
            if host and number < 0x80 and code != "%25":
                raise GoError(f"invalid URL escape {quote(code)}")
            if zone and code != "%25" and number != 0x20 and chr(number) not in _HOST:
                raise GoError(f"invalid URL escape {quote(code)}")
            parts.append(number)
            index += 3
            continue
        if (host or zone) and byte < 0x80 and chr(byte) not in _HOST:
            raise GoError(f"invalid character {quote(chr(byte))} in host name")
        parts.append(byte)
        index += 1
    return decoded(bytes(parts))


@dataclass(slots=True)
class Url:
    """The parts of a URL; no user information is None."""

    scheme: str = ""
    opaque: str = ""
    user: str | None = None
    host: str = ""
    path: str = ""
    query: str = ""
    fragment: str = ""

    def text(self) -> str:
        """The URL."""
        text = f"{self.scheme}:" if self.scheme else ""
        if self.opaque:
            text += self.opaque
        else:
            if (self.scheme or self.host or self.user is not None) and (
                self.host or self.path or self.user is not None
            ):
                text += "//"
            if self.user is not None:
                text += self.user + "@"
            text += escape(self.host, _HOST)
            path = "*" if self.path == "*" else escape(self.path, _PATH)
            if path and path[0] != "/" and self.host:
                text += "/"
            if not text and ":" in path.partition("/")[0]:
                text += "./"
            text += path
        if self.query:
            text += "?" + self.query
        return text + ("#" + escape(self.fragment, _FRAGMENT) if self.fragment else "")


def parse(text: str) -> Url:
    """The parts of a URL; GoError in Go's words."""
    plain, _, fragment = text.partition("#")
    try:
        url = _parse(plain)
    except GoError as error:
        raise GoError(f"parse {quote(plain)}: {error}") from None
    try:
        url.fragment = unescape(fragment)
    except GoError as error:
        raise GoError(f"parse {quote(text)}: {error}") from None
    return url


def _parse(text: str) -> Url:
    if any(char < " " or char == "\x7f" for char in text):
        raise GoError("net/url: invalid control character in URL")
    url = Url()
    if text == "*":
        url.path = "*"
        return url
    url.scheme, rest = _scheme(text)
    if rest.endswith("?") and rest.count("?") == 1:
        rest = rest[:-1]
    else:
        rest, _, url.query = rest.partition("?")
    if not rest.startswith("/"):
        if url.scheme:
            url.opaque = rest
            return url
        if ":" in rest.partition("/")[0]:
            raise GoError("first path segment in URL cannot contain colon")
    if (url.scheme or not rest.startswith("///")) and rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        rest = slash + path
        url.user, url.host = _authority(url.scheme, authority)
    url.path = unescape(rest)
    return url


def _scheme(text: str) -> tuple[str, str]:
    for index, char in enumerate(text):
        if "a" <= char <= "z" or "A" <= char <= "Z":
            continue
        if "0" <= char <= "9" or char in "+-.":
            if index == 0:
                break
        elif char == ":":
            if index == 0:
                raise GoError("missing protocol scheme")
            return runes.lower(text[:index]), text[index + 1 :]
        else:
            break
    return "", text


def _authority(scheme: str, text: str) -> tuple[str | None, str]:
    userinfo, at, host = text.rpartition("@")
    host = _host(scheme, host)
    if not at:
        return None, host
    if not set(userinfo) <= _USERINFO:
        raise GoError("net/url: invalid userinfo")
    name, colon, password = userinfo.partition(":")
    user = escape(unescape(name), _USER)
    return user + (":" + escape(unescape(password), _USER) if colon else ""), host


def _host(scheme: str, host: str) -> str:
    bracket = host.rfind("[")
    if bracket > 0:
        raise GoError("invalid IP-literal")
    if bracket == 0:
        return _address(host)
    if ":" in host:
        place = host.find(":") if scheme in ("http", "https") else host.rfind(":")
        _check_port(host[place:])
    return unescape(host, host=True)


def _address(host: str) -> str:
    """A host such as [::1]:80."""
    close = host.rfind("]")
    if close < 0:
        raise GoError("missing ']' in host")
    _check_port(host[close + 1 :])
    name, percent, zone = host[1:close].partition("%25")
    address = unescape(name, host=True) + (unescape(percent + zone, zone=True) if percent else "")
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        raise GoError(f"invalid host: ParseAddr({quote(address)}): unable to parse IP") from None
    if parsed.version == 4:
        raise GoError("invalid IP-literal")
    return f"[{address}]{host[close + 1 :]}"


def _is_port(text: str) -> bool:
    return not text or (text[0] == ":" and all("0" <= char <= "9" for char in text[1:]))


def _check_port(text: str) -> None:
    if not _is_port(text):
        raise GoError(f"invalid port {quote(text)} after host")


def _hostname(host: str) -> str:
    colon = host.rfind(":")
    if colon >= 0 and _is_port(host[colon:]):
        host = host[:colon]
    return host[1:-1] if host.startswith("[") and host.endswith("]") else host


def url_parse(text: str) -> dict[str, Any]:
    """The parts of a URL by name."""
    try:
        url = parse(text)
    except GoError as error:
        raise GoError(f"unable to parse url: {error}") from None
    return {
        "scheme": url.scheme,
        "host": url.host,
        "hostname": _hostname(url.host),
        "path": url.path,
        "query": url.query,
        "opaque": url.opaque,
        "fragment": url.fragment,
        "userinfo": url.user or "",
    }


def _part(parts: dict[str, Any], name: str) -> str:
    value = parts.get(name, "")
    if name in parts and value is None:
        raise GoError("runtime error: invalid memory address or nil pointer dereference")
    if not isinstance(value, str):
        raise GoError(f"unable to parse {name} key, must be of type string, but {kind_name(value)} found")
    return value


def url_join(parts: dict[str, Any]) -> str:
    """A URL from its parts by name."""
    names = ("scheme", "host", "path", "query", "opaque", "fragment")
    url = Url(**{name: _part(parts, name) for name in names})
    userinfo = _part(parts, "userinfo")
    if userinfo:
        try:
            url.user = parse(f"proto://{userinfo}@host").user
        except GoError as error:
            raise GoError(f"unable to parse userinfo in dict: {error}") from None
    return url.text()


FUNCTIONS: dict[str, Function] = {
    "urlParse": function("string", url_parse),
    "urlJoin": function("map -> string", url_join),
}
