"""The rules for Installations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from landform.api import faults
from landform.api.scopes import INSTALLATION_PREFIX
from landform.kit import cron, durations

if TYPE_CHECKING:
    from landform.api.nodes import Node

MAX_NAME = 63 - len(INSTALLATION_PREFIX)
"""Longest name: with the scope's prefix it must fit into a label."""

MAX_GENERATE_NAME = MAX_NAME - 5
"""Longest beginning of a name: the API server adds five characters."""

_DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_DNS_LABEL_RULE = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    f"'{_DNS_LABEL.pattern}')"
)
_MAP_KEY = re.compile(r"[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?")
_MAP_KEY_RULE = (
    "a key must consist of at most 63 lower case alphanumeric characters, '-' or '.', and must start and end with an "
    "alphanumeric character"
)
_NAME_RULE = "a name is needed here"
_TARGET_VARIANTS = ("target", "targets", "targetListRef", "targetMap", "targetMapRef")


def check(obj: Node, old: Node | None) -> None:
    """Note what is wrong with an Installation."""
    _check_name(obj["metadata"])
    spec = obj["spec"]
    _check_imports(spec["imports"])
    _check_exports(spec["exports"]["data"], "dataRef")
    _check_exports(spec["exports"]["targets"], "target")
    spec["blueprint"].exactly_one_of("ref", "inline")
    if spec["componentDescriptor"].is_set:
        spec["componentDescriptor"].exactly_one_of("ref", "inline")
    for way in ("succeededReconcile", "failedReconcile"):
        _check_schedule(spec["automaticReconcile"][way])
    _check_late_data(spec["automaticReconcile"]["lateData"], obj["metadata"]["ownerReferences"])


def _check_late_data(late_data: Node, owners: Node) -> None:
    """Note a wish that would have no effect: nobody but a root begins a job."""
    if late_data.value is True and any(owner["kind"].value == "Installation" for owner in owners.elements()):
        late_data.invalid("has an effect only on a root Installation; set it there")


def check_duration(node: Node) -> None:
    """Note a text that is not a duration; absent is fine."""
    if node.value is None or not isinstance(node.value, str):
        node.text()
        return
    try:
        durations.parse(node.value)
    except ValueError as exc:
        node.invalid(f"must be a duration such as 1h30m, or none: {exc}")


def _check_name(metadata: Node) -> None:
    name, beginning = metadata["name"], metadata["generateName"]
    if not name.is_set and not beginning.is_set:
        metadata.notes.add(faults.required(name.path, "name or generateName is required"))
    if beginning.is_set and not _DNS_LABEL.fullmatch(re.sub(r"(?<=.)-\Z", "", beginning.text())):
        beginning.invalid(_DNS_LABEL_RULE)
    if name.is_set and not _DNS_LABEL.fullmatch(name.text()):
        name.invalid(_DNS_LABEL_RULE)
    if len(name.text()) > MAX_NAME:
        name.invalid(f"must be no more than {MAX_NAME} characters")
    elif len(beginning.text()) > MAX_GENERATE_NAME:
        beginning.invalid(f"must be no more than {MAX_GENERATE_NAME} characters")


def _check_imports(imports: Node) -> None:
    seen: set[str] = set()
    for element in imports["data"].elements():
        _check_unique(element, seen)
        _check_data_import(element)
    for element in imports["targets"].elements():
        _check_unique(element, seen)
        _check_target_import(element)


def _check_exports(exports: Node, reference: str) -> None:
    seen: set[str] = set()
    for element in exports.elements():
        _check_unique(element, seen)
        element[reference].required_text(f"say under which {reference} it is found")


def _check_unique(element: Node, seen: set[str]) -> None:
    name = element["name"].required_text(_NAME_RULE)
    if name in seen:
        element.notes.add(faults.duplicate(element.path, name))
    elif name:
        seen.add(name)


def _check_data_import(element: Node) -> None:
    element["dataRef"].text()
    element.exactly_one_of("dataRef", "secretRef", "configMapRef")
    for reference in ("secretRef", "configMapRef"):
        if element[reference].is_set:
            element[reference]["name"].required_text(_NAME_RULE)


def _check_target_import(element: Node) -> None:
    for reference in ("target", "targetListRef", "targetMapRef"):
        element[reference].text()
    element.exactly_one_of(*_TARGET_VARIANTS)
    for target in element["targets"].elements():
        target.required_text("the Target must be named")
    for key, target in element["targetMap"].entries():
        if not _MAP_KEY.fullmatch(key):
            element.notes.add(faults.invalid(target.path, key, _MAP_KEY_RULE))
        target.required_text("the Target must be named")


def _check_schedule(schedule: Node) -> None:
    check_duration(schedule["interval"])
    spec = schedule["cronSpec"]
    if not spec.text():
        return
    try:
        cron.parse(spec.text())
    except ValueError as exc:
        spec.invalid(f"must be a valid cron spec: {exc}")
