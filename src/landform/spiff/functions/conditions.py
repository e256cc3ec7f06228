"""Conditions by name: comparisons, sets of values, patterns, and the form of a text."""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING, Any

from landform.kit.quoting import quote
from landform.kit.regex.errors import RegexError
from landform.kit.regex.expressions import compile_expression
from landform.spiff.addresses import network_fault, parse_ip, parse_network
from landform.spiff.functions import keys
from landform.spiff.functions.verdicts import CheckError, Verdict, either, text_of
from landform.spiff.values import counted, equals, go_type_name, plain_text, type_name

if TYPE_CHECKING:
    from collections.abc import Callable

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_WILDCARD = rf"\*\.{_DOMAIN}"
_LABEL_RULE = (
    "a DNS-1123 label must consist of lower case alphanumeric characters or '-', "
    "and must start and end with an alphanumeric character"
)
_DOMAIN_RULE = (
    "a DNS-1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character"
)
_WILDCARD_RULE = (
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of "
    "lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character"
)


def _empty(name: str, value: Any, arguments: list[Any]) -> Verdict:
    if type(value) not in (str, list, dict):
        raise CheckError(f"invalid type for empty: {type_name(value)}")
    return either(not value, "is empty", "is not empty")


def _valueset(name: str, value: Any, arguments: list[Any]) -> Verdict:
    if len(arguments) != 1 or type(arguments[0]) is not list:
        raise CheckError("valueset requires a list argument with possible values")
    if any(equals(value, node.value)[0] for node in arguments[0]):
        return Verdict(True, "matches valueset")
    if type(value) is str:
        return Verdict(False, f"invalid value {quote(value)}")
    return Verdict(False, f"invalid value {value}" if type(counted(value)) is int else "invalid value")


def _value(name: str, value: Any, arguments: list[Any]) -> Verdict:
    if len(arguments) != 1:
        raise CheckError("value requires a value argument")
    valid = equals(arguments[0], value)[0]
    shown = f"{'valid' if valid else 'invalid'} value"
    return Verdict(valid, f"{shown} {quote(value)}" if type(value) is str else shown)


def _ordered(
    own_name: str, holds: Callable[[Any, Any], bool], yes: str, no: str
) -> Callable[[str, Any, list[Any]], Verdict]:
    def condition(name: str, value: Any, arguments: list[Any]) -> Verdict:
        if len(arguments) != 1:
            raise CheckError(f"{own_name} requires a value argument")
        limit, value = counted(arguments[0]), counted(value)
        if type(limit) is str:
            if type(value) is not str:
                raise CheckError("must be string to compare to string")
        elif type(limit) not in (int, float):
            raise CheckError(f"invalid type {go_type_name(limit)}")
        elif type(value) not in (int, float):
            raise CheckError("must be number to compare to number")
        return either(holds(value, limit), f"{yes} {plain_text(limit)}", f"{no} {plain_text(limit)}")

    return condition


_greater = _ordered("gt", operator.gt, "greater than", "less or equal to")
_less = _ordered("lt", operator.lt, "less or equal to", "greater than")
_at_least = _ordered("ge", operator.ge, "greater or equal to", "less than")
_at_most = _ordered("lt", operator.le, "less than", "greater or equal to")


def _match(name: str, value: Any, arguments: list[Any]) -> Verdict:
    if len(arguments) != 1 or type(arguments[0]) is not str:
        raise CheckError("match requires a regexp argument")
    try:
        pattern = compile_expression(arguments[0])
    except RegexError as error:
        raise CheckError(f"regexp {arguments[0]}: {error}") from None
    if type(value) is not str:
        raise CheckError("no string to match regexp")
    found = pattern.search(value) is not None
    return either(found, f"valid value {quote(value)}", f"invalid value {quote(value)}")


def _type(name: str, value: Any, arguments: list[Any]) -> Verdict:
    reasons = []
    for argument in arguments:
        if type(argument) is not str:
            raise CheckError(f"type: type arg requires string, but got {type_name(argument)}")
        if argument == type_name(value):
            return Verdict(True, f"is of type {argument}")
        reasons.append(f"is not of type {argument}")
    return Verdict(False, reasons[0] if len(reasons) == 1 else f"({' and '.join(reasons)})")


