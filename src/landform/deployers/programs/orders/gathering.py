"""Gathering what a program is given: imports, target, component descriptors, the blueprint's files, its script."""

from __future__ import annotations

import asyncio
import json
import posixpath
from typing import TYPE_CHECKING, Any

from landform.api.contexts import Context
from landform.api.errors import ErrorCode, OperationFailed
from landform.api.structs import ObjectMeta
from landform.blueprints import staging
from landform.blueprints.errors import BlueprintError
from landform.components.errors import ComponentError, Unavailable
from landform.deployers.library import targets
from landform.deployers.programs.contract.faults import ProgramDataError
from landform.deployers.programs.contract.sandboxes import Inputs
from landform.deployers.programs.files import archives

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.blueprints.staging import Staged
    from landform.components.resolving import Resolver
    from landform.deployers.library import Item
    from landform.deployers.programs.orders.specifications import Specification

_OPERATION = "GatherInputs"

_SHOWN = 8
"""So many files of a blueprint are named where one is missing."""


async def inputs(item: Item, wanted: Specification, resolver: Resolver | None) -> Inputs:
    """All that is staged for the item's program; OperationFailed if something cannot be had."""
    staged = await _staged(item, wanted, resolver)
    script = script_of(wanted, staged)
    try:
        content = None if staged.files is None else await asyncio.to_thread(archives.pack_files, staged.files)
    except ProgramDataError as fault:
        raise _wrong("BlueprintTooLarge", f"the files of the blueprint cannot be staged: {fault}") from fault
    return Inputs(
        imports=None if wanted.import_values is None else _json(wanted.import_values),
        target=b"null" if item.target is None else _json(targets.plain(item.target)),
        component_descriptors=None if staged.descriptors is None else _json(staged.descriptors),
        content=content,
        script=script,
    )


async def _staged(item: Item, wanted: Specification, resolver: Resolver | None) -> Staged:
    if not wanted.component_descriptor and not wanted.blueprint:
        return staging.Staged()
    if resolver is None:
        raise _wrong("NoRepositories", "this deployer was not told how to reach component repositories")
    order = staging.Order(wanted.component_descriptor, wanted.blueprint, wanted.pull_secrets)
    context = item.context or Context(metadata=ObjectMeta(namespace=item.namespace, name=item.spec.context or ""))
    try:
        return await staging.stage(resolver, item.home, context, order)
    except Unavailable as fault:
        raise OperationFailed(_OPERATION, "ComponentUnavailable", str(fault)) from fault
    except (ComponentError, BlueprintError) as fault:
        raise _wrong(type(fault).__name__, str(fault)) from fault


def script_of(wanted: Specification, staged: Staged) -> bytes | None:
    """The script that is to be run, if it is one; OperationFailed if the blueprint does not have it. Pure."""
    if wanted.script is not None:
        return wanted.script.encode()
    if not wanted.script_file:
        return None
    path, files = posixpath.normpath(wanted.script_file).lstrip("/"), staged.files or {}
    if path not in files:
        raise _wrong("ScriptNotFound", f'spec.config.file: "{wanted.script_file}": {_why_no_script(path, files)}')
    return files[path]


def _why_no_script(path: str, files: Mapping[str, bytes]) -> str:
    if not files:
        return "the blueprint has no files"
    if path in ("", ".") or any(name.startswith(f"{path}/") for name in files):
        return "that is a folder of the blueprint; name a file in it"
    shown, more = sorted(files)[:_SHOWN], len(files) - _SHOWN
    return f"the blueprint has no such file; it has {', '.join(shown)}" + (f" and {more} more" if more > 0 else "")


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _wrong(reason: str, message: str) -> OperationFailed:
    return OperationFailed(_OPERATION, reason, message, codes=(ErrorCode.CONFIGURATION_PROBLEM,))
