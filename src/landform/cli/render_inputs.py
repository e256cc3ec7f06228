"""What ``landform render`` is given: a blueprint, values for its imports, and what else its templates may see."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import click
import yaml

from landform.blueprints import files
from landform.blueprints.definitions import FILE, FlowType, all_imports
from landform.blueprints.templating.rendering import Exported
from landform.blueprints.values import ImportValue
from landform.cli import blueprint_folders, manifests
from landform.components import descriptors, versions
from landform.kit import yamls

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from landform.blueprints.definitions import Blueprint
    from landform.blueprints.files import BlueprintFiles
    from landform.components.versions import ComponentVersion


@dataclass(frozen=True)
class Source:
    """Where a blueprint comes from, with what its Installation says."""

    files: BlueprintFiles
    spec: Mapping[str, Any] = field(default_factory=dict)
    """The Installation's spec; empty for a mere folder."""
    namespace: str = "default"

    def field(self, name: str) -> dict[str, Any]:
        """A map of the spec."""
        return _map(self.spec.get(name), f"spec.{name}")


def source(path: Path) -> Source:
    """The blueprint of a folder, of its `blueprint.yaml`, or of the Installation in a manifest."""
    if path.is_file() and path.name != FILE:
        return _installation(path)
    folder = path.parent if path.is_file() else path
    if not blueprint_folders.is_blueprint(folder):
        raise click.ClickException(f"there is no {FILE} in {folder}; name a blueprint's folder or an Installation")
    return Source(files.from_folder(folder))


def _installation(path: Path) -> Source:
    found = [manifest for manifest in manifests.read([path]) if manifest.obj["kind"] == "Installation"]
    if len(found) != 1:
        raise click.ClickException(f"{path} has {len(found)} Installations; render takes exactly one")
    spec = _map(found[0].obj.get("spec"), f"{found[0].place}: spec")
    blueprint = _map(spec.get("blueprint"), f"{found[0].place}: spec.blueprint")
    inline = _map(blueprint.get("inline"), f"{found[0].place}: spec.blueprint.inline")
    if "filesystem" not in inline:
        raise click.ClickException(f"{found[0].place}: its blueprint is not inline; render works without a registry")
    namespace = found[0].obj["metadata"].get("namespace", "default")
    return Source(files.from_inline(inline["filesystem"]), spec, namespace)


def imports(paths: Iterable[Path], settings: Iterable[str]) -> dict[str, Any]:
    """Values by name, of files with `imports: {name: value}` and of settings; the last one counts."""
    values: dict[str, Any] = {}
    for path in paths:
        document = _mapping(path)
        unknown = sorted(set(document) - {"imports"})
        if unknown:
            raise click.ClickException(f"{path}: unknown field {unknown[0]!r}; write `imports:` and values below it")
        values |= _map(document.get("imports"), f"{path}: imports")
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name:
            raise click.ClickException(f"--set {name}: write --set NAME=VALUE; the value is read as YAML")
        values[name] = _document(text, f"--set {name}")
    return values


def given(blueprint: Blueprint, values: Mapping[str, Any]) -> dict[str, ImportValue]:
    """The values as an Installation would have them: of the type that the blueprint wants."""
    types = {definition.name: definition.type for definition in all_imports(blueprint.imports)}
    found = {}
    for name, value in values.items():
        type_ = FlowType(types[name]) if types.get(name) in list(FlowType) else FlowType.DATA
        found[name] = ImportValue(type_, _with_names(type_, name, value), "--imports or --set")
    return found


def _with_names(type_: FlowType, name: str, value: Any) -> Any:
    """Targets with a name: a cluster would have given them one, so a file need not."""
    match type_, value:
        case FlowType.TARGET, dict():
            return _named(value, name)
        case FlowType.TARGET_LIST, list():
            return [_named(target, f"{name}-{index}") for index, target in enumerate(value)]
        case FlowType.TARGET_MAP, dict():
            return {key: _named(target, f"{name}-{key}") for key, target in value.items()}
    return value


def _named(target: Any, name: str) -> Any:
    if not isinstance(target, dict):
        return target
    metadata = target.get("metadata")
    return {**target, "metadata": {"name": name, **(metadata if isinstance(metadata, dict) else {})}}


def component(path: Path | None, spec: Mapping[str, Any]) -> ComponentVersion | None:
    """The component version of a file, else that of the Installation's inline descriptor.

    Further documents of the file are component versions that the first one refers to.
    """
    if path is None:
        inline = _map(spec.get("componentDescriptor"), "spec.componentDescriptor").get("inline")
        return versions.inline(inline) if isinstance(inline, dict) else None
    own, *others = _documents(_text(path), str(path)) or [None]
    if not isinstance(own, dict):
        raise click.ClickException(f"{path} has no component descriptor")
    version = versions.inline(own)
    return replace(version, closure=(*version.closure, *(descriptors.read(other) for other in others)))


def states(path: Path | None) -> dict[str, Any]:
    """What templates remember, of a file with `state:`; its other fields are ignored, so an earlier output will do."""
    return _map(_mapping(path).get("state"), f"{path}: state") if path is not None else {}


def exported(path: Path | None, scope: Exported) -> Exported:
    """What export executions see: the file's `deployitems`, `dataobjects` and `targets` on top of the inner scope."""
    document = _mapping(path) if path is not None else {}
    unknown = sorted(set(document) - {"deployitems", "dataobjects", "targets"})
    if unknown:
        raise click.ClickException(
            f"{path}: unknown field {unknown[0]!r}; known are deployitems, dataobjects and targets, with values by name"
        )
    return Exported(
        deployitems=_map(document.get("deployitems"), f"{path}: deployitems"),
        dataobjects={**scope.dataobjects, **_map(document.get("dataobjects"), f"{path}: dataobjects")},
        targets={**scope.targets, **_map(document.get("targets"), f"{path}: targets")},
    )


def _mapping(path: Path) -> dict[str, Any]:
    """The map that a YAML or JSON file holds; an empty file is an empty one."""
    return _map(_document(_text(path), str(path)), str(path))


def _map(value: Any, what: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise click.ClickException(f"{what} must be a map from names to values")
    return value


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.ClickException(f"cannot read {path}: {error}") from error


def _document(text: str, what: str) -> Any:
    documents = _documents(text, what)
    if len(documents) > 1:
        raise click.ClickException(f"{what} has {len(documents)} documents; one is expected")
    return documents[0] if documents else None


def _documents(text: str, what: str) -> list[Any]:
    """The documents of a text that are not empty. What is wrong with it is told without its content."""
    try:
        return [document for document in yamls.load_all(text) if document is not None]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise click.ClickException(f"{what}{place}: this is not valid YAML: {error.problem}") from None
    except (yaml.YAMLError, ValueError):
        raise click.ClickException(f"{what}: this is not valid YAML") from None
