"""Inline descriptors with others nested in their references."""

from __future__ import annotations

from typing import Any

import pytest

from landform.components import versions
from landform.components.errors import DescriptorError, NotFound


def _descriptor(name: str, *references: dict[str, Any]) -> dict[str, Any]:
    return {
        "meta": {"schemaVersion": "v2"},
        "component": {
            "name": f"example.com/{name}",
            "version": "1.0.0",
            "provider": "example.com",
            "repositoryContexts": [{"type": "local"}],
            "sources": [],
            "componentReferences": list(references),
            "resources": [],
        },
    }


def _reference(name: str, nested: Any = None) -> dict[str, Any]:
    reference: dict[str, Any] = {"name": name, "componentName": f"example.com/{name}", "version": "1.0.0"}
    return {**reference, "labels": [{"name": versions.NESTED_LABEL, "value": nested}]} if nested else reference


def _names(version: versions.ComponentVersion) -> list[str]:
    return [descriptor["component"]["name"].removeprefix("example.com/") for descriptor in version.closure]


def test_nested_descriptors_join_the_closure_once() -> None:
    leaf = _descriptor("leaf")
    left, right = _descriptor("left", _reference("leaf", leaf)), _descriptor("right", _reference("leaf", leaf))
    version = versions.inline(_descriptor("root", _reference("left", left), _reference("right", right)))
    assert _names(version)[0] == "root"
    assert sorted(_names(version)) == ["leaf", "left", "right", "root"]
    assert version.repository_context == {"type": "local"}
    assert version.follow(("left", "leaf"))["component"]["name"] == "example.com/leaf"


def test_references_without_a_nested_descriptor_stay_open() -> None:
    version = versions.inline(_descriptor("root", _reference("elsewhere")))
    assert _names(version) == ["root"]
    with pytest.raises(NotFound, match=r"example.com/elsewhere:1.0.0"):
        version.follow(("elsewhere",))


def test_a_nested_descriptor_must_be_the_one_that_is_referred_to() -> None:
    with pytest.raises(DescriptorError, match=r"is that of example.com/other:1.0.0"):
        versions.inline(_descriptor("root", _reference("leaf", _descriptor("other"))))


def test_a_label_that_is_no_descriptor_is_refused() -> None:
    with pytest.raises(DescriptorError):
        versions.inline(_descriptor("root", _reference("leaf", ["no", "descriptor"])))
