"""TargetSync: keeps Targets in step with the clusters of another system."""

from __future__ import annotations

from landform.api.references import LocalSecretReference
from landform.api.structs import Int64, Kind, OrDefault, Part, Time, use_defaults


class TokenRotation(Part):
    """Renewal of the access token."""

    enabled: bool | None = None
    """Whether the token is renewed before it expires."""


class TargetSyncSpec(Part):
    """What to keep in step; at most one of the two expressions."""

    source_namespace: str
    """Namespace in the other cluster."""

    secret_ref: LocalSecretReference
    """Secret with the kubeconfig of the other cluster."""

    create_target_to_source: bool | None = None
    """Also make a Target for the other cluster itself."""

    target_to_source_name: str | None = None
    """Name of that Target. Default: the source namespace."""

    secret_name_expression: str | None = None
    """Regular expression for names of Secrets to copy, each with a Target; ``*`` means all."""

    shoot_name_expression: str | None = None
    """Regular expression for names of Gardener shoots to make Targets for; ``*`` means all."""

    token_rotation: TokenRotation | None = None
    """Renewal of the access token."""


class TargetSyncStatus(Part):
    """How the last synchronisation went."""

    observed_generation: Int64 | None = None
    """The generation that was last worked on."""

    last_update_time: Time | None = None
    """When the last synchronisation was done."""

    last_errors: tuple[str, ...] | None = None
    """What went wrong in it."""

    last_token_rotation_time: Time | None = None
    """When the token was last renewed."""


NO_STATUS = TargetSyncStatus()


class TargetSync(Kind):
    """Keeps Targets in step with the clusters of another system; one per namespace."""

    spec: TargetSyncSpec
    """What to keep in step."""

    status: OrDefault[TargetSyncStatus] = NO_STATUS
    """How the last synchronisation went."""

    def __post_init__(self) -> None:
        use_defaults(self, status=NO_STATUS)
