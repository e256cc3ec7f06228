"""Semantic versions: what both template languages rely on, beside the golden files of each."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.kit.semver import constraints, versions
from landform.kit.semver.versions import Version, VersionError

_PARTS = st.text("0123456789abcXYZ-", min_size=1, max_size=4).filter(lambda part: not versions.starts_with_zero(part))
_VERSIONS = st.builds(
    Version,
    st.integers(0, 3),
    st.integers(0, 3),
    st.integers(0, 3),
    st.lists(_PARTS, max_size=3).map(".".join),
    st.lists(_PARTS, max_size=2).map(".".join),
)


@given(_VERSIONS)
def test_a_written_version_reads_back(version: Version) -> None:
    read = versions.parse(str(version))
    assert str(read) == str(version)
    assert read.compare(version) == 0


@given(_VERSIONS, _VERSIONS, _VERSIONS)
def test_versions_have_one_order(one: Version, other: Version, third: Version) -> None:
    assert one.compare(other) == -other.compare(one)
    if one.compare(other) <= 0 and other.compare(third) <= 0:
        assert one.compare(third) <= 0


def test_numbers_that_do_not_fit_into_64_bits_are_words_in_a_prerelease_and_refused_elsewhere() -> None:
    fits, large = versions.parse(f"1.0.0-{(1 << 64) - 1}"), versions.parse("1.0.0-" + "9" * 4000)
    assert large.compare(fits) == 1
    assert versions.parse("1.0.0-1" + "0" * 30).compare(large) == -1
    with pytest.raises(VersionError, match="value out of range"):
        versions.parse(f"{1 << 64}.0.0")


def test_the_next_versions_keep_how_the_first_was_written() -> None:
    version = versions.parse("v1.2.3-rc.1+build")
    assert version.next_patch().original == "v1.2.3"
    assert version.next_minor().original == "v1.3.0"
    assert version.next_major().original == "v2.0.0"


@pytest.mark.parametrize(
    ("text", "version", "reason"),
    [
        (">=1.2, <2", "1.9.9", ""),
        (">=1.2, <2", "2.0.0", "2.0.0 is greater than or equal to 2"),
        ("~1.2", "1.3.0", "1.3.0 does not have same major and minor version as 1.2"),
        ("^0.2.3", "0.3.0", "0.3.0 does not have same minor version as 0.2.3."),
        ("1.2 - 1.4", "1.4.5", ""),
        ("!=1.x", "1.4.5", "1.4.5 is equal to 1.x"),
        ("*", "7.0.0", ""),
    ],
)
def test_a_constraint_says_why_it_is_not_met(text: str, version: str, reason: str) -> None:
    (group,) = constraints.parse(text)
    refusals = [constraints.refusal(each, versions.parse(version)) for each in group]
    assert next(filter(None, refusals), "").startswith(reason)
    assert any(refusals) == bool(reason)


@pytest.mark.parametrize("text", ["1" + "   1" * 200 + "?", " " * 1000 + "?", "1 - " * 250 + "?"])
def test_a_constraint_that_can_be_read_in_many_ways_is_refused_soon(text: str) -> None:
    began = time.thread_time()
    with pytest.raises(constraints.ConstraintError):
        constraints.parse(text)
    assert time.thread_time() - began < 2
