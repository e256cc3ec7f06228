"""A shop with a database and a web server: from its files to everything that is created for it."""

from __future__ import annotations

import doctest
from typing import TYPE_CHECKING, Any

import pytest

from landform.api import scopes
from landform.api.installations import DataExport, InstallationExports
from landform.api.references import ObjectReference
from landform.blueprints import definitions, exports, files, graph, installationtemplates, items, questions, values
from landform.blueprints.definitions import FlowType
from landform.blueprints.schemas import Schemas
from landform.blueprints.values import ImportValue
from landform.kit import yamls

if TYPE_CHECKING:
    from types import ModuleType

SHOP = yamls.load("""
blueprint.yaml:
  $type: yaml
  value:
    apiVersion: landscaper.gardener.cloud/v1alpha1
    kind: Blueprint
    localTypes: {host: {type: string, pattern: "^[a-z.]+$"}}
    imports:
    - {name: domain, schema: {$ref: local://host}}
    - {name: clusters, type: targetMap, targetType: kubernetes-cluster}
    exports:
    - {name: url, schema: {type: string}}
    subinstallations: [{file: db.yaml}, {file: web.yaml}]
db.yaml: |
  name: db
  blueprint: {filesystem: {blueprint.yaml: ""}}
  exports: {data: [{name: url, dataRef: dbUrl}]}
web.yaml: |
  name: web
  blueprint: {filesystem: {blueprint.yaml: ""}}
  imports:
    data: [{name: database, dataRef: dbUrl}, {name: domain, dataRef: domain}]
    targets: [{name: cluster, target: "clusters[eu]"}]
""")


def cluster(name: str) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "namespace": "ns1"},
        "spec": {"type": "landscaper.gardener.cloud/kubernetes-cluster"},
    }


def test_a_landscape_is_worked_out_without_any_cluster() -> None:
    tree = files.from_inline(SHOP)
    blueprint = definitions.read(tree)
    schemas = Schemas(blueprint.local_types, tree)
    given = {
        "domain": ImportValue(FlowType.DATA, "example.com"),
        "clusters": ImportValue(FlowType.TARGET_MAP, {"eu": cluster("cluster-eu"), "us": cluster("cluster-us")}),
    }
    imports = values.construct(blueprint, given, {}, schemas)

    scope = scopes.inner_scope("shop")
    names = [entry.name for entry in values.inner_scope(blueprint, imports)]
    assert names == ["domain", "clusters[eu]", "clusters[us]"]
    assert len({scopes.object_name(scope, name) for name in names}) == 3

    templates = installationtemplates.prepare([], blueprint, tree, imports)
    flows = {flow.name: flow for flow in installationtemplates.flows(templates)}
    assert flows["web"].imports_data & flows["db"].exports_data
    assert graph.cycle(flows.values()) == []

    item = {"name": "base", "type": "mock", "config": {"apiVersion": "v1", "kind": "A"}}
    (base,) = items.read([{**item, "target": {"import": "clusters", "key": "eu"}}], imports, "ns1")
    assert base.target == ObjectReference(name="cluster-eu", namespace="ns1")

    wanted = InstallationExports(data=(DataExport(name="url", data_ref="shop-url"),))
    made = exports.construct(blueprint, {"url": "x"}, {"url": '(( "https://" url ))'}, wanted, schemas)
    assert [(data.ref, data.value) for data in made.data] == [("shop-url", "https://x")]


@pytest.mark.parametrize("module", [definitions, files, graph, questions])
def test_the_examples_in_the_docstrings_are_true(module: ModuleType) -> None:
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0
