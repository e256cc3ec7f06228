"""The files of a blueprint: where they come from, and which paths lead to them."""

from __future__ import annotations

import base64
import posixpath
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.blueprints import files
from landform.blueprints.errors import FileError
from landform.kit import yamls

if TYPE_CHECKING:
    from pathlib import Path

INLINE = yamls.load("""
blueprint.yaml: |
  imports: []
number: 5
empty:
templates:
  main.yaml: deploy
  deep: {er.txt: deeper}
values.yaml: {$type: yaml, value: {b: 1, a: [x]}}
values.json: {$type: json, value: {b: 1, a: [x]}}
explicit: {$type: file, value: plain}
framed: {$type: file, value: "---Start Binary---\\nAAEC\\n/w==\\n---End Binary---\\n"}
binary: {$type: file, binary: "text"}
folder: {$type: directory, value: {inside: found}}
nothing: {$type: directory}
link: {$type: symlink, value: templates/main.yaml}
folder-link: {$type: symlink, value: /templates/deep}
up: {links: {back: {$type: symlink, value: ../../folder/inside}}}
outside: {$type: symlink, value: ../../etc/passwd}
circle: {$type: symlink, value: circle}
one: {$type: symlink, value: other}
other: {$type: symlink, value: one/deeper}
""")


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("blueprint.yaml", b"imports: []\n"),
        ("/blueprint.yaml", b"imports: []\n"),
        ("./templates//./main.yaml", b"deploy"),
        ("templates/deep/../main.yaml", b"deploy"),
        ("number", b"5"),
        ("empty", b""),
        ("values.yaml", b"b: 1\na:\n- x\n"),
        ("values.json", b'{"a":["x"],"b":1}'),
        ("explicit", b"plain"),
        ("framed", b"\x00\x01\x02\xff"),
        ("binary", b"text"),
        ("folder/inside", b"found"),
        ("link", b"deploy"),
        ("folder-link/er.txt", b"deeper"),
        ("folder-link/../main.yaml", b"deploy"),
        ("up/links/back", b"found"),
    ],
)
def test_an_inline_file_is_read_by_its_path(path: str, content: bytes) -> None:
    assert files.from_inline(INLINE).read(path) == content


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("missing", "does not exist"),
        ("templates", "is a folder"),
        ("", "is a folder"),
        ("number/x", "a part of the path is a file"),
        ("..", "lies outside"),
        ("templates/../../blueprint.yaml", "lies outside"),
        ("outside", "lies outside"),
        ("circle", "a circle"),
        ("one", "a circle"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused_by_name(path: str, problem: str) -> None:
    with pytest.raises(FileError, match=problem) as refused:
        files.from_inline(INLINE).read(path, wanted_by='deploy execution "main"')
    assert repr(path) in str(refused.value)
    assert 'wanted by deploy execution "main"' in str(refused.value)


def test_a_folder_is_listed_by_name_with_kinds_and_sizes() -> None:
    tree = files.from_inline(INLINE)
    assert tree.list("templates") == [files.Entry("deep", True, 0), files.Entry("main.yaml", False, 6)]
    assert {entry.name: entry.is_dir for entry in tree.list()}["folder-link"]
    assert {entry.name: entry.size for entry in tree.list("/")}["link"] == 6
    assert tree.list("nothing") == []


def test_a_file_is_not_listed() -> None:
    with pytest.raises(FileError, match="'number' of the blueprint is not a folder"):
        files.from_inline(INLINE).list("number")


def test_existence_is_a_question_that_raises_nothing() -> None:
    tree = files.from_inline(INLINE)
    assert tree.exists("/templates")
    assert tree.is_dir("folder-link")
    assert not tree.is_dir("link")
    assert not tree.exists("outside")
    assert not tree.exists("../x")
    assert not tree.is_dir("circle")


def test_all_files_can_be_had_at_once() -> None:
    contents = files.from_inline(INLINE).contents()
    assert contents["templates/deep/er.txt"] == b"deeper"
    assert contents["link"] == b"deploy"
    assert contents["folder-link/er.txt"] == b"deeper"
    assert "circle" not in contents


def test_a_link_to_a_folder_above_is_not_followed_for_ever() -> None:
    up = {"$type": "symlink", "value": ".."}
    tree = files.from_inline({"a": {"up": up, "file": "x"}, "b": {"$type": "symlink", "value": "a"}})
    assert dict(tree.contents()) == {"a/file": b"x", "b/file": b"x"}
    assert tree.read("a/up/a/up/b/file") == b"x"


def test_links_that_multiply_files_without_end_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_FILES", 1000)
    folders = {
        f"d{number}": {
            "file": "x",
            **{f"l{other}": {"$type": "symlink", "value": f"/d{other}"} for other in range(12) if other != number},
        }
        for number in range(12)
    }
    with pytest.raises(FileError, match="more than 1000 files"):
        files.from_inline(folders).contents()


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ("text", "must be a map"),
        ({"a": {"b": [1]}}, "'/a/b' of the blueprint is a list"),
        ({"a": {"$type": "device"}}, "unknown \\$type 'device'"),
        ({"a": {"$type": "symlink"}}, "the path that it leads to"),
        ({"a": {"$type": "directory", "value": "x"}}, "must be a map"),
        ({"a": {"$type": "file", "value": {"x": 1}}}, "use \\$type yaml or json"),
        ({"a/b": "x"}, "cannot be the name of a file"),
        ({"..": "x"}, "cannot be the name of a file"),
        ({"a": "---Start Binary---\n%%%\n---End Binary---"}, "not base64"),
    ],
)
def test_an_inline_document_that_says_nothing_sensible_is_refused(document: object, problem: str) -> None:
    with pytest.raises(FileError, match=problem):
        files.from_inline(document)


