"""Reading Secrets that other objects name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.api.errors import OperationFailed
from landform.cluster.resources import SECRETS
from landform.components import contextobjects
from landform.components.contextobjects import ObjectMissing
from landform.installations.sources import OPERATION

if TYPE_CHECKING:
    from landform.cluster.interface import Reader
    from landform.cluster.resources import ObjectKey


async def secret(reader: Reader, key: ObjectKey, by: str, reason: str) -> dict[str, str]:
    """The texts of a Secret by their keys; OperationFailed that tells by whom it is named if there is none."""
    try:
        return contextobjects.texts(await contextobjects.named(reader, SECRETS, key, by))
    except ObjectMissing as error:
        raise OperationFailed(OPERATION, reason, str(error)) from error
