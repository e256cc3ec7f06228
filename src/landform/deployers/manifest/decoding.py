"""From an item's configuration as it is written, in any version, to `Configuration`; pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from landform.api import faults
from landform.api.errors import ErrorCode, OperationFailed
from landform.deployers.manifest import rules
from landform.deployers.manifest.configuration import CONFIGURATION_KIND, V1ALPHA1, V1ALPHA2, Configuration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from landform.deployers.manifest.configuration import DeletionGroup

OPERATION: Final = "InitManifestOperation"

_NOT_OURS: Final = frozenset(
    (
        "manifest",
        "patchAfterDeployment",
        "patchBeforeDelete",
        "annotateBeforeCreate",
        "annotateBeforeDelete",
        "matchLabels",
        "custom",
        "continuousReconcile",
    )
)
"""Fields in which null is a value, or for others to judge."""

_DEFAULTED: Final = frozenset(("policy", "updateStrategy", "drift"))
"""Fields in which an empty text is as good as none: templates leave them so."""

_WRAPPED: Final = re.compile(r"(manifests\[\d+\])\.manifest\b")


def read(config: Mapping[str, Any]) -> Configuration:
    """The configuration; OperationFailed, for good, if it makes no sense."""
    _check_version(config)
    return _read(_newest(config), is_wrapped=True) if config["apiVersion"] == V1ALPHA1 else _read(config)


def deletion_groups(config: Mapping[str, Any]) -> list[DeletionGroup]:
    """The groups in which objects go with the item; whatever else is wrong with the configuration is no obstacle."""
    return _read({"deletionGroups": config.get("deletionGroups")}).deletion_groups or []


def _read(content: Mapping[str, Any], *, is_wrapped: bool = False) -> Configuration:
    wrong = ""
    try:
        decoded = msgspec.convert(_said(content), Configuration)
        if found := rules.check(decoded):
            wrong = faults.summary(found)
    except msgspec.ValidationError as fault:
        # The message names the place and the types, and no value.
        wrong = str(fault).replace("`$.", "`spec.config.").replace("`$[", "`spec.config[")
    if wrong:
        # Whoever wrote bare objects knows nothing of what they were wrapped in.
        raise _invalid(_WRAPPED.sub(r"\1", wrong) if is_wrapped else wrong)
    return decoded


def _said(node: Any) -> Any:
    """What is said in a configuration: null is as good as nothing, as everywhere in Kubernetes."""
    if isinstance(node, list):
        return [_said(each) for each in node]
    if not isinstance(node, dict):
        return node
    return {
        name: value if name in _NOT_OURS else _said(value)
        for name, value in node.items()
        if value is not None and not (value == "" and name in _DEFAULTED)
    }


def removed_fields(config: Mapping[str, Any]) -> list[str]:
    """The paths of fields that earlier versions had: they are ignored, everything shares the item's timeout."""
    return list(_removed(config))


def _removed(config: Mapping[str, Any]) -> Iterator[str]:
    if "kubeconfig" in config:
        yield "kubeconfig"
    exports, checks = config.get("exports"), config.get("readinessChecks")
    if isinstance(exports, dict):
        if "defaultTimeout" in exports:
            yield "exports.defaultTimeout"
        yield from _with_timeout("exports.exports", exports.get("exports"))
    if isinstance(checks, dict):
        if "timeout" in checks:
            yield "readinessChecks.timeout"
        yield from _with_timeout("readinessChecks.custom", checks.get("custom"))


def _with_timeout(path: str, nodes: Any) -> Iterator[str]:
    for number, node in enumerate(nodes if isinstance(nodes, list) else ()):
        if isinstance(node, dict) and "timeout" in node:
            yield f"{path}[{number}].timeout"


def _check_version(config: Mapping[str, Any]) -> None:
    version, kind = config.get("apiVersion"), config.get("kind")
    if version not in (V1ALPHA1, V1ALPHA2) or kind != CONFIGURATION_KIND:
        raise _invalid(
            f"it is a {kind} of {version}; a manifest item needs a {CONFIGURATION_KIND} of {V1ALPHA2} or {V1ALPHA1}"
        )


def _newest(config: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration of v1alpha1, whose manifests are bare objects, in the form of v1alpha2."""
    manifests = config.get("manifests")
    if not isinstance(manifests, list):
        return dict(config)
    return {**config, "manifests": [{"manifest": manifest} for manifest in manifests]}


def _invalid(message: str) -> OperationFailed:
    return OperationFailed(
        OPERATION, "InvalidProviderConfiguration", f"spec.config: {message}", codes=(ErrorCode.CONFIGURATION_PROBLEM,)
    )
