"""What a query string asks for: the options of lists, writes and deletions. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from landform.cluster.errors import BadRequest, Cause, Invalid
from landform.cluster.interface import DeleteOptions, ListOptions, Propagation, WriteOptions
from landform.embedded.merging import managers

Query = Mapping[str, str]

_FIELD_VALIDATIONS = ("", "Ignore", "Warn", "Strict")


def parse(text: str) -> Query:
    """The parameters of a query string; of one given twice, the first."""
    found: dict[str, str] = {}
    for key, value in parse_qsl(text, keep_blank_values=True):
        found.setdefault(key, value)
    return found


def flag(query: Query, name: str) -> bool:
    """A yes-or-no parameter, as the API server reads it: anything but a clear no is a yes."""
    return name in query and query[name].lower() not in ("false", "0", "f")


def list_options(query: Query) -> ListOptions:
    """The options of a list or a watch."""
    options = ListOptions(
        label_selector=query.get("labelSelector", ""),
        field_selector=query.get("fieldSelector", ""),
        resource_version=query.get("resourceVersion", ""),
        resource_version_match=query.get("resourceVersionMatch", ""),
        limit=max(0, _whole_number(query, "limit") or 0),
        continue_token=query.get("continue", ""),
        send_initial_events=flag(query, "sendInitialEvents"),
        timeout_seconds=_whole_number(query, "timeoutSeconds"),
    )
    if flag(query, "watch"):
        _check_watch(query, options)
    return options


def _check_watch(query: Query, options: ListOptions) -> None:
    match = options.resource_version_match
    if "sendInitialEvents" in query and match != "NotOlderThan":
        raise _invalid_list_option(
            "resourceVersionMatch",
            "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
        )
    if match and "sendInitialEvents" not in query:
        raise _invalid_list_option(
            "resourceVersionMatch",
            "Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
        )


def _invalid_list_option(field: str, message: str) -> Invalid:
    cause = Cause("FieldValueForbidden", message, field)
    return Invalid(
        f'ListOptions.meta.k8s.io "" is invalid: {field}: {message}',
        causes=(cause,),
        details={"group": "meta.k8s.io", "kind": "ListOptions"},
    )


def write_options(query: Query, subresource: str, *, applying: bool = False, kind: str) -> WriteOptions:
    """The options of a create, update or patch; `kind` is their name in errors, such as CreateOptions."""
    validation = query.get("fieldValidation", "")
    if validation not in _FIELD_VALIDATIONS:
        raise _invalid_write_option(kind, "fieldValidation", validation, '"Ignore", "Strict", "Warn"')
    manager = query.get("fieldManager", "")
    if manager or applying:
        managers.check_manager(manager, options=kind, applying=applying)
    return WriteOptions(
        subresource=subresource,
        dry_run=_dry_run(query.get("dryRun"), kind),
        field_manager=manager,
        force=flag(query, "force"),
        field_validation=validation,
    )


def _invalid_write_option(kind: str, field: str, value: str, supported: str) -> Invalid:
    message = f'Unsupported value: "{value}": supported values: {supported}'
    return Invalid(
        f'{kind}.meta.k8s.io "" is invalid: {field}: {message}',
        causes=(Cause("FieldValueNotSupported", message, field),),
        details={"group": "meta.k8s.io", "kind": kind},
    )


def _dry_run(value: str | None, kind: str) -> bool:
    if value not in (None, "", "All"):
        raise _invalid_write_option(kind, "dryRun", str(value), '"All"')
    return value == "All"


def delete_options(query: Query, body: Any) -> DeleteOptions:
    """The options of a deletion, from its body or, where that says nothing, from the query."""
    if body is not None and not isinstance(body, dict):
        raise BadRequest("the body of a deletion must be DeleteOptions")
    given = body or {}
    preconditions = given.get("preconditions") or {}
    asked = given.get("dryRun") or ([query["dryRun"]] if "dryRun" in query else [])
    return DeleteOptions(
        uid=str(preconditions.get("uid") or ""),
        resource_version=str(preconditions.get("resourceVersion") or ""),
        propagation=_propagation(given, query),
        grace_period_seconds=_grace_period(given, query),
        dry_run=any(_dry_run(value, "DeleteOptions") for value in asked),
    )


def _propagation(given: Mapping[str, Any], query: Query) -> Propagation | None:
    orphan = given.get("orphanDependents", query.get("orphanDependents"))
    if orphan is not None:
        return Propagation.ORPHAN if orphan in (True, "true") else Propagation.BACKGROUND
    policy = given.get("propagationPolicy") or query.get("propagationPolicy")
    if not policy:
        return None
    try:
        return Propagation(policy)
    except ValueError:
        raise _invalid_write_option(
            "DeleteOptions", "propagationPolicy", str(policy), '"Background", "Foreground", "Orphan"'
        ) from None


def _grace_period(given: Mapping[str, Any], query: Query) -> int | None:
    if isinstance(given.get("gracePeriodSeconds"), int):
        return int(given["gracePeriodSeconds"])
    return _whole_number(query, "gracePeriodSeconds")


def _whole_number(query: Query, name: str) -> int | None:
    text = query.get(name, "")
    if not text:
        return None
    if not text.removeprefix("-").isdecimal():
        raise BadRequest(f'{name}: Invalid value: "{text}": it must be a whole number')
    return int(text)
