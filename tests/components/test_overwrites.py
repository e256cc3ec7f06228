"""ComponentVersionOverwrites: which of them count, and what they make of a reference."""

from __future__ import annotations

from typing import Any

import pytest

from landform.components import overwrites
from landform.components.overwrites import ComponentReference, Overwrite, Pattern

HERE = {"type": "OCIRegistry", "baseUrl": "registry.example.com"}
THERE = {"type": "OCIRegistry", "baseUrl": "mirror.example.com"}
SHOP = ComponentReference("example.com/shop", "1.0.0", HERE)


def _apply(*entries: tuple[Pattern, Pattern]) -> ComponentReference | None:
    return overwrites.apply(SHOP, [Overwrite(source, substitution) for source, substitution in entries])


@pytest.mark.parametrize(
    "source",
    [
        Pattern(),
        Pattern("example.com/shop"),
        Pattern(version="1.0.0"),
        Pattern(repository_context={"baseUrl": "registry.example.com", "type": "OCIRegistry"}),
    ],
)
def test_a_source_matches_by_the_attributes_that_it_gives(source: Pattern) -> None:
    assert _apply((source, Pattern(version="2.0.0"))) == ComponentReference("example.com/shop", "2.0.0", HERE)


@pytest.mark.parametrize(
    "source", [Pattern("example.com/other"), Pattern(version="1"), Pattern(repository_context=THERE)]
)
def test_what_does_not_match_changes_nothing(source: Pattern) -> None:
    assert _apply((source, Pattern(version="2.0.0"))) is None


def test_an_overwrite_of_what_is_already_replaced_is_left_out_as_a_whole() -> None:
    found = _apply(
        (Pattern("example.com/shop"), Pattern(version="2.0.0")),
        (Pattern(), Pattern(version="3.0.0", repository_context=THERE)),
        (Pattern(), Pattern(repository_context=THERE)),
    )
    assert found == ComponentReference("example.com/shop", "2.0.0", THERE)


def test_sources_are_held_against_the_original() -> None:
    found = _apply(
        (Pattern(version="1.0.0"), Pattern(version="2.0.0")),
        (Pattern(version="2.0.0"), Pattern(name="example.com/never")),
    )
    assert found == ComponentReference("example.com/shop", "2.0.0", HERE)


def test_an_overwrite_counts_even_if_it_says_nothing() -> None:
    assert _apply((Pattern(), Pattern())) == SHOP


def test_overwrites_are_read_from_their_object() -> None:
    entry: dict[str, Any] = {
        "source": {"componentName": "example.com/shop"},
        "substitution": {"version": "2.0.0", "repositoryContext": THERE},
    }
    found = overwrites.apply(SHOP, overwrites.from_objects([entry]))
    assert found == ComponentReference("example.com/shop", "2.0.0", THERE)
    assert found is not None
    assert overwrites.describe(SHOP, found).splitlines() == [
        'repositoryContext: {"baseUrl":"registry.example.com","type":"OCIRegistry"} -> '
        '{"baseUrl":"mirror.example.com","type":"OCIRegistry"}',
        "version: 1.0.0 -> 2.0.0",
    ]
