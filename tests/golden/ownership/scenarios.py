"""What several managers do to one object, in short stories."""

from __future__ import annotations

from typing import Any

from tests.golden.ownership import chance, workloads
from tests.golden.ownership.steps import Scenario, Step, apply, create, merge, put, strategic

CLIENT_SIDE = "kubectl-client-side-apply"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def data(**values: str | None) -> dict[str, Any]:
    """A ConfigMap with this data."""
    return {"data": values}


def spec(**values: Any) -> dict[str, Any]:
    """A Widget with this spec."""
    return {"spec": values}


def labels(**values: str | None) -> dict[str, Any]:
    """An object with these labels."""
    return {"metadata": {"labels": values}}


def config_map(name: str, *steps: Step) -> Scenario:
    """A story about a ConfigMap."""
    return Scenario(name, "ConfigMap", steps)


def widget(name: str, *steps: Step) -> Scenario:
    """A story about a custom resource."""
    return Scenario(name, "Widget", steps)


def _annotated(last: str, **values: str) -> dict[str, Any]:
    return {"metadata": {"annotations": {LAST_APPLIED: last}}, **data(**values)}


def _last(name: str, values: str) -> str:
    return (
        '{"apiVersion":"v1","data":' + values + ',"kind":"ConfigMap","metadata":{"annotations":{},'
        f'"name":"{name}","namespace":"golden"}}}}\n'
    )


