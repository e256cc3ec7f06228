"""Files that are written into documents, and binary content that is written into texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.kit import filetrees, framing
from landform.kit.filetrees import Folder, Link, TreeError


@given(st.binary(max_size=200))
def test_framed_content_comes_back(content: bytes) -> None:
    assert framing.unframed(framing.framed(content)) == content


@given(st.text(max_size=50).filter(lambda text: not text.strip().startswith(framing.BEGIN)))
def test_a_text_without_a_frame_is_itself(text: str) -> None:
    assert framing.unframed(text) == text.encode("utf-8", "surrogatepass")


def test_each_kind_of_file_is_read() -> None:
    document = {
        "text": "hello",
        "folder": {"inner": ""},
        "also": {"$type": "directory", "value": {"$type": "ignored", "deep": "x"}},
        "link": {"$type": "symlink", "value": "text"},
        "yaml": {"$type": "yaml", "value": {"a": [1]}},
        "json": {"$type": "json", "value": {"b": 1, "a": "ü"}},
        "file": {"$type": "file", "binary": "x"},
        "number": 5,
        "none": None,
    }
    assert filetrees.tree(document) == Folder(
        {
            "text": b"hello",
            "folder": Folder({"inner": b""}),
            "also": Folder({"deep": b"x"}),
            "link": Link("text"),
            "yaml": b"a:\n- 1\n",
            "json": '{"a":"ü","b":1}'.encode(),
            "file": b"x",
            "number": b"5",
            "none": b"",
        }
    )


def test_the_path_of_a_fault_is_told() -> None:
    with pytest.raises(TreeError, match=r"'/a/b' is a list") as caught:
        filetrees.tree({"a": {"b": []}})
    assert caught.value.path == "/a/b"
