"""`cd://` URIs and OCI references, taken apart."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.components import ocirefs, uris
from landform.components.errors import InvalidReference
from landform.components.uris import ComponentUri


@pytest.mark.parametrize(
    ("uri", "parts"),
    [
        ("cd://resources/b", ComponentUri((), "b", "")),
        ("cd://componentReferences/a/resources/b#/x/y", ComponentUri(("a",), "b", "/x/y")),
        ("cd://componentReferences/a/componentReferences/c", ComponentUri(("a", "c"), None, "")),
    ],
)
def test_a_uri_has_references_a_resource_and_a_fragment(uri: str, parts: ComponentUri) -> None:
    assert uris.parse(uri) == parts


@pytest.mark.parametrize(
    ("uri", "reason"),
    [
        ("cd://resources", "pairs"),
        ("cd://", "pairs"),
        ("cd://resources/", "no name"),
        ("cd://things/x", "keyword 'things'"),
        ("cd://resources/a/resources/b", "must come last"),
        ("local://x", "does not begin"),
        ("cd://resources/" + "x" * 2100, "at most 2083"),
    ],
)
def test_a_broken_uri_says_what_is_wrong(uri: str, reason: str) -> None:
    with pytest.raises(InvalidReference, match=reason):
        uris.parse(uri)


@pytest.mark.parametrize(
    ("ref", "parts"),
    [
        ("registry.example.com/shop/app:1.0", ("registry.example.com/shop/app", "1.0")),
        ("registry.example.com:5000/app:1.0", ("registry.example.com:5000/app", "1.0")),
        ("registry.example.com:5000/app@sha256:ab", ("registry.example.com:5000/app", "sha256:ab")),
        ("registry.example.com/app:1.0@sha256:ab", ("registry.example.com/app", "1.0")),
        ("index.docker.io/library/nginx:1.25", ("nginx", "1.25")),
        ("index.docker.io/grafana/grafana:10", ("grafana/grafana", "10")),
        ("nginx:1.25", ("nginx", "1.25")),
    ],
)
def test_an_oci_reference_has_a_repository_and_a_version(ref: str, parts: tuple[str, str]) -> None:
    assert ocirefs.parse(ref) == parts


@pytest.mark.parametrize("ref", ["nginx", "", "registry.example.com:5000/app", "app:", ":1.0", "app@"])
def test_an_oci_reference_without_a_version_is_refused(ref: str) -> None:
    with pytest.raises(InvalidReference):
        ocirefs.parse(ref)


@given(st.text(max_size=60))
def test_any_text_is_parts_or_an_error(text: str) -> None:
    for parse in (uris.parse, ocirefs.parse, lambda rest: uris.parse("cd://" + rest)):
        with contextlib.suppress(InvalidReference):
            parse(text)
