"""What is made for an item is found again, and told apart from what is made for others."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from landform.deployers.programs.contract import labels
from landform.deployers.programs.contract.identities import ItemId
from landform.kit import names

_NAMES = st.from_regex(r"[a-z0-9]([-a-z0-9.]{0,240}[a-z0-9])?", fullmatch=True)
_NAMESPACES = st.from_regex(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", fullmatch=True)
_ITEMS = st.builds(ItemId, _NAMESPACES, _NAMES.filter(lambda name: not names.subdomain(name)), st.uuids().map(str))


@given(_ITEMS)
def test_labels_and_names_are_valid_for_any_item(item: ItemId) -> None:
    for value in labels.labels_of(item, identity="x" * 100, type="state").values():
        assert names.label_value(value) == []
    assert names.subdomain(labels.object_name(item, "state", "0")) == []
    assert len(labels.object_name(item)) <= 63


@given(_ITEMS)
def test_the_item_is_read_back_from_its_annotations(item: ItemId) -> None:
    assert labels.item_of({"metadata": {"annotations": labels.annotations_of(item)}}) == item
    assert labels.item_of({"metadata": {"labels": labels.labels_of(item)}}) is None
    assert labels.item_of({}) is None


def test_long_names_that_begin_alike_have_different_labels() -> None:
    assert labels.value("x" * 63) == "x" * 63
    assert labels.value("x" * 100) != labels.value("x" * 101)
    assert len(labels.value("x" * 100)) == 63


def test_items_of_the_same_name_differ_in_label_and_name() -> None:
    one, other = ItemId("team", "item", "uid-1"), ItemId("team", "item", "uid-2")
    assert labels.labels_of(one)[labels.ITEM_TOKEN] != labels.labels_of(other)[labels.ITEM_TOKEN]
    assert labels.object_name(one, "x") != labels.object_name(other, "x")
    assert labels.names(one) == labels.names(other)
