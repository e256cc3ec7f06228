"""Fingerprints of imports, and the order of list and map elements that they depend on."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.api.names import Label
from landform.api.structs import ObjectMeta
from landform.api.targets import Target, TargetSpec
from landform.blueprints import elements, hashes
from landform.blueprints.errors import InvalidValue
from landform.blueprints.hashes import Fingerprints, imports_hash


def element(name: str, **labels: str) -> Target:
    keys = {"index": Label.DATA_INDEX, "key": Label.DATA_TARGET_MAP_KEY}
    return Target(
        metadata=ObjectMeta(name=name, labels={keys[label]: value for label, value in labels.items()}),
        spec=TargetSpec(type="cluster"),
    )


def test_the_hash_is_that_of_sorted_json() -> None:
    fingerprints = Fingerprints({"b": "2", "a": "1"}, {"t": "3"}, {"l": ["4", "5"]}, {"m": {"eu": "6"}})
    content = (
        b'{"DataObjects":{"a":"1","b":"2"},"TargetLists":{"l":["4","5"]},'
        b'"TargetMaps":{"m":{"eu":"6"}},"Targets":{"t":"3"}}'
    )
    assert imports_hash(fingerprints) == hashlib.sha1(content, usedforsecurity=False).hexdigest()


def test_data_says_itself_what_its_fingerprint_is() -> None:
    assert hashes.of_data(b"x", "annotated") == "annotated"
    assert hashes.of_data(b"x") == hashlib.sha1(b"x", usedforsecurity=False).hexdigest()


def test_a_changed_secret_behind_a_target_is_a_changed_import() -> None:
    assert hashes.of_target(3) == "3"
    before, after = (Fingerprints(targets={"t": hashes.of_target(3, version)}) for version in ("10", "11"))
    assert imports_hash(before) != imports_hash(after)


def test_a_list_is_in_the_order_of_its_positions() -> None:
    targets = [element("a", index="10"), element("b", index="2"), element("c", index="0")]
    assert [target.metadata.name for target in elements.listed(targets)] == ["c", "b", "a"]


def test_a_map_is_found_by_its_keys() -> None:
    assert list(elements.mapped([element("a", key="us"), element("b", key="eu")])) == ["eu", "us"]


@pytest.mark.parametrize("labels", [{}, {"index": "first"}])
def test_an_element_without_a_position_is_named(labels: dict[str, str]) -> None:
    with pytest.raises(InvalidValue, match="Target a cannot be an element"):
        elements.listed([element("a", **labels)])


def test_an_element_without_a_key_is_named() -> None:
    with pytest.raises(InvalidValue, match="this label is missing"):
        elements.mapped([element("a", index="1")])


@given(st.permutations([element(str(index), index=str(index)) for index in range(12)]))
def test_the_order_in_which_objects_come_does_not_matter(targets: list[Target]) -> None:
    assert [target.metadata.name for target in elements.listed(targets)] == [str(index) for index in range(12)]


NAMES = st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=3)
FINGERPRINTS = st.builds(
    Fingerprints,
    NAMES,
    NAMES,
    st.dictionaries(st.text(max_size=2), st.lists(st.text(max_size=2), max_size=2), max_size=2),
    st.dictionaries(st.text(max_size=2), NAMES, max_size=2),
)


@given(FINGERPRINTS, FINGERPRINTS)
def test_hashes_are_equal_exactly_if_the_fingerprints_are(one: Fingerprints, other: Fingerprints) -> None:
    assert (imports_hash(one) == imports_hash(other)) == (one == other)
