"""Labels: which keys and values Kubernetes accepts, with the API server's words for those it does not."""

from __future__ import annotations

import re

MAX_LENGTH = 63
"""Longest value, and longest name part of a key, in bytes."""

MAX_PREFIX_LENGTH = 253
"""Longest prefix of a key (the part before the slash), in bytes."""

_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE = f"({_NAME})?"
_DNS_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_DNS_LABEL}(\.{_DNS_LABEL})*"

_name = re.compile(_NAME).fullmatch
_value = re.compile(_VALUE).fullmatch
_subdomain = re.compile(_SUBDOMAIN).fullmatch

_NAME_RULE = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
    f" (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{_NAME}')"
)
_PREFIX_RULE = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
_VALUE_RULE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.',"
    " and must start and end with an alphanumeric character"
    f" (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '{_VALUE}')"
)
_SUBDOMAIN_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.',"
    " and must start and end with an alphanumeric character"
    f" (e.g. 'example.com', regex used for validation is '{_SUBDOMAIN}')"
)


def check_label_key(key: str) -> str | None:
    """What is wrong with a label's key (or any other qualified name), or None."""
    if len(key) <= MAX_LENGTH and _name(key):
        return None
    prefix, slash, name = key.partition("/")
    if "/" in name:
        return (
            f"a qualified name {_NAME_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        )
    faults = _prefix_faults(prefix) if slash else []
    faults += _name_faults(name if slash else prefix)
    return "; ".join(faults) or None


def check_label_value(value: str) -> str | None:
    """What is wrong with a label's value, or None."""
    if len(value) <= MAX_LENGTH and _value(value):
        return None
    faults = [_too_long(MAX_LENGTH)] if _bytes(value) > MAX_LENGTH else []
    if not _value(value):
        faults.append(_VALUE_RULE)
    return "; ".join(faults)


def _prefix_faults(prefix: str) -> list[str]:
    if not prefix:
        return ["prefix part must be non-empty"]
    faults = [f"prefix part {_too_long(MAX_PREFIX_LENGTH)}"] if _bytes(prefix) > MAX_PREFIX_LENGTH else []
    if not _subdomain(prefix):
        faults.append(f"prefix part {_SUBDOMAIN_RULE}")
    return faults


def _name_faults(name: str) -> list[str]:
    faults = []
    if not name:
        faults.append("name part must be non-empty")
    elif _bytes(name) > MAX_LENGTH:
        faults.append(f"name part {_too_long(MAX_LENGTH)}")
    if not _name(name):
        faults.append(f"name part {_NAME_RULE}")
    return faults


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _too_long(limit: int) -> str:
    return f"must be no more than {limit} characters"