CONFIG_MAPS = (
    config_map("create-only", create("alice", {**data(a="1", b="2"), **labels(x="y")})),
    config_map("create-empty", create("alice", {}), merge("bob", data(a="1"))),
    config_map(
        "update-moves-fields",
        create("alice", data(a="1", b="2", c="3")),
        put("bob", data(a="changed")),
        put("bob", data(b=None)),
        merge("carol", data(c="4", d="5")),
        strategic("alice", data(a="back")),
        put("bob", data(a="back")),
    ),
    config_map("no-change", create("alice", data(a="1")), put("bob", {}), merge("bob", data(a="1")), put("alice", {})),
    config_map("without-manager", create("", data(a="1"))),
    config_map(
        "update-drops-managed-fields",
        create("alice", data(a="1")),
        put("bob", data(b="2"), managed="drop"),
        put("carol", data(c="3")),
    ),
    config_map(
        "reset-with-empty-list",
        create("alice", data(a="1")),
        put("bob", {}, managed=[]),
        put("bob", data(b="2")),
        apply("carol", data(c="3")),
    ),
    config_map(
        "reset-with-empty-entry",
        create("alice", data(a="1")),
        put("bob", data(b="2"), managed=[{}]),
        merge("bob", data(c="2")),
        apply("carol", data(a="1", c="3")),
        apply("carol", data(a="1", c="3"), force=True),
    ),
    config_map(
        "reset-with-merge-patch",
        apply("alice", data(a="1")),
        merge("bob", {"metadata": {"managedFields": [{}]}}),
        apply("alice", data(a="2")),
        apply("alice", data(a="2"), force=True),
    ),
    config_map(
        "broken-managed-fields",
        create("alice", data(a="1")),
        put("bob", data(b="2"), managed=[{"manager": "x", "operation": "Wrong", "apiVersion": "v1"}]),
        put("bob", data(c="2"), managed=[{"manager": "x", "operation": "Update", "apiVersion": "v1"}]),
    ),
    config_map(
        "foreign-managed-fields",
        create("alice", data(a="1", b="2")),
        put(
            "bob",
            data(c="3"),
            managed=[
                {
                    "manager": "invented",
                    "operation": "Apply",
                    "apiVersion": "v1",
                    "time": "2020-01-01T00:00:00Z",
                    "fieldsType": "FieldsV1",
                    "fieldsV1": {"f:data": {"f:b": {}, ".": {}, "f:a": {}}},
                }
            ],
        ),
        apply("invented", data(a="1")),
    ),
    config_map(
        "apply-creates",
        apply("alice", {**data(a="1"), **labels(x="y")}),
        apply("alice", {**data(a="1"), **labels(x="y")}),
        apply("alice", data(a="2", b="3")),
        apply("alice", data(b="3")),
        apply("alice", {}),
    ),
    config_map(
        "apply-shares",
        apply("alice", data(a="1", b="2")),
        apply("bob", data(a="1")),
        apply("alice", data(b="2")),
        apply("bob", {}),
    ),
    config_map(
        "apply-conflicts",
        apply("alice", data(a="1", b="2")),
        apply("bob", data(a="other")),
        apply("bob", data(a="other", b="another", c="3")),
        apply("bob", data(a="other"), force=True),
        apply("alice", data(a="1", b="2")),
    ),
    config_map(
        "apply-conflicts-with-many",
        create("alice", data(a="1")),
        put("bob", data(b="2")),
        apply("carol", data(c="3")),
        put("dora", labels(l="4")),
        apply("eve", {**data(a="x", b="x", c="x"), **labels(l="x")}),
        apply("eve", {**data(a="x", b="x", c="x"), **labels(l="x")}, force=True),
    ),
    config_map(
        "apply-after-update",
        create("kubectl-edit", data(a="1", b="2")),
        apply("alice", data(a="1")),
        apply("alice", data(a="2")),
        put("kubectl-edit", data(b="3")),
        apply("alice", data(a="2"), force=True),
        apply("alice", data(a="1")),
    ),
    config_map(
        "update-takes-from-applier",
        apply("alice", data(a="1", b="2")),
        put("bob", data(a="changed", b=None)),
        apply("alice", data(a="1", b="2")),
        apply("alice", data(b="2")),
    ),
    config_map(
        "same-name-two-operations",
        apply("alice", data(a="1")),
        put("alice", data(a="2", b="3")),
        apply("alice", data(a="1")),
        apply("alice", data(a="1"), force=True),
        put("alice", data(b=None)),
    ),
    config_map(
        "same-second-sorting",
        create("zoe", data(a="1")),
        put("adam", data(b="2"), same_second=True),
        apply("mia", data(c="3"), same_second=True),
        apply("bea", data(d="4"), same_second=True),
        put("ned", data(e="5")),
        apply("abe", data(f="6"), same_second=True),
    ),
    config_map(
        "eleven-updaters",
        create("m00", data(k00="v")),
        *(put(f"m{n:02}", data(**{f"k{n:02}": "v"})) for n in range(1, 13)),
        apply("applier", data(z="1")),
        put("m01", data(k01="new")),
    ),
    config_map(
        "eleven-updaters-in-one-second",
        create("m05", data(k00="v")),
        *(put(f"m{n * 7 % 23:02}", data(**{f"k{n:02}": "v"}), same_second=True) for n in range(1, 12)),
    ),
    config_map("apply-with-managed-fields", apply("alice", {"metadata": {"managedFields": []}, **data(a="1")})),
    config_map("apply-wrong-kind", apply("alice", {"kind": "Secret", **data(a="1")})),
    config_map("apply-wrong-version", apply("alice", {"apiVersion": "v2", **data(a="1")})),
    config_map("apply-unknown-field", apply("alice", {"colour": "red", **data(a="1")})),
    config_map("apply-wrong-type", apply("alice", {"data": {"a": 1}}), apply("alice", {"data": "text"})),
    config_map("apply-wrong-bool", apply("alice", {"immutable": "yes"}), apply("alice", {"data": ["x"]})),
    config_map("apply-null", apply("alice", {"data": None}), apply("alice", data(a="1")), apply("bob", {"data": None})),
    config_map(
        "finalizers",
        create("alice", {"metadata": {"finalizers": ["a.test/one"]}}),
        apply("bob", {"metadata": {"finalizers": ["a.test/two"]}}),
        apply("carol", {"metadata": {"finalizers": ["a.test/two", "a.test/one"]}}),
        apply("bob", {}),
        merge("alice", {"metadata": {"finalizers": ["a.test/two"]}}),
        merge("alice", {"metadata": {"finalizers": None}}),
    ),
    config_map(
        "duplicate-finalizers",
        apply("bob", {"metadata": {"finalizers": ["a.test/two", "a.test/two"]}}),
        create("alice", {"metadata": {"finalizers": ["a.test/one", "a.test/one"]}}),
        apply("bob", {"metadata": {"finalizers": ["a.test/one"]}}),
        merge("carol", {"metadata": {"finalizers": ["a.test/one"]}}),
        merge("carol", {"metadata": {"finalizers": []}}),
    ),
    config_map(
        "owner-references",
        apply("alice", {"metadata": {"ownerReferences": [workloads.owner("u1"), workloads.owner("u2")]}}),
        apply("bob", {"metadata": {"ownerReferences": [workloads.owner("u2")]}}),
        apply("bob", {"metadata": {"ownerReferences": [{**workloads.owner("u2"), "name": "other"}]}}),
        apply("alice", {"metadata": {"ownerReferences": [workloads.owner("u1")]}}),
        merge("carol", {"metadata": {"ownerReferences": None}}),
    ),
    config_map(
        "metadata-only",
        create("alice", {"metadata": {"labels": {"a": "1"}, "annotations": {"b": "2"}}}),
        apply("bob", {"metadata": {"labels": {"a": "1"}, "annotations": {"c": "3"}}}),
        merge("carol", {"metadata": {"labels": None}}),
        apply("bob", {}),
    ),
    config_map(
        "client-side-to-server-side",
        create(
            "kubectl-client-side-apply",
            _annotated(_last("client-side-to-server-side", '{"a":"1","b":"2"}'), a="1", b="2"),
        ),
        apply("kubectl", data(a="new", b="2")),
        apply("kubectl", data(a="new")),
        apply("kubectl", data(a="<new> & shiny")),
    ),
    config_map(
        "client-side-then-edited",
        create(
            "kubectl-client-side-apply", _annotated(_last("client-side-then-edited", '{"a":"1","b":"2"}'), a="1", b="2")
        ),
        put("kubectl-edit", data(a="edited", c="3")),
        apply("kubectl", data(a="new", b="new")),
        apply("other", data(b="new")),
        apply("kubectl", data(a="new", b="new"), force=True),
    ),
    config_map(
        "client-side-unreadable",
        create(CLIENT_SIDE, _annotated("not json", a="1")),
        apply("kubectl", data(a="new")),
    ),
    config_map(
        "client-side-of-other-version",
        create(
            "kubectl-client-side-apply", _annotated('{"apiVersion":"v0","kind":"ConfigMap","data":{"a":"1"}}', a="1")
        ),
        apply("kubectl", data(a="new")),
        apply("kubectl", data(a="1")),
    ),
    config_map(
        "applied-annotation",
        apply("kubectl", {**_annotated("{}", a="1")}),
        apply("kubectl", {**_annotated("{}", a="2")}),
    ),
    config_map(
        "resource-version-conflict",
        create("alice", data(a="1")),
        apply("bob", {"metadata": {"resourceVersion": "42"}, **data(b="1")}),
    ),
    config_map("odd-keys", create("alice", data(**{"a.b": "1", "c-d": "2", "_e": "3", "Z": "4"}))),
    Scenario(
        "secret",
        "Secret",
        (
            create("alice", {"stringData": {"a": "1"}, "data": {"b": "Mg=="}}),
            apply("bob", {"stringData": {"c": "3"}}),
            apply("bob", {"data": {"c": "NA=="}}),
            apply("bob", {"data": {"b": "NA=="}}),
        ),
    ),
)

