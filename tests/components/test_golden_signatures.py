"""Signed and tampered component versions, verified with the outcome that the original's client had."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from tests.components.static_registry import GOLDEN, StaticRegistry

from landform.cluster.retries import Backoff
from landform.components.caches import BlobCache
from landform.components.errors import ComponentError, Corrupt, NotFound, SignatureError
from landform.components.folders import DiskFolder
from landform.components.httpclients import HttpClient, HttpSettings
from landform.components.overwrites import ComponentReference
from landform.components.resolving import ComponentContext, Resolver, ResolverSettings
from landform.components.signatures import TrustedKeys
from landform.components.verification import Policy

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

FOLDER = GOLDEN / "signed"

_ELSEWHERE: dict[str, type[ComponentError]] = {
    "nested component missing": NotFound,
    "tampered blob-corrupted-in-place": Corrupt,
}
"""What is noticed before anybody looks at the signature."""


def _cases(name: str) -> list[dict[str, Any]]:
    return list(json.loads((FOLDER / name).read_bytes()))


def _keys(case: dict[str, Any]) -> TrustedKeys:
    def text(name: str | None) -> str:
        return (FOLDER / "keys" / name).read_text() if name else ""

    return TrustedKeys(text(case["publicKey"]), text(case["caCert"]))


@asynccontextmanager
async def _resolver(tmp_path: Path, proxy: str) -> AsyncIterator[Resolver]:
    http = HttpClient(HttpSettings(proxies={"http": proxy}, tries=1, backoff=Backoff(0.001, 0.002)))
    settings = ResolverSettings(root=DiskFolder(FOLDER))
    async with Resolver(http, BlobCache(tmp_path / "cache"), settings) as resolver:
        yield resolver


async def _verify(resolver: Resolver, case: dict[str, Any], spec: dict[str, Any]) -> str:
    context = ComponentContext(repository_context=spec)
    version = await resolver.resolve(ComponentReference(case["component"], case["version"]), context)
    return await resolver.verify(version, case["signature"], _keys(case))


async def _check(tmp_path: Path, cases: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    async with (
        StaticRegistry().load("plain").load("signed").serve() as registry,
        _resolver(tmp_path, registry.url) as it,
    ):
        for case, spec in cases:
            if case["ok"]:
                digest = await _verify(it, case, spec)
                assert digest in case["result"], case["name"]
            else:
                with pytest.raises(_ELSEWHERE.get(case["name"], SignatureError)):
                    await _verify(it, case, spec)


async def test_archives_verify_as_recorded(tmp_path: Path) -> None:
    cases = _cases("cases.json")
    assert len(cases) > 90
    await _check(tmp_path, [(case, {"type": "CommonTransportFormat", "filePath": case["ctf"]}) for case in cases])


async def test_registries_verify_as_recorded(tmp_path: Path) -> None:
    cases = _cases("registry-cases.json")
    assert len(cases) > 20
    await _check(tmp_path, [(case, case["repository"]) for case in cases])


@pytest.mark.parametrize(
    ("policy", "signature", "wanted"),
    [
        (Policy.DO_NOT_ENFORCE, None, False),
        (Policy.DO_NOT_ENFORCE, "release", True),
        (Policy.ENFORCE, "release", True),
        (Policy.DISABLED, "release", False),
    ],
)
def test_the_policy_decides_whether_to_verify(policy: Policy, signature: str | None, wanted: bool) -> None:
    assert policy.wants(signature) is wanted


def test_enforcement_refuses_what_names_no_signature() -> None:
    with pytest.raises(SignatureError, match=r"spec\.verification"):
        Policy.ENFORCE.wants(None)
