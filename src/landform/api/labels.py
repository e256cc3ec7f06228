"""Which labels Kubernetes accepts, with the API server's words for those it does not."""

from __future__ import annotations

import re

_MAX_LENGTH = 63
_MAX_PREFIX_LENGTH = 253
_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_DNS_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_DNS_LABEL}(\.{_DNS_LABEL})*"
_CHARACTERS = (
    "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)


def fault_of_key(key: str) -> str | None:
    """What is wrong with a label's key, or None."""
    prefix, slash, name = key.rpartition("/")
    if slash and (len(prefix) > _MAX_PREFIX_LENGTH or not re.fullmatch(_SUBDOMAIN, prefix)):
        return f"prefix part must be a lower case DNS subdomain of no more than {_MAX_PREFIX_LENGTH} characters"
    if len(name) > _MAX_LENGTH:
        return f"name part must be no more than {_MAX_LENGTH} characters"
    if not re.fullmatch(_NAME, name):
        return f"name part must {_CHARACTERS} (regex used for validation is '{_NAME}')"
    return None


def fault_of_value(value: str) -> str | None:
    """What is wrong with a label's value, or None."""
    if len(value) > _MAX_LENGTH:
        return f"must be no more than {_MAX_LENGTH} characters"
    if value and not re.fullmatch(_NAME, value):
        return f"a valid label must be an empty string or {_CHARACTERS} (regex used for validation is '({_NAME})?')"
    return None
