"""Installations with one mistake each, which an API server lets pass."""

from __future__ import annotations

from typing import Any

from tests.cluster.core.landscapes import blueprint, data, deploying, exporting, installation, item, refs, template


def _go(text: str) -> list[dict[str, Any]]:
    return [{"name": "main", "type": "GoTemplate", "template": text}]


def _parts(*flows: tuple[str, str, str]) -> str:
    """A blueprint with parts that each import and export something."""
    parts = [template(name, blueprint(), imports=refs(i=i), exports=refs(o=o)) for name, i, o in flows]
    return blueprint(subinstallations=parts)


_FINE = deploying(item("fine"))
_PLACE = [{"name": "a", "type": "target", "targetType": "example.com/place"}]
_FROM_NOBODY = {"targets": [{"name": "a", "target": "nobody"}]}

_BLUEPRINTS: dict[str, tuple[str, dict[str, Any]]] = {
    "not-yaml": (": no yaml :", {}),
    "not-a-map": ("- a\n- b\n", {}),
    "other-kind": ("apiVersion: v1\nkind: ConfigMap\n", {}),
    "unclosed-action": (blueprint(deployExecutions=_go("deployItems:\n- name: {{ .imports.x \n")), {}),
    "unknown-function": (blueprint(deployExecutions=_go("deployItems: {{ nosuch 1 }}")), {}),
    "no-value": (blueprint(deployExecutions=_go("deployItems: {{ .imports.x }}")), {}),
    "broken-output": (blueprint(deployExecutions=_go("deployItems:\n- name: a\n   type: b\n")), {}),
    "no-such-engine": (blueprint(deployExecutions=[{"name": "x", "type": "Jinja", "template": ""}]), {}),
    "no-such-file": (blueprint(deployExecutions=[{"name": "x", "type": "GoTemplate", "file": "x"}]), {}),
    "no-template": (blueprint(deployExecutions=[{"name": "x", "type": "GoTemplate"}]), {}),
    "unresolved-spiff": (blueprint(deployExecutions=deploying(item("(( imports.x ))"))), {}),
    "same-item-twice": (blueprint(deployExecutions=deploying(item("a"), item("a"))), {}),
    "items-in-a-circle": (
        blueprint(deployExecutions=deploying(item("a", depends_on=("b",)), item("b", depends_on=("a",)))),
        {},
    ),
    "unknown-item": (blueprint(deployExecutions=deploying(item("a", depends_on=("b",)))), {}),
    "unknown-target": (blueprint(deployExecutions=deploying({**item("a"), "target": {"import": "b"}})), {}),
    "no-such-target": (blueprint(deployExecutions=deploying({**item("a"), "target": {"name": "b"}})), {}),
    "no-duration": (blueprint(deployExecutions=deploying({**item("a"), "timeout": "soon"})), {}),
    "no-label": (blueprint(deployExecutions=deploying({**item("a"), "labels": {"a b": "c"}})), {}),
    "failing-item": (blueprint(deployExecutions=deploying(item("bad", phase="Failed"), item("good"))), {}),
    "nothing-imported": (blueprint(imports=data("a")), {}),
    "no-data-object": (blueprint(imports=data("a")), {"imports": refs(a="nobody")}),
    "no-secret": (blueprint(imports=data("a")), {"imports": {"data": [{"name": "a", "secretRef": {"name": "x"}}]}}),
    "no-target": (blueprint(imports=_PLACE), {"imports": _FROM_NOBODY}),
    "data-for-a-target": (blueprint(imports=_PLACE), {"importDataMappings": {"a": 1}}),
    "no-schema": (blueprint(imports=[{"name": "a", "type": "data"}]), {"importDataMappings": {"a": 1}}),
    "wrong-type": (
        blueprint(imports=[{"name": "a", "type": "data", "schema": {"type": "string"}}]),
        {"importDataMappings": {"a": 1}},
    ),
    "unknown-type": (blueprint(imports=[{"name": "a", "type": "thing"}]), {}),
    "unresolved-mapping": (blueprint(imports=data("a")), {"importDataMappings": {"a": "(( nobody ))"}}),
    "refused-imports": (blueprint(importExecutions=_go("errors: [this is wrong, that too]")), {}),
    "undeclared-export": (blueprint(deployExecutions=_FINE), {"exports": refs(a="undeclared")}),
    "missing-export": (blueprint(exports=data("a"), deployExecutions=_FINE), {"exports": refs(a="missing")}),
    "wrong-export": (
        blueprint(
            exports=[{"name": "a", "type": "data", "schema": {"type": "string"}}], exportExecutions=exporting(a=1)
        ),
        {"exports": refs(a="wrong")},
    ),
    "no-context": (blueprint(), {"context": "nowhere"}),
    "parts-in-a-circle": (_parts(("a", "x", "y"), ("b", "y", "x")), {}),
    "part-without-source": (_parts(("a", "nowhere", "y")), {}),
    "part-without-name": (_parts(("A_b", "nowhere", "y")), {}),
    "no-such-part": (blueprint(subinstallations=[{"file": "nowhere.yaml"}]), {}),
    "failing-part": (
        blueprint(
            subinstallations=[
                template("good", blueprint(deployExecutions=_FINE)),
                template("bad", blueprint(deployExecutions=_go("{{ fail `no` }}"))),
            ]
        ),
        {},
    ),
}

MISTAKES = {name: installation(name, text, **spec) for name, (text, spec) in _BLUEPRINTS.items()}
"""By what is wrong."""
