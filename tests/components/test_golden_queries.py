"""What people ask a repository for, with the outcome that the original's client had: every recorded query."""

from __future__ import annotations

import functools
import json
import re
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from tests.components.static_registry import GOLDEN, StaticRegistry
from tests.components.test_registry_tls import PASSWORD, make_certificate, tls_config

from landform.components import ocmconfigs, selection, versions
from landform.components.errors import ComponentError
from landform.components.ocmconfigs import OcmConfig, Rule
from landform.components.overwrites import ComponentReference
from landform.components.resolving import ComponentContext
from landform.gotemplate.sprig.constraints import satisfies
from landform.gotemplate.sprig.versions import parse

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from landform.components.resolving import Resolver
    from landform.components.versions import ComponentVersion

    Resolvers = Callable[..., AbstractAsyncContextManager[Resolver]]

QUERIES: list[dict[str, Any]] = json.loads((GOLDEN / "expected/queries.json").read_bytes())
NEVER_OFFERED = "all mode not supported"
"""What the client says where it is asked for all components of a registry; here nothing asks for them."""


@dataclass(frozen=True)
class Query:
    """A recorded command, taken apart."""

    recorded: dict[str, Any]
    verb: str
    context: ComponentContext
    component: str
    rest: tuple[str, ...]
    options: frozenset[str]

    @property
    def reference(self) -> ComponentReference:
        name, _, version = self.component.rpartition(":")
        return ComponentReference(name, version)


def _repository(text: str) -> dict[str, Any]:
    if text.startswith("{"):
        value: dict[str, Any] = json.loads(text)
        return value
    if text.startswith("http"):
        return {"type": "OCIRegistry", "baseUrl": text}
    return {"type": "ComponentArchive" if text == "archive" else "CommonTransportFormat", "filePath": text}


def _query(recorded: dict[str, Any]) -> Query:
    """The meaning of a command line: options with values, then the component, then what is wanted of it."""
    args, values, options, plain = list(recorded["args"]), {}, set(), []
    while args:
        arg = args.pop(0)
        if arg in ("--repo", "--lookup", "-o", "-O"):
            values[arg] = args.pop(0)
        elif arg.startswith("-"):
            options.add(arg)
        else:
            plain.append(arg)
    verb, component, rest = " ".join(plain[:2]), plain[2] if len(plain) > 2 else "", plain[3:]
    repository = values.get("--repo", "")
    if not repository:
        # Without --repo the component is written behind its repository, or is the only one of an archive.
        found = re.fullmatch(r"(.+)//([^/].*)", component)
        repository, component = found.groups() if found else (component, "example.com/golden/archived:1.0.0")
    rules = (Rule(_repository(values["--lookup"])),) if "--lookup" in values else ()
    context = ComponentContext(_repository(repository), OcmConfig(rules))
    return Query(recorded, verb, context, component, tuple(rest), frozenset({*options, values.get("-o", "")}))


@asynccontextmanager
async def _world(query: dict[str, Any], resolver: Resolvers, folder: Path) -> AsyncIterator[tuple[Resolver, Query]]:
    """Something to ask, and the query with the addresses that are good here."""
    if not query["name"].startswith("tls"):
        async with (
            StaticRegistry().load("plain").serve() as registry,
            resolver(registry.url, root=GOLDEN / "storage") as it,
        ):
            text = json.dumps(query)
            if "without scheme" in query["name"]:
                text = text.replace("127.0.0.1:15000", "127.0.0.1:1")  # https, where nobody listens for it
            yield it, _query(json.loads(text))
        return
    tls, authority = make_certificate(folder)
    async with StaticRegistry(password=PASSWORD).load("tls").serve(tls) as registry, resolver() as it:
        port = registry.url.rpartition(":")[2]
        made = _query(json.loads(json.dumps(query).replace("15443", port)))
        config = tls_config("t-good.ocmconfig", int(port), authority) if "config" in query else ocmconfigs.EMPTY
        yield it, Query(**{**vars(made), "context": ComponentContext(made.context.repository_context, config)})


