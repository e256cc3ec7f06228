"""What a query string asks for: the options of lists, writes and deletions. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from landform.cluster.errors import BadRequest
from landform.cluster.interface import DeleteOptions, ListOptions, Propagation, WriteOptions
from landform.embedded import faults
from landform.embedded.schemas import causes

Query = Mapping[str, str]


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
    match, why = options.resource_version_match, ""
    if "sendInitialEvents" in query and match != "NotOlderThan":
        why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
    elif match and "sendInitialEvents" not in query:
        why = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
    if why:
        raise faults.invalid_options("ListOptions", [causes.forbidden("resourceVersionMatch", why)])


def write_options(query: Query, subresource: str, *, kind: str) -> WriteOptions:
    """The options of a create, update or patch; `kind` is their name in errors, such as CreateOptions."""
    return WriteOptions(
        subresource=subresource,
        dry_run=_dry_run(query.get("dryRun"), kind),
        field_manager=query.get("fieldManager", ""),
        force=kind == "PatchOptions" and flag(query, "force"),
        field_validation=query.get("fieldValidation", ""),
    )


def _dry_run(value: str | None, kind: str) -> bool:
    if value not in (None, "", "All"):
        raise faults.invalid_options(kind, [causes.not_supported("dryRun", value, ["All"])])
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
        fault = causes.not_supported("propagationPolicy", policy, sorted(Propagation))
        raise faults.invalid_options("DeleteOptions", [fault]) from None


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
