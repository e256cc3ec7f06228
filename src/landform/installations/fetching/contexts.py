"""What the Context of an Installation means for components."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from landform.api.errors import OperationFailed
from landform.components import contextobjects
from landform.components.errors import ConfigurationError
from landform.installations.sources import OPERATION

if TYPE_CHECKING:
    from landform.api.contexts import Context
    from landform.cluster.interface import Reader
    from landform.components.resolving import ComponentContext

_REASON: Final = "SetupRegistries"


async def read(reader: Reader, context: Context) -> ComponentContext:
    """Repository, credentials, resolvers and overwrites; OperationFailed if an object is missing or unreadable."""
    try:
        return await contextobjects.read(reader, context)
    except ConfigurationError as error:
        raise OperationFailed(OPERATION, _REASON, str(error)) from error