@pytest.mark.parametrize("recorded", QUERIES, ids=lambda query: str(query["name"]))
async def test_a_query_ends_as_recorded(recorded: dict[str, Any], resolver: Resolvers, tmp_path: Path) -> None:
    if NEVER_OFFERED in recorded.get("stderr", ""):
        assert recorded["exit"] == 1
        return
    async with _world(recorded, resolver, tmp_path) as (it, query):
        if query.verb == "show versions" or ":" not in query.component:
            await _compare_versions(it, query)
        # The client only warns of a dangling reference, and goes on; nobody can install such a component version.
        elif recorded["exit"] or "<unknown component version>" in recorded.get("stdout", "") or _dangles(recorded):
            with pytest.raises(ComponentError):
                await it.resolve(query.reference, query.context)
        else:
            _compare(query, await it.resolve(query.reference, query.context))


def _dangles(recorded: dict[str, Any]) -> bool:
    return "dangling" in recorded["name"]


async def _compare_versions(it: Resolver, query: Query) -> None:
    """All versions in order, those that fit a constraint, or the latest that is no pre-release.

    A component that a registry does not know has no versions; the client says so for archives, and fails for others.
    """
    found = sorted(await it.versions(query.component, query.context), key=functools.cmp_to_key(_order))
    if query.rest:
        found = [version for version in found if satisfies(query.rest[0], version)]
    if "--latest" in query.options:
        found = [version for version in found if "-" not in version][-1:]
    lines = query.recorded.get("stdout", "").splitlines()
    if query.verb == "get cv":
        lines = [line.split()[1] for line in lines[1:]]
    assert found == lines


def _order(one: str, other: str) -> int:
    return parse(one).compare(parse(other))


def _compare(query: Query, version: ComponentVersion) -> None:
    match query.verb:
        case "get cv" if "-r" in query.options:
            _compare_closure(query.recorded, version)
        case "get cv":
            assert [query.component.rpartition(":")[0], version.version] == _rows(query.recorded)[0][:2]
        case "get references":
            assert _canonical(_reference_items(version)) == _canonical(query.recorded["json"]["items"])
        case "get resources" if "-r" in query.options:
            assert sorted(_resource_rows(version)) == sorted(map(_without_identity, _rows(query.recorded)))
        case "get resources" | "download resources":
            _compare_selection(query, version)
        case _:
            pytest.fail(f"nobody compares {query.verb}")


def _compare_selection(query: Query, version: ComponentVersion) -> None:
    name, *identity = query.rest
    selector = {"name": name, **dict(pair.split("=", 1) for pair in identity)}
    recorded = query.recorded.get("json") or {"items": []}
    assert selection.resources(version.descriptor, selector) == [item["element"] for item in recorded["items"]]


def _compare_closure(recorded: dict[str, Any], version: ComponentVersion) -> None:
    found = [versions.key(path[-1]) for path in _paths(version)]
    if "closure" in recorded:
        assert found == [tuple(each) for each in recorded["closure"]]
        return
    # In a table a row begins with the path to it, in a tree with lines; the first part that is a name is that of the
    # component in a tree, and the path in a table.
    rows = [[part for part in row if part.strip("└─├│⊗")] for row in _rows(recorded)]
    names = [row[1:3] if ":" in row[0] else row[:2] for row in rows]
    assert [list(each) for each in found] == names


def _paths(version: ComponentVersion) -> Iterator[tuple[Any, ...]]:
    """Every way from the component version to another, as the client walks: the same one twice below one is one."""

    def walk(path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        yield path
        wanted = {
            (each["componentName"], each["version"]): None for each in path[-1]["component"]["componentReferences"]
        }
        for key in wanted:
            yield from walk((*path, version.member(*key)))

    yield from walk((version.descriptor,))


def _reference_items(version: ComponentVersion) -> list[dict[str, Any]]:
    return [
        {"context": [":".join(versions.key(each)) for each in path], "element": reference}
        for path in _paths(version)
        for reference in path[-1]["component"]["componentReferences"]
    ]


def _resource_rows(version: ComponentVersion) -> Iterator[list[str]]:
    for path in _paths(version):
        for resource in path[-1]["component"]["resources"]:
            access = {key: value for key, value in resource["access"].items() if key != "type"}
            yield [
                "->".join(":".join(versions.key(each)) for each in path),
                resource["name"],
                resource["version"],
                resource["type"],
                resource["relation"],
                resource["access"]["type"],
                json.dumps(access, sort_keys=True, separators=(",", ":")),
            ]


def _canonical(items: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(item, sort_keys=True) for item in items)


def _rows(recorded: dict[str, Any]) -> list[list[str]]:
    return [line.split() for line in recorded["stdout"].splitlines()[1:]]


def _without_identity(row: list[str]) -> list[str]:
    """A row of resources; none of those that are recorded has an identity."""
    assert len(row) == 7
    return row
