"""What a registry asks for when it answers 401: basic authentication, or a token from somewhere."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from landform.components.credentials import Credentials

_SCHEME = re.compile(r"\s*([A-Za-z][A-Za-z0-9-]*)(?:\s+|$)")
_PARAMETER = re.compile(r'\s*([A-Za-z0-9_-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))\s*,?')


@dataclass(frozen=True)
class Challenge:
    """One way to authenticate that a registry offers."""

    scheme: str
    """`basic` or `bearer`; others are not understood."""

    realm: str = ""
    """For `bearer`: the URL that gives tokens."""

    service: str = ""
    """For `bearer`: the service that the token is for."""

    scope: str = ""
    """For `bearer`: what the token must allow."""


def parse(headers: Iterable[str]) -> list[Challenge]:
    """The challenges of the WWW-Authenticate headers, one in each; broken ones are left out."""
    found = []
    for header in headers:
        scheme = _SCHEME.match(header)
        if scheme is None:
            continue
        parameters: dict[str, str] = {}
        position = scheme.end()
        while parameter := _PARAMETER.match(header, position):
            name, quoted, plain = parameter.groups()
            parameters[name.lower()] = re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else plain
            position = parameter.end()
        found.append(
            Challenge(
                scheme[1].lower(),
                parameters.get("realm", ""),
                parameters.get("service", ""),
                parameters.get("scope", ""),
            )
        )
    return found


def basic(credentials: Credentials) -> str:
    """The Authorization header of basic authentication."""
    pair = f"{credentials.username}:{credentials.password}".encode()
    return f"Basic {base64.b64encode(pair).decode()}"
