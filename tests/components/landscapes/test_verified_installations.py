"""Installations that must be signed: which policy asks for it, what a signature covers, and who inherits it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
from tests.components.landscapes.component_worlds import (
    HTTP,
    Authored,
    World,
    by_name,
    descriptor,
    failure,
    mock_blueprint,
    resource,
    world,
)
from tests.components.static_registry import GOLDEN, StaticRegistry

from landform.components.errors import SignatureError
from landform.components.overwrites import ComponentReference
from landform.components.resolving import ComponentContext
from landform.components.settings import Repositories
from landform.components.signatures import TrustedKeys
from landform.components.verification import Policy
from landform.components.versions import ComponentVersion
from landform.installations.fetching import trust

if TYPE_CHECKING:
    from pathlib import Path

SIGNED = GOLDEN / "signed"
FILES = {"blueprint.yaml": "imports: []"}
INLINE = {"inline": {"filesystem": FILES}}
BY_NAME = {"ref": {"resourceName": "blueprint"}}
ASKED = {"signatureName": "release"}


def _where(folder: str) -> dict[str, Any]:
    return {"type": "CommonTransportFormat", "filePath": folder}


async def _trust(it: World, key: str, folder: str = "default-v2") -> None:
    await it.secret(f"key-{key.partition('.')[0]}", key=(SIGNED / "keys" / key).read_text())
    reference = {"name": f"key-{key.partition('.')[0]}", "namespace": "default", "key": "key"}
    signatures = {"release": {"publicKeySecretReference": reference}}
    await it.context(repositoryContext=_where(folder), verificationSignatures=signatures)


def _spec(name: str, version: str = "1.0.0") -> dict[str, Any]:
    return {"componentDescriptor": by_name(f"example.com/golden/{name}", version), "blueprint": INLINE}


async def test_a_signed_component_is_used_and_one_with_another_key_is_not(tmp_path: Path) -> None:
    async with world(tmp_path, root=SIGNED) as it:
        await _trust(it, "a.pub")
        spec = _spec("signed-dup")
        assert (await it.run("good", **spec, verification=ASKED)).status.phase == "Succeeded"
        assert (await it.run("not-asked", **_spec("signed-part"))).status.phase == "Succeeded"
        why = failure(await it.run("unsigned", **_spec("signed-part"), verification=ASKED))
        assert 'VerifySignature: signature "release" not found' in why
        await _trust(it, "b.pub")
        why = failure(await it.run("bad", **spec, verification=ASKED))
        assert "VerifySignature" in why
        assert "does not fit the key" in why


async def test_a_signature_that_the_context_does_not_know_is_named(tmp_path: Path) -> None:
    async with world(tmp_path, root=SIGNED) as it:
        await _trust(it, "a.pub")
        why = failure(await it.run("a", **_spec("signed-dup"), verification={"signatureName": "other"}))
        assert "ExtractVerifyInfo" in why
        assert 'no verificationSignatures for the signature "other"' in why


async def test_a_tampered_component_is_not_used(tmp_path: Path) -> None:
    async with StaticRegistry().load("plain").serve() as registry:
        http = replace(HTTP, proxies={"http": registry.url})
        async with world(tmp_path, root=SIGNED, http=http) as it:
            await _trust(it, "a.pub", "tampered-provider.tgz")
            why = failure(await it.run("a", **_spec("signed-main", "2.0.0"), verification=ASKED))
            assert "changed after it was signed" in why
            await it.context(repositoryContext=_where("default-v2"))
            ended = await it.run("b", **_spec("signed-main", "2.0.0"), verification=ASKED)
            assert ended.status.phase == "Succeeded"


async def test_enforcement_refuses_installations_that_do_not_ask(tmp_path: Path) -> None:
    async with world(tmp_path, root=SIGNED, policy=Policy.ENFORCE) as it:
        await _trust(it, "a.pub")
        assert "policy Enforce" in failure(await it.run("a", **_spec("signed-dup")))
        assert "policy Enforce" in failure(await it.run("b", blueprint=INLINE))
        assert "has no component" in failure(await it.run("c", blueprint=INLINE, verification=ASKED))
        assert (await it.run("d", **_spec("signed-dup"), verification=ASKED)).status.phase == "Succeeded"


async def test_a_disabled_policy_verifies_nothing(tmp_path: Path) -> None:
    async with world(tmp_path, root=SIGNED, policy=Policy.DISABLED) as it:
        await it.context(repositoryContext=_where("default-v2"))
        assert (await it.run("a", **_spec("signed-part"), verification=ASKED)).status.phase == "Succeeded"


@pytest.mark.parametrize("policy", [Policy.DO_NOT_ENFORCE, Policy.ENFORCE])
async def test_sub_installations_are_covered_by_the_signature_above(tmp_path: Path, policy: Policy) -> None:
    authored = Authored(tmp_path / "components")
    templates = [
        {"name": "db", "blueprint": {"ref": "cd://componentReferences/database/resources/blueprint"}},
        {"name": "again", "blueprint": {"filesystem": FILES}},
    ]
    authored.component("example.com/db", blueprint=mock_blueprint())
    shop = authored.component(
        "example.com/shop", blueprint={"subinstallations": templates}, references={"database": "example.com/db"}
    )
    signed = await _signed(shop, authored, tmp_path)
    spec = {"componentDescriptor": by_name("example.com/shop"), "blueprint": BY_NAME, "verification": ASKED}
    async with world(tmp_path, root=authored.folder, policy=policy) as it:
        await _trust_key(it, signed, authored)
        assert (await it.run("shop", **spec)).status.phase == "Succeeded"


def test_a_signature_covers_only_what_is_referred_to_and_unchanged() -> None:
    leaf = descriptor("example.com/db", [])
    changed = descriptor("example.com/db", [resource("x", "text", {"type": "none"})])
    root = descriptor("example.com/shop", [], references={"database": "example.com/db"})
    signed = ComponentVersion(root, None, (root, leaf))
    assert trust.covers(signed, ComponentVersion(leaf, None, (leaf,)))
    assert not trust.covers(signed, ComponentVersion(changed, None, (changed,)))
    stranger = descriptor("example.com/other", [], references={"database": "example.com/db"})
    assert not trust.covers(signed, ComponentVersion(stranger, None, (stranger, leaf)))


async def _trust_key(it: World, public: str, authored: Authored) -> None:
    await it.secret("own", key=public)
    signatures = {"release": {"publicKeySecretReference": {"name": "own"}}}
    await it.context(repositoryContext=authored.spec, verificationSignatures=signatures)


async def _signed(made: dict[str, Any], authored: Authored, tmp_path: Path) -> str:
    """Sign a component version; the public key. Its digest is what the verification itself says it should be."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    digest = {"hashAlgorithm": "SHA-256", "normalisationAlgorithm": "jsonNormalisation/v1", "value": "00"}
    details = {"algorithm": "RSASSA-PKCS1-V1_5", "mediaType": "application/vnd.ocm.signature.rsa", "value": "00"}
    signature = {"name": "release", "digest": digest, "signature": details}
    authored.write({**made, "signatures": [signature]})
    repositories = Repositories(tmp_path / "cache", root=authored.folder)
    async with repositories.resolver() as resolver:
        wanted = ComponentReference(made["component"]["name"], made["component"]["version"])
        version = await resolver.resolve(wanted, ComponentContext(authored.spec))
        with pytest.raises(SignatureError) as refused:
            await resolver.verify(version, "release", TrustedKeys())
    [digest["value"]] = re.findall(r"found digest \((\w+)\)", str(refused.value))
    value = key.sign(bytes.fromhex(digest["value"]), padding.PKCS1v15(), Prehashed(hashes.SHA256()))
    details["value"] = value.hex()
    authored.write({**made, "signatures": [signature]})
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return key.public_key().public_bytes(serialization.Encoding.PEM, form).decode()
