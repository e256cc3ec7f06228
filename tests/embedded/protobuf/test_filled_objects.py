"""Objects that Kubernetes' own Go code filled at random decode to what that code writes in JSON."""

from __future__ import annotations

import base64
import contextlib
import gzip
import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from landform.cluster.errors import BadRequest
from landform.embedded.kinds.library import library
from landform.embedded.protobuf import MEDIA_TYPE, decode
from landform.embedded.serving import bodies

if TYPE_CHECKING:
    from collections.abc import Iterator

GOLDEN = Path(__file__).parents[2] / "golden" / "protobuf"
GO = shutil.which("go")


def _read() -> dict[str, dict[str, Any]]:
    lines = map(json.loads, gzip.decompress((GOLDEN / "filled.jsonl.gz").read_bytes()).splitlines())
    return {line["name"]: line for line in lines}


FILLED = _read()


def without_nulls(value: Any) -> Any:
    """A value without the nulls that Go writes for lists and times that are not there; to the API they are the same."""
    if isinstance(value, dict):
        return {key: without_nulls(inner) for key, inner in value.items() if inner is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", FILLED)
def test_an_object_decodes_to_what_go_writes_in_json(name: str) -> None:
    decoded, expected = decode(base64.b64decode(FILLED[name]["protobuf"])), without_nulls(FILLED[name]["json"])
    assert decoded == expected
    # To Python 1, 1.0 and true are equal; in JSON they are not.
    assert json.dumps(decoded, sort_keys=True) == json.dumps(expected, sort_keys=True)


def test_every_served_built_in_kind_is_among_them() -> None:
    sent = {tuple(name.split()[:2]) for name in FILLED}
    for resource in library().resources:
        assert (resource.group_version, resource.kind) in sent
        for sub in resource.subresources:
            assert (f"{sub.group}/{sub.version}".lstrip("/"), sub.kind) in sent


def broken_bodies(seed: int) -> Iterator[bytes]:
    """Each body cut somewhere, with some bytes replaced."""
    chance = random.Random(seed)
    for line in FILLED.values():
        whole = base64.b64decode(line["protobuf"])
        broken = bytearray(whole[: chance.randrange(4, len(whole) + 1)])
        for _ in range(chance.randrange(4)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        yield bytes(broken)


@pytest.mark.parametrize("seed", range(10))
def test_a_broken_body_is_an_object_that_can_be_stored_or_a_bad_request(seed: int) -> None:
    for body in broken_bodies(seed):
        with contextlib.suppress(BadRequest):
            assert msgspec.json.encode(bodies.decode(body, MEDIA_TYPE)).startswith(b"{")


def test_json_inside_of_a_message_is_held_to_the_depth_of_a_body() -> None:
    line = FILLED["apps/v1 ControllerRevision 0%"]
    for depth, refused in ((100, False), (250, True), (100_000, True)):
        text = b"[" * depth + b"]" * depth
        body = base64.b64decode(line["protobuf"])
        envelope = body[: body.index(b"ControllerRevision") + len(b"ControllerRevision")]
        raw = field(2, field(1, text))  # ControllerRevision.data is a RawExtension
        with pytest.raises(BadRequest, match="nested too deep") if refused else contextlib.nullcontext():
            bodies.decode(envelope + field(2, raw), MEDIA_TYPE)


def field(number: int, content: bytes) -> bytes:
    """A field of bytes on the wire."""
    size, length = len(content), bytearray()
    while size > 0x7F:
        length.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes([number << 3 | 2, *length, size]) + content


@pytest.mark.skipif(GO is None, reason="go is not on the PATH; the committed golden file is used as it is")
@pytest.mark.timeout(300)
def test_real_go_still_writes_the_golden_file() -> None:
    run = subprocess.run([GO or "go", "run", "."], cwd=GOLDEN / "filled", capture_output=True, check=False)
    assert run.returncode == 0, run.stderr.decode()
    assert run.stdout == gzip.decompress((GOLDEN / "filled.jsonl.gz").read_bytes())


@pytest.mark.skipif(GO is None, reason="go is not on the PATH; the committed messages are used as they are")
@pytest.mark.timeout(300)
def test_real_go_still_has_the_same_messages() -> None:
    root = Path(__file__).parents[3]
    run = subprocess.run([GO or "go", "run", "."], cwd=root / "tools" / "messages", capture_output=True, check=False)
    assert run.returncode == 0, run.stderr.decode()
    packed = root / "src" / "landform" / "embedded" / "protobuf" / "messages.json.gz"
    assert json.loads(run.stdout) == json.loads(gzip.decompress(packed.read_bytes()))