WIDGETS = (
    widget(
        "custom-create", create("alice", spec(replicas=1, labels={"a": "1"}, nested={"a": "x", "c": {"name": "n"}}))
    ),
    widget("custom-empty-parts", create("alice", spec(labels={}, nested={}, tags=[], parts=[], sizes=[], free={}))),
    widget(
        "custom-empty-apply",
        apply("alice", spec(labels={}, nested={}, tags=[], parts=[], sizes=[], settings={}, free={})),
        apply("bob", spec(labels={"a": "1"}, nested={"a": "1"}, tags=["x"], parts=[{"name": "p"}], sizes=[1])),
        apply("alice", spec(replicas=1)),
        apply("bob", spec(replicas=1)),
    ),
    widget(
        "custom-update",
        create("alice", spec(replicas=1, title="t", flag=True, ratio=1.5)),
        put("bob", spec(replicas=2, flag=False)),
        merge("carol", spec(title=None, ratio=2.5)),
        put("alice", {"spec": None}),
        put("alice", spec(title="t")),
    ),
    widget(
        "keyed-list",
        apply("alice", spec(parts=[{"name": "a", "value": "1"}, {"name": "b", "value": "2"}])),
        apply("bob", spec(parts=[{"name": "b", "size": 3}, {"name": "c"}])),
        apply("bob", spec(parts=[{"name": "b", "value": "other"}])),
        apply("alice", spec(parts=[{"name": "b", "value": "2"}])),
        apply("bob", spec(parts=[])),
        merge("carol", spec(parts=[{"name": "b", "value": "9"}, {"name": "z"}])),
        apply("alice", spec()),
    ),
    widget(
        "keyed-list-order",
        create("alice", spec(parts=[{"name": n} for n in "abcdef"])),
        apply("bob", spec(parts=[{"name": "e", "value": "1"}, {"name": "x"}, {"name": "b", "value": "2"}])),
        apply("bob", spec(parts=[{"name": "x"}, {"name": "e", "value": "1"}, {"name": "a"}, {"name": "f", "size": 1}])),
        apply("carol", spec(parts=[{"name": n} for n in "fedcba"])),
        apply("dora", spec(parts=[{"name": n} for n in "yfxaz"])),
    ),
    widget(
        "set-order",
        create("alice", spec(tags=list("abcdef"), numbers=[1, 2, 10])),
        apply("bob", spec(tags=list("exb"), numbers=[10, 3])),
        apply("carol", spec(tags=list("fedcba"))),
        apply("bob", spec(tags=list("bx"))),
        put("dora", spec(tags=list("xyz"))),
    ),
    widget(
        "two-keys-with-default",
        apply("alice", spec(ports=[{"port": 80, "note": "web"}, {"port": 53, "protocol": "UDP"}])),
        apply("bob", spec(ports=[{"port": 80, "protocol": "TCP", "note": "other"}])),
        apply("bob", spec(ports=[{"port": 80, "protocol": "UDP", "note": "other"}, {"port": 443}, {"port": 9}])),
        apply("alice", spec(ports=[{"port": 80}])),
        put("carol", spec(ports=[{"port": 80, "protocol": "TCP"}, {"port": 8080, "protocol": "TCP"}])),
        apply("bob", spec(ports=[{"note": "no key"}, {"port": 1}])),
    ),
    widget(
        "duplicate-items",
        apply("alice", spec(parts=[{"name": "a"}, {"name": "a"}])),
        apply("alice", spec(tags=["x", "y", "x"])),
        apply("alice", spec(ports=[{"port": 80}, {"port": 80, "protocol": "TCP"}], tags=["x", "x"])),
    ),
    widget("item-without-key", apply("alice", spec(parts=[{"value": "1"}])), apply("alice", spec(parts=["text"]))),
    widget(
        "atomic-map",
        apply("alice", spec(settings={"a": "1"}, choice={"left": "l"})),
        apply("bob", spec(settings={"a": "1"})),
        apply("bob", spec(settings={"a": "1", "b": "2"}, choice={"right": "r"})),
        apply("bob", spec(settings={"b": "2"}, choice={"right": "r"}), force=True),
        merge("carol", spec(settings={"c": "3"})),
        apply("bob", spec(choice={"right": "r"})),
        apply("alice", spec()),
    ),
    widget(
        "atomic-list",
        apply("alice", spec(sizes=[1, 2])),
        apply("bob", spec(sizes=[1, 2])),
        apply("bob", spec(sizes=[2])),
        put("carol", spec(sizes=[3])),
        apply("alice", spec()),
        apply("bob", spec()),
        put("carol", spec(sizes=None)),
    ),
    widget(
        "free-form",
        apply("alice", spec(free={"a": {"b": 1, "c": [1, {"x": 2}]}, "d": "text", "e": {}, "f": None})),
        apply("bob", spec(free={"a": {"n": True}})),
        apply("bob", spec(free={"a": {"b": 1}, "d": {"now": "map"}})),
        apply("bob", spec(free={"a": {"b": 1}, "d": {"now": "map"}}), force=True),
        put("carol", spec(free={"d": ["now", "list"], "a": {"b": True}})),
        put("carol", spec(free={"a": {"b": 1}, "d": "text"})),
        apply("alice", spec(free={"d": "text"})),
        apply("alice", spec()),
    ),
    widget(
        "free-form-kinds",
        create("alice", spec(free={"m": {"a": 1, "b": 2}, "s": "x", "l": [1], "n": None, "e": {}})),
        put("bob", spec(free={"m": "scalar", "s": {"a": 1}, "l": {"k": 1}, "e": [1]})),
        put("carol", spec(free={"m": [1], "s": [2], "l": 3, "e": "x"})),
        put("dora", spec(free={"m": {"z": 1}, "s": True, "l": 3.0, "e": {}})),
        put("eve", spec(free={"s": 1, "e": {"deep": {"er": 1}}})),
    ),
    widget(
        "anything",
        create("alice", spec(anything="text", limits=5)),
        apply("bob", spec(anything={"a": 1, "b": {"c": 2}}, limits="50%"), force=True),
        apply("carol", spec(anything={"b": {"d": 2}}, limits="50%")),
        apply("bob", spec(limits="50%")),
        put("dora", spec(anything=[1, 2])),
    ),
    widget(
        "mixed-preserve",
        apply("alice", spec(mixed={"known": "1", "unknown": {"a": 1}, "inner": {"x": "1", "y": "2"}})),
        apply("bob", spec(mixed={"unknown": {"b": 1}, "inner": {"y": "3"}})),
        apply("alice", spec(mixed={"known": "1"})),
    ),
    widget(
        "map-of-structs",
        apply("alice", spec(groups={"g": {"name": "x", "size": 1}, "h": {}})),
        apply("bob", spec(groups={"g": {"value": "v"}, "i": {"name": "n"}})),
        apply("alice", spec(groups={"g": {"size": 1}})),
        apply("bob", spec(groups={})),
        apply("bob", spec()),
    ),
    widget(
        "embedded-resource",
        apply(
            "alice",
            spec(
                template={
                    "apiVersion": "v1",
                    "kind": "Pod",
                    "metadata": {"name": "x", "labels": {"a": "1"}, "finalizers": ["a.test/f"]},
                    "spec": {"containers": [{"name": "c"}]},
                }
            ),
        ),
        apply("bob", spec(template={"metadata": {"labels": {"b": "2"}, "finalizers": ["a.test/g"]}})),
    ),
    widget(
        "nullable",
        create("alice", spec(maybe=None)),
        apply("bob", spec(maybe="x")),
        apply("bob", spec(maybe=None)),
        apply("bob", spec()),
        apply("carol", spec(maybe=None, title=None, nested=None)),
    ),
    widget("unknown-field", apply("alice", spec(colour="red", replicas=1)), apply("alice", {"colour": 1, **spec()})),
    widget(
        "wrong-types",
        apply("alice", spec(replicas="one")),
        apply("alice", spec(flag=1)),
        apply("alice", spec(nested="x")),
        apply("alice", spec(tags={"a": 1})),
        apply("alice", spec(tags=[["a"]])),
        apply("alice", spec(tags=[None])),
        apply("alice", spec(parts=[None])),
        apply("alice", spec(title=5)),
        apply("alice", spec(replicas=True)),
    ),
    widget(
        "status-apart",
        create("alice", {**spec(replicas=1), "status": {"phase": "Lost"}}),
        put("controller", {"status": {"phase": "Ready", "count": 1}}, subresource="status"),
        put("alice", {"spec": {"replicas": 2}, "status": {"phase": "Ignored"}}),
        put("controller", {"spec": {"replicas": 9}, "status": {"count": 2}}, subresource="status"),
        merge("other", {"status": {"phase": "Done"}}, subresource="status"),
        put("controller", {"metadata": {"labels": {"a": "b"}}, "status": {"count": 3}}, subresource="status"),
    ),
    widget(
        "status-applied",
        apply("alice", {**spec(replicas=1), "status": {"phase": "Ignored"}}),
        apply(
            "alice",
            {"status": {"phase": "Ready", "conditions": [{"type": "A", "status": "True"}]}},
            subresource="status",
        ),
        apply("bob", {"status": {"conditions": [{"type": "B", "status": "True"}]}}, subresource="status"),
        apply("bob", {"status": {"conditions": [{"type": "A", "status": "False"}]}}, subresource="status"),
        apply("bob", {**spec(replicas=5), "status": {"count": 1}}, subresource="status"),
        apply("alice", spec(title="x")),
        apply("alice", {"status": {"phase": "Ready"}}, subresource="status"),
        put("carol", {"status": {"phase": "Lost"}}, subresource="status", managed=[]),
    ),
    widget(
        "two-versions",
        create("alice", spec(replicas=1, title="t")),
        apply("bob", spec(flag=True), version="golden.landform.test/v2"),
        put("alice", {"apiVersion": "golden.landform.test/v2", **spec(replicas=2)}, version="golden.landform.test/v2"),
        apply("bob", spec(flag=True)),
        apply("carol", spec(replicas=7, title="u")),
        apply("bob", spec(ratio=1.5)),
    ),
    widget(
        "defaults",
        create("alice", spec(replicas=1)),
        apply("bob", spec(mode="plain")),
        apply("carol", spec(mode="other")),
        apply("bob", spec()),
        apply("dora", spec(ports=[{"port": 1}])),
    ),
    widget(
        "apply-takes-over-everything",
        create("alice", spec(replicas=1, labels={"a": "1"}, tags=["x"], parts=[{"name": "p", "value": "1"}])),
        apply("bob", spec(replicas=2, labels={"a": "2"}, tags=["x"], parts=[{"name": "p", "value": "2"}]), force=True),
        apply("bob", spec()),
    ),
    widget(
        "nested-structs",
        apply("alice", spec(nested={"a": "1", "c": {"name": "n"}})),
        apply("bob", spec(nested={"b": "2"})),
        apply("alice", spec(nested={})),
        apply("alice", spec()),
        apply("bob", spec(nested={"c": {"size": 1}})),
        apply("bob", {}),
    ),
    widget(
        "numbers-as-text",
        create("alice", spec(numbers=[2, 10, 1], ratio=1, free={"a": 1, "b": 1.0})),
        put("bob", spec(numbers=[10, 2], ratio=1.0, free={"a": 1.0, "b": 1})),
        put("carol", spec(ratio=1.25, free={"a": 1e21, "b": 1.5e-7})),
    ),
)

ALL: tuple[Scenario, ...] = (*CONFIG_MAPS, *WIDGETS, *workloads.ALL, *chance.ALL)
