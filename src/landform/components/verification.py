"""Whether a component version is what was signed: its content, its references and their content, recursively."""

from __future__ import annotations

import asyncio
import enum
import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from landform.components import accesstypes, normalisation, signatures
from landform.components.errors import SignatureError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.components.signatures import TrustedKeys

EXCLUDED = {"hashAlgorithm": "NO-DIGEST", "normalisationAlgorithm": "EXCLUDE-FROM-SIGNATURE", "value": "NO-DIGEST"}
"""The digest of a resource whose content is not part of the signature."""

GENERIC = "genericBlobDigest/v1"
OCI_ARTIFACT = ("ociArtifactDigest/v1", "ociArtefactDigest/v1")
_AT_ONCE = 8


class Policy(enum.StrEnum):
    """When component versions are verified; the names are those of the configuration."""

    DO_NOT_ENFORCE = "DoNotEnforce"
    """If the Installation asks for it."""

    ENFORCE = "Enforce"
    """Always: an Installation that does not ask for it fails."""

    DISABLED = "Disabled"
    """Never."""

    def wants(self, signature_name: str | None) -> bool:
        """Whether to verify, given the name of the signature that the Installation asks for."""
        if self is Policy.DISABLED:
            return False
        if self is Policy.ENFORCE and not signature_name:
            raise SignatureError(
                "every Installation must be verified here (policy Enforce), but this one names no signature; "
                "set spec.verification.signatureName"
            )
        return bool(signature_name)


class Material(Protocol):
    """What verification needs of a resolved component version."""

    def member(self, name: str, version: str) -> tuple[Mapping[str, Any], str]:
        """The descriptor of a component version, and the schema that it is stored in."""
        ...

    async def artifact_digest(self, descriptor: Mapping[str, Any], resource: Mapping[str, Any]) -> str | None:
        """The digest of the manifest if the resource is an OCI artifact; None if it is plain content."""
        ...

    async def content_hash(self, descriptor: Mapping[str, Any], resource: Mapping[str, Any], algorithm: str) -> str:
        """The hexadecimal hash of the resource's content, by an algorithm of hashlib."""
        ...


async def verify(material: Material, name: str, version: str, signature_name: str, keys: TrustedKeys) -> str:
    """Raise SignatureError unless the component version is signed by whom we trust; returns its digest."""
    descriptor, _ = material.member(name, version)
    signature = signatures.named(descriptor, signature_name)
    algorithms = _algorithms(signature["digest"])
    found = await _Digests(material).component(name, version, algorithms)
    stated = signature["digest"]["value"]
    if found != stated:
        raise SignatureError(
            f"{name}:{version}: signature digest ({stated}) does not match found digest ({found}): "
            "the component version was changed after it was signed"
        )
    await asyncio.to_thread(signatures.check, signature, found, keys)
    return found


@dataclass(frozen=True)
class Algorithms:
    """How a digest is made."""

    hash: str
    """Name of the hash algorithm as the descriptor spells it."""

    normalisation: str
    """Name of the normalisation."""


@dataclass
class _Digests:
    """The digests of component versions, each computed once."""

    material: Material
    _computed: dict[tuple[str, str, Algorithms], str] = field(default_factory=dict)
    _slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE))

    async def component(self, name: str, version: str, algorithms: Algorithms) -> str:
        key = (name, version, algorithms)
        if key not in self._computed:
            self._computed[key] = await self._component(name, version, algorithms)
        return self._computed[key]

    async def _component(self, name: str, version: str, algorithms: Algorithms) -> str:
        descriptor, schema = self.material.member(name, version)
        component = dict(descriptor["component"])
        component["componentReferences"] = [
            await self._reference(reference, algorithms) for reference in component["componentReferences"]
        ]
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._resource(descriptor, resource, algorithms), name=f"digest {resource['name']}")
                for resource in component["resources"]
            ]
        component["resources"] = [task.result() for task in tasks]
        text = normalisation.normalise({**descriptor, "component": component}, schema, algorithms.normalisation)
        return hashlib.new(signatures.hash_name(algorithms.hash), text).hexdigest()

    async def _reference(self, reference: Mapping[str, Any], algorithms: Algorithms) -> dict[str, Any]:
        """The reference with the digest that counts for the signature.

        One that is stored was made for the signature that came last; for another one, with other algorithms, it says
        nothing.
        """
        found = await self.component(reference["componentName"], reference["version"], algorithms)
        digest = _digest(algorithms.hash, algorithms.normalisation, found)
        stored = reference.get("digest")
        if stored and _algorithms(stored) == algorithms:
            _compare("reference", str(reference["name"]), stored, digest)
        return {**reference, "digest": digest}

    async def _resource(
        self, descriptor: Mapping[str, Any], resource: Mapping[str, Any], algorithms: Algorithms
    ) -> dict[str, Any]:
        stored = resource.get("digest")
        if accesstypes.kind(resource["access"]) == "none":
            return {key: value for key, value in resource.items() if key != "digest"}
        if stored == EXCLUDED:
            return dict(resource)
        async with self._slots:
            digest = await self._computed_digest(descriptor, resource, stored, algorithms)
        if stored:
            _compare("resource", str(resource["name"]), stored, digest)
        return {**resource, "digest": _spelled(stored or digest, algorithms.hash)}

    async def _computed_digest(
        self,
        descriptor: Mapping[str, Any],
        resource: Mapping[str, Any],
        stored: Mapping[str, Any] | None,
        algorithms: Algorithms,
    ) -> dict[str, Any]:
        kind = stored["normalisationAlgorithm"] if stored else ""
        if kind not in ("", GENERIC, *OCI_ARTIFACT):
            raise SignatureError(f'resource "{resource["name"]}" has a digest of the unknown kind "{kind}"')
        if kind != GENERIC:
            artifact = await self.material.artifact_digest(descriptor, resource)
            if artifact is not None:
                algorithm, _, value = artifact.partition(":")
                return _digest(f"SHA-{algorithm.removeprefix('sha')}", OCI_ARTIFACT[0], value)
            if kind:
                raise SignatureError(f'resource "{resource["name"]}" has the digest of an artifact, but is none')
        hashed = stored["hashAlgorithm"] if stored else algorithms.hash
        value = await self.material.content_hash(descriptor, resource, signatures.hash_name(hashed))
        return _digest(hashed, GENERIC, value)


def _compare(what: str, name: str, stored: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    same_hash = signatures.hash_name(stored["hashAlgorithm"]) == signatures.hash_name(found["hashAlgorithm"])
    if not same_hash or stored["value"] != found["value"]:
        raise SignatureError(
            f"calculated {what} digest ({_words(found)}) mismatches existing digest ({_words(stored)}) for {name}: "
            "it was changed after it was signed"
        )


def _words(digest: Mapping[str, Any]) -> str:
    return f"{digest['hashAlgorithm']}:{digest['value']}"


def _algorithms(digest: Mapping[str, Any]) -> Algorithms:
    return Algorithms(digest["hashAlgorithm"], digest["normalisationAlgorithm"])


def _digest(hash_algorithm: str, kind: str, value: str) -> dict[str, Any]:
    return {"hashAlgorithm": hash_algorithm, "normalisationAlgorithm": kind, "value": value}


def _spelled(digest: Mapping[str, Any], like: str) -> dict[str, Any]:
    """The digest with the name of its hash in the old spelling, if the signature uses that."""
    name = digest["hashAlgorithm"]
    old = like in ("sha256", "sha512") and name in signatures.HASHES
    return {**digest, "hashAlgorithm": signatures.HASHES[name] if old else name}
