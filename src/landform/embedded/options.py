"""The options of a write: which go together, whichever door the request came through. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.cluster.interface import PatchType
from landform.embedded import faults
from landform.embedded.merging import managers
from landform.embedded.schemas import causes

if TYPE_CHECKING:
    from landform.cluster.interface import WriteOptions

_FIELD_VALIDATIONS = ("", "Ignore", "Strict", "Warn")


def check(options: WriteOptions, kind: str, patch_type: PatchType | None = None) -> None:
    """Refuse options that make no sense; `kind` is what they are called, such as CreateOptions."""
    applying = patch_type is PatchType.APPLY
    found = []
    if options.force and not applying:
        found.append(causes.forbidden("force", "may not be specified for non-apply patch"))
    if applying or options.field_manager:
        found += managers.manager_faults(options.field_manager, applying=applying)
    if options.field_validation not in _FIELD_VALIDATIONS:
        found.append(causes.not_supported("fieldValidation", options.field_validation, _FIELD_VALIDATIONS))
    if found:
        raise faults.invalid_options(kind, found)
