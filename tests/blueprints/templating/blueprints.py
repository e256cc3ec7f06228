"""Blueprints for tests, written in a few lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.blueprints import definitions, files
from landform.blueprints.templating.rendering import Inputs, render_deploy_items
from landform.components import versions
from landform.kit import yamls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.components.versions import ComponentVersion


def inputs(
    executions: Mapping[str, Any],
    imports: Mapping[str, Any] | None = None,
    more_files: Mapping[str, str | bytes] | None = None,
    **others: Any,
) -> Inputs:
    """Inputs for a blueprint with the given fields and files."""
    contents = {path: text.encode() if isinstance(text, str) else text for path, text in (more_files or {}).items()}
    tree = files.from_entries({"blueprint.yaml": yamls.dump(dict(executions)).encode(), **contents})
    return Inputs(definitions.read(tree), tree, imports or {}, **others)


def execution(template: Any, name: str = "main", type: str = "GoTemplate") -> dict[str, Any]:
    """An execution with its template in place."""
    return {"name": name, "type": type, "template": template}


def deploying(
    template: Any, imports: Mapping[str, Any] | None = None, type: str = "GoTemplate", **others: Any
) -> Inputs:
    """Inputs for a blueprint with one deploy execution, called main."""
    return inputs({"deployExecutions": [execution(template, type=type)]}, imports, **others)


def value_of(expression: str, imports: Mapping[str, Any] | None = None, **others: Any) -> Any:
    """What a GoTemplate expression becomes: its text, read as YAML, inside of an item."""
    template = f"deployItems:\n- name: it\n  config: {expression}\n"
    return render_deploy_items(deploying(template, imports, **others)).value[0]["config"]


def spiff_value_of(expression: str, imports: Mapping[str, Any] | None = None, **others: Any) -> Any:
    """What a Spiff expression becomes, inside of an item."""
    template = {"deployItems": [{"name": "it", "config": f"(( {expression} ))"}]}
    return render_deploy_items(deploying(template, imports, "Spiff", **others)).value[0]["config"]


def descriptor(name: str, *, references: tuple[Any, ...] = (), resources: tuple[Any, ...] = ()) -> dict[str, Any]:
    """A component descriptor of version 1.0.0."""
    return {
        "meta": {"schemaVersion": "v2"},
        "component": {
            "name": f"example.com/{name}",
            "version": "1.0.0",
            "provider": "internal",
            "repositoryContexts": [{"type": "ociRegistry", "baseUrl": "registry.example.com/repo"}],
            "sources": [],
            "componentReferences": list(references),
            "resources": list(resources),
        },
    }


def image(name: str, reference: str, **extra: str) -> dict[str, Any]:
    """A resource that is an image."""
    return {
        "name": name,
        "version": "1.0.0",
        "type": "ociImage",
        "relation": "external",
        "access": {"type": "ociRegistry", "imageReference": reference},
        **({"extraIdentity": extra} if extra else {}),
    }


def blob(name: str, media_type: str) -> dict[str, Any]:
    """A resource that is stored with its component."""
    return {
        "name": name,
        "version": "1.0.0",
        "type": "blob",
        "relation": "local",
        "access": {"type": "localBlob", "localReference": "sha256:00", "mediaType": media_type},
    }


def shop() -> ComponentVersion:
    """A component with resources, and with a reference to another component that has some too."""
    database = descriptor("database", resources=(image("server", "registry.example.com/postgres:16"),))
    own = descriptor(
        "shop",
        references=(
            {
                "name": "db",
                "componentName": "example.com/database",
                "version": "1.0.0",
                "labels": [{"name": versions.NESTED_LABEL, "value": database}],
            },
        ),
        resources=(
            image("web", "registry.example.com/web:1.2.3"),
            image("tool", "registry.example.com/tool-arm:1", arch="arm64"),
            image("tool", "registry.example.com/tool-amd:1", arch="amd64"),
            blob("notes", "text/plain"),
            blob("program", "application/octet-stream"),
        ),
    )
    return versions.inline(own)
