"""Conditions: lasting statements about an object, with the rules by which their times move."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

import msgspec

from landform.api.structs import Part, Time

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime


class ConditionStatus(enum.StrEnum):
    """Whether what a condition's type says is so."""

    TRUE = "True"
    FALSE = "False"
    UNKNOWN = "Unknown"
    PROGRESSING = "Progressing"
    """It was so, is not now, and may be again within a set time."""


class ConditionType(enum.StrEnum):
    """The conditions that Landform sets."""

    ENSURE_SUB_INSTALLATIONS = "EnsureSubInstallations"
    """Installation: the sub-Installations are as the blueprint wants them."""

    RECONCILE_EXECUTION = "ReconcileExecution"
    """Installation: the Execution is as the blueprint wants it."""

    VALIDATE_IMPORTS = "ValidateImports"
    """Installation: the imports exist and match their schemas."""

    CREATE_IMPORTS = "CreateImports"
    """Installation: the imports were written for the sub-Installations."""

    CREATE_EXPORTS = "CreateExports"
    """Installation: the exports were written."""

    COMPONENT_REFERENCE_OVERWRITE = "ComponentReferenceOverwrite"
    """Installation: its component reference was overwritten."""

    DEPLOY_ITEM_VALIDATION = "DeployItemValidation"
    """DeployItem: its configuration is valid."""

    WAITING = "Waiting"
    """Installation, Execution, DeployItem: it stands still; the message names what it waits for."""

    LATE_DATA = "LateData"
    """Installation, Execution, DeployItem: there are exported values, its own or below it, that came after the last
    job and that no job has published yet."""

    AUTOMATIC_RECONCILE = "AutomaticReconcile"
    """Installation: its schedules can be followed; there only as long as one cannot."""

    HEALTHY = "Healthy"
    """Installation, Execution: everything below it is now as the last job left it."""


class Condition(Part):
    """One statement about the object."""

    type: str
    """What the statement is about."""

    status: str
    """Whether it is so: True, False, Unknown or Progressing."""

    last_transition_time: Time
    """When the status last changed."""

    last_update_time: Time
    """When anything of the condition last changed."""

    reason: str
    """One word for why the status is what it is."""

    message: str
    """The same for people."""

    codes: tuple[str, ...] | None = None
    """Error codes, when the condition reports a problem."""


def updated(
    condition: Condition | None,
    *,
    type: str,
    status: str,
    reason: str,
    message: str,
    codes: Iterable[str] = (),
    now: datetime,
) -> Condition:
    """The condition after the statement was made again at `now`; the same object if it says nothing new.

    `lastTransitionTime` moves only when the status changes, `lastUpdateTime` when anything does.
    """
    moment = now.replace(microsecond=0)
    said: dict[str, Any] = {
        "status": str(status),
        "reason": reason,
        "message": message,
        "codes": tuple(map(str, codes)) or None,
    }
    if condition is None:
        return Condition(type=str(type), last_transition_time=moment, last_update_time=moment, **said)
    if not said["codes"] and not condition.codes:
        said["codes"] = condition.codes  # an empty list and none at all are no difference
    if condition.status != status:
        said["last_transition_time"] = moment
    new = msgspec.structs.replace(condition, **said)
    return condition if new == condition else msgspec.structs.replace(new, last_update_time=moment)


def find(conditions: Iterable[Condition] | None, type: str) -> Condition | None:
    """The condition of that type, or None."""
    return next((condition for condition in conditions or () if condition.type == type), None)


def without(conditions: tuple[Condition, ...] | None, type: str) -> tuple[Condition, ...] | None:
    """The conditions but that of a type; the very same tuple if it is not there."""
    if find(conditions, type) is None:
        return conditions
    return tuple(condition for condition in conditions or () if condition.type != type)


def merged(conditions: tuple[Condition, ...] | None, *news: Condition) -> tuple[Condition, ...] | None:
    """The conditions with `news` in the places of those of the same type, else at the end.

    The very same tuple comes back if nothing changes, so that callers can skip the write.
    """
    result = list(conditions or ())
    places = {condition.type: place for place, condition in enumerate(result)}
    for new in news:
        if new.type in places:
            result[places[new.type]] = new
        else:
            places[new.type] = len(result)
            result.append(new)
    return conditions if tuple(result) == (conditions or ()) else tuple(result)