def test_a_local_folder_is_read_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "main.yaml").write_bytes(b"first")
    (tmp_path / "link").symlink_to("templates/main.yaml")
    (tmp_path / "passwd").symlink_to("../../../../../../etc/passwd")
    tree = files.from_folder(tmp_path)
    (tmp_path / "templates" / "main.yaml").write_bytes(b"second")
    assert tree.read("link") == b"first"
    with pytest.raises(FileError, match="lies outside"):
        tree.read("passwd")


def test_a_local_folder_must_be_one(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="is not a folder"):
        files.from_folder(tmp_path / "file")
    with pytest.raises(FileError, match="does not exist"):
        files.from_folder(tmp_path / "missing")


def test_a_folder_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 10)
    (tmp_path / "big").write_bytes(b"x" * 11)
    with pytest.raises(FileError, match="is too much"):
        files.from_folder(tmp_path)


@pytest.mark.parametrize("path", ["../a", "a/../../b", "", "/", "..", "a/.."])
def test_an_archive_cannot_name_a_place_outside(path: str) -> None:
    with pytest.raises(FileError, match="no place inside"):
        files.from_entries({path: b""})


def test_a_file_and_a_folder_of_one_name_are_refused() -> None:
    with pytest.raises(FileError, match="lies below 'a'"):
        files.from_entries({"a": b"", "a/b": b""})
    with pytest.raises(FileError, match="is a folder too"):
        files.from_entries({"a/b": b"", "a": b""})


NAMES = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=5).filter(
    lambda name: name not in (".", "..")
)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


@given(st.dictionaries(NAMES.filter(lambda name: name != "$type"), st.binary(max_size=20), max_size=5))
def test_framed_bytes_are_read_back(contents: dict[str, bytes]) -> None:
    framed = {
        name: f"---Start Binary---\n{base64.b64encode(content).decode()}\n---End Binary---" if content else ""
        for name, content in contents.items()
    }
    assert files.from_inline(framed).contents() == contents


@given(PATHS, st.binary(max_size=5), st.lists(st.sampled_from(["./", "/", "//", "././/"]), max_size=3))
def test_however_a_path_is_decorated_it_leads_to_the_same_file(path: str, content: bytes, before: list[str]) -> None:
    tree = files.from_entries({path: content})
    assert tree.read("".join(before) + path) == content
    assert tree.contents() == {path: content}


@given(st.lists(st.sampled_from(["..", ".", "a", "b", "link", "", "c"]), max_size=12).map("/".join))
def test_no_path_leaves_the_root(path: str) -> None:
    link = {"$type": "symlink", "value": "../b"}
    tree = files.from_inline({"a": {"link": link, "c": "x"}, "b": {"c": "y", "a": {}}, "c": "z", "link": link})
    try:
        content = tree.read(path)
    except FileError:
        return
    assert content in (b"x", b"y", b"z")
    if "link" not in path:
        assert not posixpath.normpath(path).startswith("../")
