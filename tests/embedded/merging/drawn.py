"""Objects drawn by hypothesis."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

Json = dict[str, Any]

quickly = settings(max_examples=50, deadline=None)
"""Few examples of objects that are large, and no clock: the machine may be busy."""

names = st.sampled_from("abcd")
words = st.sampled_from(("x", "y", "<&>", ""))
scalars = st.one_of(words, st.booleans(), st.integers(-2, 2), st.none(), st.sampled_from((0.5, 1.0)))


def some(**parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    """A map with any of these fields."""
    return st.fixed_dictionaries({}, optional=parts)


def keyed(key: str, values: st.SearchStrategy[Any], item: st.SearchStrategy[Json]) -> st.SearchStrategy[list[Json]]:
    """A list of items with different keys. Not empty: nobody can own an empty list whose items have owners."""
    pairs = st.lists(st.tuples(values, item), min_size=1, max_size=3, unique_by=lambda pair: pair[0])
    return pairs.map(lambda drawn: [{key: value, **rest} for value, rest in drawn])


free = st.recursive(
    scalars,
    lambda inner: st.one_of(st.dictionaries(names, inner, max_size=3), st.lists(inner, max_size=2)),
    max_leaves=6,
)
named = some(value=words, size=st.integers(0, 2))

specs = some(
    title=words,
    replicas=st.integers(0, 2),
    flag=st.booleans(),
    labels=st.dictionaries(names, words, max_size=3),
    settings=st.dictionaries(names, words, max_size=3),
    nested=some(a=words, b=words, c=named),
    sizes=st.lists(st.integers(0, 2), max_size=2),
    tags=st.lists(names, unique=True, min_size=1, max_size=3),
    parts=keyed("name", names, named),
    ports=keyed("port", st.sampled_from((80, 443)), some(note=words)),
    groups=st.dictionaries(names, named, max_size=2),
    free=st.dictionaries(names, free, max_size=2),
)
"""Specs of Widgets, the custom kind of the recorded scenarios."""

containers = some(
    image=words,
    args=st.lists(words, max_size=2),
    env=keyed("name", names, some(value=words)),
    ports=keyed("containerPort", st.sampled_from((80, 443)), some(name=words)),
)
deployments = some(
    metadata=some(
        labels=st.dictionaries(names, words, max_size=2), finalizers=st.lists(names, unique=True, max_size=3)
    ),
    spec=some(replicas=st.integers(0, 2), template=some(spec=some(containers=keyed("name", names, containers)))),
)
