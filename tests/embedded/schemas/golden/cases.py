"""The cases in this folder and what Kubernetes answered to them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from landform.cluster.errors import Cause
from landform.kit.patches import merge_patch

FOLDER = Path(__file__).parent
ANSWERS = FOLDER / "answers.json"

GOOD_DEFINITION: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "kind": "Widget"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object"}}}},
            }
        ],
    },
}


@dataclass(frozen=True)
class ObjectCase:
    """An object and the schema it is held against."""

    title: str
    schema: dict[str, Any]
    object: dict[str, Any]


@dataclass(frozen=True)
class DefinitionCase:
    """A definition, mostly a bad one."""

    title: str
    definition: dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What Kubernetes makes of a case."""

    stored: dict[str, Any]
    unknown: list[str]
    causes: list[Cause]


def objects() -> list[ObjectCase]:
    """All cases of objects.yaml; their schemas describe the `spec` of a Widget."""
    head = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}}
    return [
        ObjectCase(
            case["title"],
            {"type": "object", "properties": {"spec": case["schema"]}},
            {**head, "spec": case["spec"]},
        )
        for case in yaml.safe_load((FOLDER / "objects.yaml").read_text())
    ]


def definitions() -> list[DefinitionCase]:
    """All cases of definitions.yaml."""
    return [
        DefinitionCase(f"definition: {case['title']}", _definition(case))
        for case in yaml.safe_load((FOLDER / "definitions.yaml").read_text())
    ]


def _definition(case: dict[str, Any]) -> dict[str, Any]:
    patch = case.get("patch", {})
    if "schema" in case:
        (version,) = GOOD_DEFINITION["spec"]["versions"]
        patch = {"spec": {"versions": [{**version, "schema": {"openAPIV3Schema": case["schema"]}}]}}
    changed: dict[str, Any] = merge_patch(GOOD_DEFINITION, patch)
    return changed


def answers() -> dict[str, Answer]:
    """Kubernetes' answers by the title of the case."""
    return {
        title: Answer(
            answer.get("stored", {}),
            answer.get("unknown", []),
            [Cause(cause["reason"], cause["message"], cause["field"]) for cause in answer["causes"]],
        )
        for title, answer in json.loads(ANSWERS.read_text()).items()
    }
