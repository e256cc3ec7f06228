"""Requests with protobuf bodies, byte for byte as Go wrote them, get what the same requests in JSON would get."""

from __future__ import annotations

import base64
import gzip
import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.embedded.clients.sessions import admin

from landform.cluster.errors import NotAcceptable
from landform.embedded.protobuf import MEDIA_TYPE
from landform.embedded.serving import media

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    import aiohttp

FILLED = Path(__file__).parents[2] / "golden" / "protobuf" / "filled.jsonl.gz"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


def client_go() -> AbstractAsyncContextManager[aiohttp.ClientSession]:
    """A client that sends protobuf and takes it or JSON, as client-go does."""
    return admin(Content_Type=MEDIA_TYPE, Accept=f"{MEDIA_TYPE},application/json")


async def ask(session: aiohttp.ClientSession, method: str, path: str, body: bytes) -> tuple[int, Any]:
    async with session.request(method, path, data=body) as response:
        assert response.content_type == "application/json"
        return response.status, await response.json()


def part(number: int, content: bytes) -> bytes:
    """A short field of bytes on the wire."""
    return bytes([number << 3 | 2, len(content)]) + content


def body(api_version: str, kind: str, raw: bytes) -> bytes:
    return b"k8s\x00" + part(1, part(1, api_version.encode()) + part(2, kind.encode())) + part(2, raw)


def config_map(name: str, value: str) -> bytes:
    """A ConfigMap ``{data: {key: value}}``: metadata is field 1, its name too, data is field 2."""
    entry = part(1, b"key") + part(2, value.encode())
    return body("v1", "ConfigMap", part(1, part(1, name.encode())) + part(2, entry))


async def test_an_object_is_created_replaced_and_deleted() -> None:
    async with client_go() as session:
        status, created = await ask(session, "POST", CONFIG_MAPS, config_map("a", "1"))
        assert (status, created["kind"], created["data"]) == (201, "ConfigMap", {"key": "1"})
        status, replaced = await ask(session, "PUT", f"{CONFIG_MAPS}/a", config_map("a", "2"))
        assert (status, replaced["data"]) == (200, {"key": "2"})
        assert replaced["metadata"]["uid"] == created["metadata"]["uid"]
        # DeleteOptions.preconditions is field 2, its uid field 1.
        stale = body("v1", "DeleteOptions", part(2, part(1, b"another")))
        assert (await ask(session, "DELETE", f"{CONFIG_MAPS}/a", stale))[0] == 409
        dry = body("v1", "DeleteOptions", part(5, b"All"))
        assert (await ask(session, "DELETE", f"{CONFIG_MAPS}/a", dry))[0] == 200
        assert (await ask(session, "DELETE", f"{CONFIG_MAPS}/a", body("v1", "DeleteOptions", b"")))[0] == 200
        assert (await ask(session, "DELETE", f"{CONFIG_MAPS}/a", b""))[0] == 404


async def test_the_kind_in_the_body_must_be_that_of_the_path() -> None:
    async with client_go() as session:
        status, answer = await ask(session, "POST", CONFIG_MAPS, body("v1", "Secret", part(1, part(1, b"a"))))
        assert status == 400
        assert "Secret" in answer["message"]


async def test_a_broken_body_is_the_senders_fault() -> None:
    async with client_go() as session:
        for broken in (b"k8s\x00\xff", b"{}", config_map("a", "1")[:-3], body("v1", "Nothing", b"")):
            status, answer = await ask(session, "POST", CONFIG_MAPS, broken)
            assert (status, answer["reason"]) == (400, "BadRequest")
            assert answer["message"].startswith("error decoding protobuf: ")


async def test_a_patch_is_never_protobuf() -> None:
    async with client_go() as session:
        assert (await ask(session, "PATCH", f"{CONFIG_MAPS}/a", config_map("a", "1")))[0] == 415


async def test_whatever_go_sends_gets_an_answer_in_the_apis_words(caplog: pytest.LogCaptureFixture) -> None:
    """Most of these objects are nonsense (their fields are filled at random), but none may upset the server."""
    async with client_go() as session:
        for line in map(json.loads, gzip.decompress(FILLED.read_bytes()).splitlines()):
            api_version, kind, _ = line["name"].split()
            path = await _path_of(session, api_version, kind)
            if path:
                status, answer = await ask(session, "POST", path, base64.b64decode(line["protobuf"]))
                assert answer["kind"] in (kind, "Status"), line["name"]
                assert (answer["kind"] == "Status") == (status > 299)
    # A 500 alone says little: the API server has some on purpose. One that it did not mean is in the log.
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


async def _path_of(session: aiohttp.ClientSession, api_version: str, kind: str) -> str:
    """Where objects of a kind are created; empty if they are not."""
    base = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
    async with session.get(base) as response:
        for resource in (await response.json())["resources"]:
            if resource["kind"] == kind and "/" not in resource["name"]:
                place = f"{base}/namespaces/default" if resource["namespaced"] else base
                return f"{place}/{resource['name']}"
    return ""


def test_who_takes_protobuf_or_json_gets_json() -> None:
    plain = media.Wanted()
    assert media.wanted(f"{MEDIA_TYPE},application/json") == plain
    assert media.wanted(f"{MEDIA_TYPE};stream=watch,application/json;stream=watch") == plain
    assert media.wanted(f"{MEDIA_TYPE};as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1;g=meta.k8s.io") == (
        media.Wanted(media.Shape.TABLE)
    )
    with pytest.raises(NotAcceptable, match="application/json"):
        media.wanted(MEDIA_TYPE)
