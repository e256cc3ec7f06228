"""Who belongs to whom, and who imports what others export; read off single Installations.

Names are compared within one scope: an Installation's siblings are those that import from and export to the same one.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

from landform.api import scopes
from landform.api.names import Annotation
from landform.api.structs import GROUP
from landform.cluster.resources import ObjectKey

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.api.installations import Installation, TargetImport
    from landform.api.structs import Kind, OwnerReference

KIND = "Installation"


class Flow(enum.StrEnum):
    """What flows under a name: both kinds have names of their own."""

    DATA = "data"
    TARGET = "target"


class Reference(NamedTuple):
    """A name in a scope that something flows under."""

    flow: Flow
    name: str
    """As it is written, but for a literal name in the root scope, which is like any other there."""

    def __str__(self) -> str:
        return f"{self.flow} {self.name!r}"


def owner_of(obj: Kind) -> OwnerReference | None:
    """The Installation that the object belongs to."""
    for owner in obj.metadata.owner_references or ():
        if owner.kind == KIND and owner.api_version.startswith(f"{GROUP}/"):
            return owner
    return None


def owner_key(obj: Kind) -> ObjectKey | None:
    """Which Installation the object belongs to."""
    owner = owner_of(obj)
    return ObjectKey(obj.metadata.namespace or "", owner.name) if owner else None


def is_root(installation: Installation) -> bool:
    """Whether it belongs to no other Installation."""
    return owner_of(installation) is None


def scope_of(installation: Installation) -> str:
    """The scope that it imports from and exports to."""
    owner = owner_of(installation)
    return scopes.outer_scope(owner.name if owner else None)


def inner_scope_of(installation: Installation) -> str:
    """The scope of its imports' copies and of its children's exports."""
    return scopes.inner_scope(installation.metadata.name or "")


def exports_of(installation: Installation) -> Iterator[Reference]:
    """What it gives to its scope."""
    exports, scope = installation.spec.exports, scope_of(installation)
    for data in exports.data or ():
        yield _reference(Flow.DATA, scope, data.data_ref)
    for target in exports.targets or ():
        if target.target:
            yield _reference(Flow.TARGET, scope, target.target)


def imports_of(installation: Installation) -> Iterator[Reference]:
    """What it takes from its scope and a sibling might give; nothing if it promises that none does.

    Elements of maps count like all others. References to a whole list or map of the parent's never come from siblings.
    """
    optimization = installation.spec.optimization
    if optimization is not None and optimization.has_no_sibling_imports:
        return
    imports, scope = installation.spec.imports, scope_of(installation)
    for data in imports.data or ():
        if data.data_ref:
            yield _reference(Flow.DATA, scope, data.data_ref)
    for target in imports.targets or ():
        for name in target_names(target):
            yield _reference(Flow.TARGET, scope, name)


def target_names(imported: TargetImport) -> tuple[str, ...]:
    """The names of the Targets of an import, if it names them one by one."""
    if imported.target:
        return (imported.target,)
    return imported.targets or tuple((imported.target_map or {}).values())


def shares_exports(installation: Installation) -> bool:
    """Whether siblings may import what it exports; it can promise that none does."""
    optimization = installation.spec.optimization
    return optimization is None or not optimization.has_no_sibling_exports


def template_name(installation: Installation) -> str:
    """The name of a sub-Installation in its parent's blueprint; empty if it says none."""
    return (installation.metadata.annotations or {}).get(Annotation.SUBINSTALLATION_NAME, "")


def title(installation: Installation) -> str:
    """How people are told of it: ``sub-installation db-x7k2p (db)``."""
    if is_root(installation):
        return f"installation {installation.metadata.name}"
    name = template_name(installation)
    return f"sub-installation {installation.metadata.name}" + (f" ({name})" if name else "")


def _reference(flow: Flow, scope: str, name: str) -> Reference:
    return Reference(flow, name.removeprefix(scopes.LITERAL_PREFIX) if scope == scopes.ROOT else name)
