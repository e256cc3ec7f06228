"""The rules that objects must follow beyond their schema, for admission and for the validating webhook.

Pure functions over plain JSON data. They never raise: whatever is wrong, also what a schema would have caught, is
returned as a fault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.api import faults, installation_rules, item_rules
from landform.api.names import TRUE, Label
from landform.api.nodes import Node, Notes
from landform.api.structs import API_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from landform.api.faults import Fault

VALIDATED: Mapping[str, Callable[[Node, Node | None], None]] = {
    "Installation": installation_rules.check,
    "Execution": item_rules.check_execution,
    "DeployItem": item_rules.check_deploy_item,
    "Target": item_rules.check_target,
}
"""The kinds that have rules, and what checks them."""


def validate(obj: Any, old: Any = None) -> list[Fault]:
    """What is wrong with an object that is to be stored, `old` being what it replaces; empty if nothing is.

    Objects that are not ours, kinds without rules, and objects with the label
    ``validation.landscaper.gardener.cloud/skip-validation: "true"`` pass. So do objects that are being deleted: what
    holds them must be able to let go, whatever rule they have broken since they were stored.
    """
    if not isinstance(obj, dict):
        return [faults.type_invalid("", obj, "object")]
    kind = obj.get("kind")
    check = VALIDATED.get(kind) if isinstance(kind, str) and obj.get("apiVersion") == API_VERSION else None
    if check is None or _skips_validation(obj) or _is_going(obj):
        return []
    notes = Notes()
    # What is wrong with the old object is no longer anybody's concern, so its faults are not kept.
    check(Node(obj, "", notes), Node(old, "", Notes()) if isinstance(old, dict) else None)
    return notes.faults


def _skips_validation(obj: dict[str, Any]) -> bool:
    metadata = obj.get("metadata")
    labels = metadata.get("labels") if isinstance(metadata, dict) else None
    return isinstance(labels, dict) and labels.get(Label.SKIP_VALIDATION) == TRUE


def _is_going(obj: dict[str, Any]) -> bool:
    metadata = obj.get("metadata")
    return isinstance(metadata, dict) and bool(metadata.get("deletionTimestamp"))
