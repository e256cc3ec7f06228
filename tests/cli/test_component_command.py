"""`landform component`: what people see of component versions, in folders, archives and registries."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import json
import shutil
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, BinaryIO

import pytest
from click.testing import CliRunner
from tests.components.static_registry import GOLDEN

from landform.cli import component_refs, loops
from landform.cli.main import main
from landform.kit import yamls

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

CTF = GOLDEN / "storage" / "ctf"
SIGNED = GOLDEN / "signed"


@pytest.fixture(scope="module", autouse=True)
def _first_loop() -> None:
    """With the first loop of a process libuv opens a pipe for signals, and keeps it."""
    loops.run(asyncio.sleep(0))


def invoke(tmp_path: Path, command: str, *arguments: str | Path) -> Result:
    words = ["component", command, *map(str, arguments), "--component-cache", str(tmp_path / "cache")]
    return CliRunner().invoke(main, words)


def test_a_component_version_is_told_in_a_few_lines(tmp_path: Path) -> None:
    result = invoke(tmp_path, "get", f"{CTF}//example.com/golden/mid-left:1.0.0")
    assert result.exit_code == 0
    assert result.output.splitlines()[0] == "example.com/golden/mid-left:1.0.0"
    assert "  resource    blueprint 1.0.0 (landscaper.gardener.cloud/blueprint)" in result.output.splitlines()


def test_programs_get_the_descriptor_and_all_that_it_refers_to(tmp_path: Path) -> None:
    ref = f"{CTF}//example.com/golden/root:1.0.0"
    one = json.loads(invoke(tmp_path, "get", ref, "-o", "json").output)
    assert one["component"]["name"] == "example.com/golden/root"
    everything = json.loads(invoke(tmp_path, "get", ref, "-r", "-o", "json").output)
    assert (everything[0], len(everything)) == (one, 6)
    documents = list(yamls.load_all(invoke(tmp_path, "get", ref, "-r", "-o", "yaml").output))
    assert documents == everything


def test_without_a_version_those_that_exist_are_listed(tmp_path: Path) -> None:
    result = invoke(tmp_path, "get", f"{CTF}//example.com/golden/leaf-a")
    assert result.output.splitlines() == ["1.0.0", "1.1.0", "1.1.0-alpha.1"]


def test_resources_are_listed_with_what_tells_them_apart(tmp_path: Path) -> None:
    lines = invoke(tmp_path, "resources", f"{CTF}//example.com/golden/identity:3.0.0-rc.2").output.splitlines()
    assert lines[0].split() == ["NAME", "VERSION", "TYPE", "ACCESS", "IDENTITY"]
    assert ["tool", "1.0.0", "executable", "localBlob", "architecture=arm64,os=darwin"] in [
        line.split() for line in lines
    ]


def test_content_is_downloaded_and_no_file_is_overwritten(tmp_path: Path) -> None:
    ref, target = f"{CTF}//example.com/golden/single:1.0.0", tmp_path / "blueprint.tgz"
    assert invoke(tmp_path, "download", ref, "blueprint", "--to", target).exit_code == 0
    resources = json.loads(invoke(tmp_path, "resources", ref, "-o", "json").output)
    digest = next(resource["digest"]["value"] for resource in resources if resource["name"] == "blueprint")
    assert hashlib.sha256(target.read_bytes()).hexdigest() == digest
    again = invoke(tmp_path, "download", ref, "blueprint", "--to", target)
    assert (again.exit_code, "exists" in again.output) == (2, True)


def test_a_resource_is_named_by_its_identity_where_its_name_is_not_enough(tmp_path: Path) -> None:
    ref = f"{CTF}//example.com/golden/identity:3.0.0-rc.2"
    refused = invoke(tmp_path, "download", ref, "tool", "--to", tmp_path / "tool")
    assert (refused.exit_code, "tool,architecture=arm64,os=darwin;" in refused.output) == (2, True)
    several = invoke(tmp_path, "download", ref, "tool,os=linux", "--to", tmp_path / "tool")
    assert (several.exit_code, "2 resources fit tool,os=linux" in several.output) == (2, True)
    done = invoke(tmp_path, "download", ref, "tool,os=darwin,architecture=arm64", "--to", tmp_path / "tool")
    assert done.exit_code == 0
    nothing = invoke(tmp_path, "download", ref, "tool,os=plan9", "--to", tmp_path / "other")
    assert (nothing.exit_code, "os=plan9" in nothing.output) == (2, True)


@pytest.mark.parametrize("text", ["tool,oslinux", ",os=linux"])
def test_what_names_no_resource_is_a_usage_error(text: str, tmp_path: Path) -> None:
    result = invoke(tmp_path, "download", f"{CTF}//example.com/golden/identity:3.0.0-rc.2", text, "--to", "-")
    assert (result.exit_code, "NAME,KEY=VALUE" in result.output) == (2, True)


def test_a_version_that_is_missing_is_told_with_those_that_are_there(tmp_path: Path) -> None:
    missing = invoke(tmp_path, "get", f"{CTF}//example.com/golden/leaf-a:7.7.7")
    assert (missing.exit_code, "there: 1.0.0, 1.1.0, 1.1.0-alpha.1" in missing.output) == (1, True)
    unknown = invoke(tmp_path, "get", f"{CTF}//example.com/golden/absent:1.0.0")
    assert (unknown.exit_code, "the name or the place may be wrong" in unknown.output) == (1, True)
    none = invoke(tmp_path, "get", f"{CTF}//example.com/golden/absent")
    assert (none.exit_code, none.stdout, "no version of example.com/golden/absent" in none.stderr) == (0, "", True)
    nested = invoke(tmp_path, "get", f"{CTF}//example.com/golden/broken-ref:1.0.0")
    assert (nested.exit_code, "reference gone" in nested.output, "there: " in nested.output) == (1, True, False)


def test_files_that_are_no_text_are_named(tmp_path: Path) -> None:
    binary = tmp_path / "key"
    binary.write_bytes(b"\xff\xfe")
    ref = f"{SIGNED / 'default-v2'}//example.com/golden/signed-dup:1.0.0"
    for command in (["verify", ref, "--signature", "release", "--public-key"], ["get", ref, "--ocm-config"]):
        result = invoke(tmp_path, command[0], *command[1:], binary)
        assert (result.exit_code, f"'{binary}': it is not a text" in result.output) == (1, True)


def test_nothing_is_left_of_a_download_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ref, folder = f"{CTF}//example.com/golden/single:1.0.0", tmp_path / "folder"
    nowhere = invoke(tmp_path, "download", ref, "blueprint", "--to", folder / "blueprint.tgz")
    assert (nowhere.exit_code, "cannot be written: No such file" in nowhere.output) == (1, True)
    folder.mkdir()
    monkeypatch.setattr(shutil, "copyfileobj", _disk_is_full)
    full = invoke(tmp_path, "download", ref, "blueprint", "--to", folder / "blueprint.tgz")
    assert (full.exit_code, "No space left" in full.output, list(folder.iterdir())) == (1, True, [])


def _disk_is_full(source: object, target: BinaryIO) -> None:
    target.write(b"half")
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_signature_is_verified_with_the_key_that_is_given(tmp_path: Path) -> None:
    ref = f"{SIGNED / 'default-v2'}//example.com/golden/signed-dup:1.0.0"
    good = invoke(tmp_path, "verify", ref, "--signature", "release", "--public-key", SIGNED / "keys" / "a.pub")
    assert (good.exit_code, 'has a good signature "release"' in good.output) == (0, True)
    bad = invoke(tmp_path, "verify", ref, "--signature", "release", "--public-key", SIGNED / "keys" / "b.pub")
    assert (bad.exit_code, "does not fit the key" in bad.output) == (1, True)
    assert invoke(tmp_path, "verify", ref, "--signature", "release").exit_code == 2


def test_a_registry_that_is_not_there_is_named(tmp_path: Path) -> None:
    result = invoke(tmp_path, "get", "http://127.0.0.1:1/team//example.com/shop:1.0.0")
    assert result.exit_code == 1
    assert "127.0.0.1:1" in result.output
    assert "SSLContext" not in result.output


class _Refusing(BaseHTTPRequestHandler):
    """A registry that wants to know who asks."""

    def do_GET(self) -> None:
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="registry"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


def test_a_registry_that_wants_credentials_is_told_with_the_options_for_them(tmp_path: Path) -> None:
    with HTTPServer(("127.0.0.1", 0), _Refusing) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        result = invoke(tmp_path, "get", f"http://127.0.0.1:{server.server_port}//example.com/shop:1.0.0")
        thread.join()
    assert result.exit_code == 1
    assert "no credentials fit it; credentials come from --docker-config and --ocm-config" in result.output


def test_a_limit_holds(tmp_path: Path) -> None:
    ref = f"{CTF}//example.com/golden/single:1.0.0"
    limited = invoke(tmp_path, "get", ref, "--component-limit", "descriptor=10")
    assert (limited.exit_code, "10 bytes" in limited.output) == (1, True)
    assert invoke(tmp_path, "get", ref, "--component-limit", "descriptor=1Mi").exit_code == 0
    assert invoke(tmp_path, "get", ref, "--component-limit", "colour=3").exit_code == 2


@pytest.mark.parametrize(
    "text", ["", "shop", "http://example.com", "//example.com/shop:1", "./nowhere//a/b:1", ".//:1", ".//a/b:"]
)
def test_what_is_no_reference_is_a_usage_error(text: str, tmp_path: Path) -> None:
    assert invoke(tmp_path, "get", text).exit_code == 2


def test_the_kind_of_a_place_is_seen_or_said(tmp_path: Path) -> None:
    kinds = {name: component_refs.parse(f"{GOLDEN / 'storage' / name}//a:1") for name in ("ctf", "ctf.tgz", "archive")}
    assert [found.repository["type"] for found in kinds.values()] == [
        "CommonTransportFormat",
        "CommonTransportFormat",
        "ComponentArchive",
    ]
    assert component_refs.parse(f"{tmp_path}//a:1").repository["type"] == "local"
    assert component_refs.parse(f"ComponentArchive::{tmp_path}//a:1").repository["type"] == "ComponentArchive"
    assert component_refs.parse("OCIRegistry::example.com//a:1").repository["type"] == "OCIRegistry"
