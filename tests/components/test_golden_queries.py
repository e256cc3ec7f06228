"""What people ask a repository for, with the outcome that the original's client had."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.components.static_registry import GOLDEN, StaticRegistry

from landform.components import selection, versions
from landform.components.errors import ComponentError
from landform.components.overwrites import ComponentReference
from landform.components.resolving import ComponentContext

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from landform.components.resolving import Resolver

    Resolvers = Callable[..., AbstractAsyncContextManager[Resolver]]


def _queries() -> list[dict[str, Any]]:
    return list(json.loads((GOLDEN / "expected/queries.json").read_bytes()))


def _repository(text: str) -> dict[str, Any]:
    if text.startswith("{"):
        value: dict[str, Any] = json.loads(text)
        return value
    if text.startswith("http"):
        return {"type": "OCIRegistry", "baseUrl": text}
    return {"type": "ComponentArchive" if text == "archive" else "CommonTransportFormat", "filePath": text}


def _argument(query: dict[str, Any]) -> tuple[dict[str, Any], str] | None:
    """The repository and the component of a query that names both."""
    args = query["args"]
    if "--repo" not in args or query["name"].startswith("tls"):
        return None
    at = args.index("--repo")
    rest = [arg for arg in args[2:at] + args[at + 2 :] if not arg.startswith("-")]
    return (_repository(args[at + 1]), rest[0]) if rest else None


LOOKUPS = [query for query in _queries() if query["args"][0] == "get" and query["args"][1] == "cv" and _argument(query)]


@pytest.mark.parametrize("query", LOOKUPS, ids=lambda query: str(query["name"]))
async def test_a_lookup_ends_as_recorded(query: dict[str, Any], resolver: Resolvers) -> None:
    found = _argument(query)
    assert found is not None
    repository, component = found
    async with (
        StaticRegistry().load("plain").serve() as registry,
        resolver(registry.url, root=GOLDEN / "storage") as it,
    ):
        if "base url without scheme" in query["name"]:
            repository["baseUrl"] = repository["baseUrl"].replace("127.0.0.1:15000", "127.0.0.1:1")
        context = ComponentContext(repository)
        if ":" not in component:
            assert sorted(await it.versions(component, context)) == sorted({row["version"] for row in _rows(query)})
            return
        name, _, version_text = component.rpartition(":")
        reference = ComponentReference(name, version_text)
        # The client only warns of a dangling reference, and goes on; nobody can install such a component version.
        if query["exit"] or "dangling" in query["name"]:
            with pytest.raises(ComponentError):
                await it.resolve(reference, context)
            return
        version = await it.resolve(reference, context)
        if "closure" in query:
            assert {versions.key(each) for each in version.closure} == {tuple(each) for each in query["closure"]}


def _rows(query: dict[str, Any]) -> list[dict[str, str]]:
    lines = query["stdout"].splitlines()
    return [{"version": line.split()[1]} for line in lines[1:]]


@pytest.mark.parametrize("place", ["ctf", "oci"])
async def test_resources_are_selected_as_recorded(place: str, resolver: Resolvers) -> None:
    by_name = {query["name"]: query for query in _queries()}
    repository = "ctf" if place == "ctf" else "http://127.0.0.1:15000/team/a"
    async with (
        StaticRegistry().load("plain").serve() as registry,
        resolver(registry.url, root=GOLDEN / "storage") as it,
    ):
        reference = ComponentReference("example.com/golden/identity", "3.0.0-rc.2")
        version = await it.resolve(reference, ComponentContext(_repository(repository)))
    for name, selector in (
        (f"{place}: resource by name and identity", {"name": "tool", "os": "linux"}),
        (f"{place}: resources of equal name", {"name": "tool"}),
    ):
        recorded = [item["element"] for item in by_name[name]["json"]["items"]]
        assert selection.resources(version.descriptor, selector) == recorded
