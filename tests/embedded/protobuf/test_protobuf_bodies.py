"""A body in Kubernetes' protobuf becomes the object that the API server writes in JSON."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.embedded.protobuf import decode

RECORDED: dict[str, Any] = json.loads((Path(__file__).parents[2] / "golden" / "protobuf" / "objects.json").read_text())


def decoded(name: str) -> dict[str, Any]:
    return decode(base64.b64decode(RECORDED[name]["protobuf"]))


def full(value: Any) -> Any:
    """A value without what Go writes only because it cannot leave it out: null times, empty structs and texts."""
    if isinstance(value, dict):
        kept = {key: full(inner) for key, inner in value.items()}
        return {key: inner for key, inner in kept.items() if inner not in (None, {}, "")}
    return [full(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", RECORDED)
def test_an_object_is_the_same_in_both_forms(name: str) -> None:
    assert full(decoded(name)) == full(RECORDED[name]["json"])


def test_what_is_empty_on_purpose_stays() -> None:
    pod = decoded("rare-pod")["spec"]
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    assert volumes["empty"] == {"name": "empty", "emptyDir": {}}
    assert volumes["host"] == {"name": "host", "hostPath": {"path": "/", "type": ""}}
    assert volumes["config"]["configMap"]["defaultMode"] == 0
    assert pod["automountServiceAccountToken"] is False
    assert pod["terminationGracePeriodSeconds"] == 0
    assert pod["containers"][0]["securityContext"]["runAsUser"] == 0
    assert decoded("rare-claim")["spec"]["storageClassName"] == ""
    assert decoded("rare-deployment")["spec"]["replicas"] == 0


def test_what_is_only_empty_is_left_out() -> None:
    secret = decoded("rare-secret")
    assert "generateName" not in secret["metadata"]
    assert "stringData" not in secret
    assert "hostNetwork" not in decoded("rare-pod")["spec"]
    assert "status" not in decoded("configmap")


def test_bytes_are_base64_and_numbers_or_texts_are_either() -> None:
    assert decoded("rare-secret")["data"] == {"binary": "AP8=", "empty": ""}
    rolling = decoded("rare-deployment")["spec"]["strategy"]["rollingUpdate"]
    assert rolling == {"maxSurge": "30%", "maxUnavailable": 0}


def test_times_keep_their_precision_even_before_1970() -> None:
    lease = decoded("rare-lease")["spec"]
    assert (lease["renewTime"], lease["acquireTime"]) == (
        "2026-01-02T03:04:05.678901Z", "1969-12-31T23:59:59.500000Z",
    )  # fmt: skip


def envelope(api_version: str, kind: str, raw: bytes) -> bytes:
    """A body: the magic bytes, then the kind and the object."""

    def part(number: int, content: bytes) -> bytes:
        return bytes([number << 3 | 2, len(content)]) + content

    return b"k8s\x00" + part(1, part(1, api_version.encode()) + part(2, kind.encode())) + part(2, raw)


def test_delete_options_are_the_same_in_every_group() -> None:
    for api_version in ("v1", "apps/v1", "stable.example.com/v1"):
        assert decode(envelope(api_version, "DeleteOptions", b"\x08\x00\x22\x0aBackground")) == {
            "apiVersion": api_version,
            "kind": "DeleteOptions",
            "gracePeriodSeconds": 0,
            "propagationPolicy": "Background",
        }


def test_fields_of_newer_clients_are_skipped() -> None:
    assert decode(envelope("v1", "ConfigMap", b"\xfa\x01\x03new")) == {"apiVersion": "v1", "kind": "ConfigMap"}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"{}", "does not appear to be a protobuf message"),
        (envelope("example.com/v1", "Unknown", b""), 'no kind "Unknown" is registered for version "example.com/v1"'),
        (envelope("v1", "ConfigMap", b"\x0a\x7f"), "a value of 127 bytes is announced, 0 are left"),
        (envelope("v1", "ConfigMap", b"\x08\x01"), "a number stands where text or a message is expected"),
        (envelope("v1", "ConfigMap", b"\x0a\x03\x0a\x01\xff"), "a text is not UTF-8"),
        (envelope("v1", "ConfigMap", b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), "a number does not end"),
        (envelope("v1", "ConfigMap", b"\x0b"), "unknown wire type 3"),
    ],
    ids=["JSON", "unknown kind", "cut off", "wrong type", "no UTF-8", "endless number", "wire type"],
)
def test_a_broken_body_is_refused_in_words(body: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        decode(body)


def test_absurd_nesting_is_refused() -> None:
    schema = b""
    for _ in range(5000):
        # JSONSchemaProps.not is field 26, a schema again.
        size = len(schema)
        length = bytearray()
        while size > 0x7F:
            length.append(size & 0x7F | 0x80)
            size >>= 7
        schema = b"\xd2\x01" + bytes([*length, size]) + schema
    with pytest.raises(ValueError, match="nested more than 100 deep"):
        decode_schema(schema)


def decode_schema(schema: bytes) -> dict[str, Any]:
    """Decode a definition with this schema: spec, versions, schema, openAPIV3Schema."""

    def part(number: int, content: bytes) -> bytes:
        size, length = len(content), bytearray()
        while size > 0x7F:
            length.append(size & 0x7F | 0x80)
            size >>= 7
        return bytes([number << 3 | 2, *length, size]) + content

    raw = part(2, part(7, part(4, part(1, schema))))
    type_meta = part(1, b"apiextensions.k8s.io/v1") + part(2, b"CustomResourceDefinition")
    return decode(b"k8s\x00" + part(1, type_meta) + part(2, raw))


@given(st.binary(max_size=200), st.sampled_from(["ConfigMap", "Pod", "Secret", "Event"]))
def test_random_bytes_give_an_object_or_an_error_in_words(raw: bytes, kind: str) -> None:
    body = b"k8s\x00" + envelope("v1", kind, b"")[4:-2] + b"\x12" + bytes([len(raw) & 0x7F]) + raw[: len(raw) & 0x7F]
    try:
        outcome = decode(body)["kind"]
    except ValueError as error:
        outcome = str(error)
    assert outcome == kind or "protobuf" in outcome