def _rule(text: str, pattern: str, rule: str, most: int, example: str) -> str:
    """What is wrong with a DNS name, in brackets; empty if nothing is."""
    faults = []
    if len(text.encode("utf-8", "surrogateescape")) > most:
        faults.append(f"must be no more than {most} characters")
    if not _is_match(pattern, text):
        examples = f" (e.g. '{example}',  or '123-abc', " if example == "my-name" else f" (e.g. '{example}', "
        faults.append(f"{rule}{examples}regex used for validation is '{pattern}')")
    return f"[{' '.join(faults)}]" if faults else ""


def _is_match(pattern: str, text: str) -> bool:
    return len(text) < 1000 and re.fullmatch(pattern, text) is not None and not text.endswith("\n")


def _label_fault(text: str) -> str:
    return _rule(text, _LABEL, _LABEL_RULE, 63, "my-name")


def _domain_fault(text: str) -> str:
    return _rule(text, _DOMAIN, _DOMAIN_RULE, 253, "example.com")


def _wildcard_fault(text: str) -> str:
    return _rule(text, _WILDCARD, _WILDCARD_RULE, 253, "*.example.com")


def _named_text(name: str, value: Any) -> str:
    try:
        return text_of(name, value)
    except CheckError as error:
        raise CheckError(f"{name}: {error}") from None


def _dnsname(name: str, value: Any) -> Verdict:
    text = _named_text(name, value)
    fault = _wildcard_fault(text) and _domain_fault(text)
    return either(not fault, "is dns name", f"is no dns name: {fault}")


def _form(what: str, fault_of: Callable[[str], str]) -> Callable[[str, Any], Verdict]:
    def condition(name: str, value: Any) -> Verdict:
        fault = fault_of(_named_text(name, value))
        return either(not fault, f"is {what}", f"is no {what}: {fault}")

    return condition


def _ip(name: str, value: Any) -> Verdict:
    text = _named_text(name, value)
    return either(parse_ip(text) is not None, "is ip address", f"is no ip address: {text}")


def _cidr(name: str, value: Any) -> Verdict:
    text = _named_text(name, value)
    return either(parse_network(text) is not None, "is CIDR", f"is no CIDR: {network_fault(text)}")


def _key_form(what: str, fault_of: Callable[[str], str]) -> Callable[[str, Any], Verdict]:
    def condition(name: str, value: Any) -> Verdict:
        fault = fault_of(text_of(name, value))
        return either(not fault, f"is {what}", f"is no {what}: {fault}")

    return condition


def _ca(name: str, value: Any) -> Verdict:
    text = text_of(name, value)
    fault = keys.certificate_fault(text)
    if fault:
        return Verdict(False, f"is no certificate: {fault}")
    return either(keys.is_ca(text), "is ca", "is no ca certificate: %!s(<nil>)")


SIMPLE: dict[str, Callable[[str, Any, list[Any]], Verdict]] = {
    "empty": _empty,
    "valueset": _valueset,
    "value": _value,
    "=": _value,
    "gt": _greater,
    ">": _greater,
    "lt": _less,
    "<": _less,
    "ge": _at_least,
    ">=": _at_least,
    "le": _at_most,
    "<=": _at_most,
    "match": _match,
    "~=": _match,
    "type": _type,
}
TEXT_CHECKS: dict[str, Callable[[str, Any], Verdict]] = {
    "dnsname": _dnsname,
    "dnslabel": _form("dns label", _label_fault),
    "dnsdomain": _form("dns domain", _domain_fault),
    "wildcarddnsdomain": _form("wildcard dns domain", _wildcard_fault),
    "ip": _ip,
    "cidr": _cidr,
    "publickey": _key_form("public key", keys.public_key_fault),
    "privatekey": _key_form("private key", keys.private_key_fault),
    "certificate": _key_form("certificate", keys.certificate_fault),
    "ca": _ca,
}
