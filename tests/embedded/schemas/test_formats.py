"""Formats accept what the API server's libraries accept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.embedded.schemas import formats

CASES = {
    "date": (["2020-02-29", "0001-01-01"], ["2021-02-29", "2020-1-2", "2020-01-02T"]),
    "date-time": (
        ["2020-01-02T10:00:00Z", "2020-01-02t10:00:00.5+01:00"],
        ["2020-01-02 10:00:00Z", "2020-01-02T24:00:00Z"],
    ),
    "duration": (["1h", "1.5h", "-3m", "22 ns", "3 days", "0"], ["", "5", "soon", "5 parsecs"]),
    "byte": (["YQ==", "YWI=", "YWJj"], ["", "YQ=", "Y!=="]),
    "uuid": (["d3b07384-d9a0-4c9b-8f3a-1d2e3f4a5b6c", "D3B07384D9A04C9B8F3A1D2E3F4A5B6C"], ["x", ""]),
    "ipv4": (["1.2.3.4", "010.1.1.1"], ["1.2.3", "1.2.3.256", "::1"]),
    "ipv6": (["::1", "fe80::1", "::ffff:1.2.3.4"], ["1.2.3.4", "1::2::3", "fe80::1%eth0"]),
    "cidr": (["10.0.0.0/8", "::/0"], ["10.0.0.0", "10.0.0.0/33", "x/8"]),
    "mac": (["00:11:22:33:44:55", "0011.2233.4455"], ["00:11:22:33:44", "00:11:22:33:44-55"]),
    "email": (["a@b", "A B <a@b.c>", '"x y"@z'], ["a", "a@", "@b", "a@b@c", "a b@c"]),
    "hostname": (["a", "a.bc", "example.com"], ["", "a_b", "-a.com", "a.b1", "a" * 64]),
    "uri": (["http://a/b", "/a", "mailto:x", "http://[::1]:80/"], ["a", "", "http://a:b/", "http://a b/"]),
    "hexcolor": (["#fff", "abcdef"], ["#ff", "xyz"]),
    "rgbcolor": (["rgb(1,2,3)"], ["rgb(1,2)", "rgb(256,0,0)"]),
    "creditcard": (["4111 1111 1111 1111"], ["4111 1111 1111 1112"]),
    "isbn": (["0321751043", "978-0321751041"], ["0321751044"]),
    "ssn": (["111-22-3333"], ["111223333"]),
    "bsonobjectid": (["507f1f77bcf86cd799439011"], ["507f"]),
    "password": (["", "anything"], []),
}


@pytest.mark.parametrize(
    ("name", "text", "good"),
    [
        (name, text, good)
        for name, sides in CASES.items()
        for good, side in zip((True, False), sides, strict=True)
        for text in side
    ],
)
def test_a_format_tells_good_from_bad(name: str, text: str, good: bool) -> None:
    check = formats.check_of(name)
    assert check is not None
    assert check(text) is good


def test_dashes_in_a_name_do_not_matter_and_other_formats_are_not_checked() -> None:
    assert formats.check_of("datetime") is formats.check_of("date-time")
    assert formats.check_of("int32") is None
    assert formats.check_of("k8s-short-name") is None


def test_bytes_of_built_in_kinds_may_be_empty_and_broken_into_lines() -> None:
    check = formats.builtin_check_of("byte")
    assert check is not None
    assert [check(text) for text in ("", "YW\nJj", "YWJj\r\n", "Y!==")] == [True, True, True, False]
    assert formats.builtin_check_of("date-time") is formats.check_of("date-time")


@given(st.sampled_from(sorted(CASES)), st.text(max_size=20))
def test_no_text_makes_a_format_raise(name: str, text: str) -> None:
    check = formats.check_of(name)
    assert check is not None
    assert isinstance(check(text), bool)


@pytest.mark.parametrize("name", sorted(CASES))
@pytest.mark.timeout(20)
def test_no_text_makes_a_format_hang(name: str) -> None:
    check = formats.check_of(name)
    assert check is not None
    for piece in ("a", "1", "a.", "1.", "-", "a-", "0:", "(a)", '"a"', "1h", "%20", "a@"):
        assert check(piece * 3000 + "!") in (True, False)
