"""The configuration of a mock item; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from landform.api.errors import OperationFailed
from landform.kit import durations

if TYPE_CHECKING:
    from collections.abc import Mapping

API_VERSION = "mock.deployer.landscaper.gardener.cloud/v1alpha1"


class Configuration(msgspec.Struct, rename="camel"):
    """What a mock item says of itself."""

    phase: str | None = None
    """The phase that it reaches; one that is not final is kept until the item's time is over. Default Succeeded."""

    initial_phase: str | None = None
    """A phase that it shows before."""

    provider_status: dict[str, Any] | None = None
    """Copied to the status as it is."""

    export: dict[str, Any] | None = None
    """The values that it exports."""

    continuous_reconcile: dict[str, Any] | None = None
    """When it is deployed again: `every` or `cron`; of both, `cron` counts."""

    delay: str | None = None
    """How long deploying takes; Landform's own. Default: no time at all."""

    @property
    def delay_seconds(self) -> float:
        """How long deploying takes, in seconds."""
        return durations.parse(self.delay).seconds if self.delay else 0.0


def read(config: Mapping[str, Any]) -> Configuration:
    """The configuration; OperationFailed if it is none. That may pass: the original never gives up here either."""
    try:
        configuration = msgspec.convert(config, Configuration)
        _ = configuration.delay_seconds
    except (msgspec.ValidationError, durations.DurationError) as fault:
        raise OperationFailed("ReconcileMockDeployItem", "FailedUnmarshal", f"spec.config: {fault}") from fault
    return configuration
