"""The rules for names in Kubernetes, each with the API server's words for what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable

Problems = Callable[[str], list[str]]

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_DNS_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?"
_QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE = f"({_QUALIFIED})?"
_QUALIFIED_TEXT = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)
_LONGEST_PART = 63


def _describe(text: str, pattern: str, *examples: str) -> str:
    shown = " or ".join(f"'{example}', " for example in examples)
    return f"{text} (e.g. {shown}regex used for validation is '{pattern}')"


_QUALIFIED_HELP = _describe(_QUALIFIED_TEXT, _QUALIFIED, "MyName", "my.name", "123-abc")


def _rule(pattern: str, longest: int, help_text: str) -> Problems:
    fits = re.compile(rf"(?:{pattern})\Z", re.ASCII).match

    def problems(name: str) -> list[str]:
        found = [f"must be no more than {longest} characters"] if len(name.encode()) > longest else []
        return found if fits(name) else [*found, help_text]

    return problems


dns_1035_label = _rule(
    _DNS_1035,
    63,
    _describe(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic"
        " character, and end with an alphanumeric character",
        _DNS_1035,
        "my-name",
        "abc-123",
    ),
)
"""The names of kinds (in lower case), plurals and versions."""

subdomain = _rule(
    _SUBDOMAIN,
    253,
    _describe(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start"
        " and end with an alphanumeric character",
        _SUBDOMAIN,
        "example.com",
    ),
)
"""Most objects' names, and API groups."""

label_value = _rule(
    _LABEL_VALUE,
    63,
    _describe(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start"
        " and end with an alphanumeric character",
        _LABEL_VALUE,
        "MyValue",
        "my_value",
        "12345",
    ),
)

_only_label = _rule(
    _LABEL,
    63,
    _describe(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end"
        " with an alphanumeric character",
        _LABEL,
        "my-name",
        "123-abc",
    ),
)


def label(name: str) -> list[str]:
    """Namespaces: one label without dots."""
    problems = _only_label(name)
    if problems and "." in name and not subdomain(name):
        problems[-1] = "must not contain dots"
    return problems


def qualified(name: str) -> list[str]:
    """Keys of labels and annotations, finalizers: a name, perhaps with a domain before it."""
    prefix, slash, rest = name.rpartition("/")
    if "/" in prefix:
        optional = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        return [f"a qualified name {_QUALIFIED_HELP}{optional}"]
    problems = []
    if slash:
        problems = [f"prefix part {problem}" for problem in (subdomain(prefix) if prefix else ["must be non-empty"])]
    if not rest:
        problems.append("name part must be non-empty")
    elif len(rest.encode()) > _LONGEST_PART:
        problems.append(f"name part must be no more than {_LONGEST_PART} characters")
    if not re.fullmatch(_QUALIFIED, rest, re.ASCII):
        problems.append(f"name part {_QUALIFIED_HELP}")
    return problems


def path_prefix(name: str) -> list[str]:
    """What a generated name may begin with: it must fit into one segment of a URL."""
    return [f"may not contain '{part}'" for part in ("/", "%") if part in name]


def path_segment(name: str) -> list[str]:
    """A name that fits into one segment of a URL."""
    return [f"may not be '{name}'"] if name in (".", "..") else path_prefix(name)
