"""Record what a real API server says of itself: ``python -m tests.golden.documents.record``.

Kept are the parts about resources that the embedded API serves too, and of OpenAPI what clients go by: which
operations there are, of which kind, with which parameters, and how a custom kind is described.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.cluster.controlplane.plane import ControlPlane
from tests.embedded.documents.crontabs import crontabs
from tests.golden.tables.record import Server

from landform.embedded import discovery
from landform.embedded.catalog import Catalog
from landform.embedded.definitions import defaulted, types_of
from landform.embedded.kinds import builtin_types
from landform.embedded.openapi.operations import prefix_of

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).parent
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def main() -> None:
    """Record with one control plane that has the definition of CronTabs."""
    catalog = Catalog(builtin_types())
    for type_ in types_of(defaulted(crontabs())):
        catalog.add(type_)
    with ControlPlane() as plane:
        server = Server(plane)
        server.ask("POST", DEFINITIONS, crontabs())
        # Nothing tells when the documents know of a new definition.
        time.sleep(5)
        _write("definition", _get(server, f"{DEFINITIONS}/crontabs.stable.example.com"))
        _write("discovery", dict(_discovery(server, catalog)))
        _write("aggregated", {path: _get(server, path, aggregated=True) for path in ("/api", "/apis")})
        _write("operations", dict(_operations(server, catalog)))
        _write("schemas", _schemas(server))


def _get(server: Server, path: str, *, aggregated: bool = False) -> Any:
    accept = discovery.aggregated_media_type("v2") if aggregated else "application/json"
    return server.ask("GET", path, accept=accept)[0]


def _discovery(server: Server, catalog: Catalog) -> Iterator[tuple[str, Any]]:
    """The plain documents by their path."""
    for group, versions in discovery.groups_in(catalog).items():
        if group:
            yield f"/apis/{group}", _get(server, f"/apis/{group}")
        for version in versions:
            yield prefix_of(group, version), _get(server, prefix_of(group, version))


def _operations(server: Server, catalog: Catalog) -> Iterator[tuple[str, Any]]:
    """Of each operation its id, action, kind and query parameters, by method and path."""
    for group, versions in discovery.groups_in(catalog).items():
        for version in versions:
            document = _get(server, f"/openapi/v3{prefix_of(group, version)}")
            for path, item in document["paths"].items():
                for method in sorted(item.keys() & {"get", "put", "post", "patch", "delete"}):
                    yield f"{method} {path}", operation_facts(item[method])


def operation_facts(operation: dict[str, Any]) -> list[Any]:
    """What clients go by."""
    parameters = [p["name"] for p in operation.get("parameters", ()) if p["in"] == "query"]
    kind = operation.get("x-kubernetes-group-version-kind", {})
    return [operation["operationId"], operation.get("x-kubernetes-action", ""), kind, sorted(parameters)]


def _schemas(server: Server) -> dict[str, Any]:
    """The custom kind in both versions of OpenAPI."""
    v3 = _get(server, "/openapi/v3/apis/stable.example.com/v1")["components"]["schemas"]
    v2 = _get(server, "/openapi/v2")["definitions"]
    name = "com.example.stable.v1.CronTab"
    return {"v3": v3[name], "v2": v2[name]}


def _write(name: str, content: Any) -> None:
    text = json.dumps(content, separators=(",", ":"), sort_keys=False, ensure_ascii=False)
    (FOLDER / f"{name}.json").write_text(text + "\n")
    print(f"{name}: {len(text)} characters")


if __name__ == "__main__":
    main()
