"""Which component versions must be signed, and whether they are.

A sub-Installation is verified if what it belongs to is. Its component version need not be signed itself: if the one
above refers to exactly the same, the signature there covers it.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import msgspec

from landform.api.errors import OperationFailed
from landform.cluster.errors import NotFound
from landform.cluster.kinds import INSTALLATIONS
from landform.cluster.resources import ObjectKey
from landform.components import contextobjects, versions
from landform.components.errors import SignatureError
from landform.components.signatures import TrustedKeys
from landform.components.verification import Policy
from landform.installations import relations
from landform.installations.fetching import objects
from landform.installations.sources import OPERATION

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from landform.api.contexts import Context
    from landform.api.installations import Installation
    from landform.api.references import SecretReference
    from landform.cluster.interface import Reader
    from landform.components.resolving import Resolver
    from landform.components.versions import ComponentVersion

_VERIFY: Final = "VerifySignature"
_KEYS: Final = "ExtractVerifyInfo"

_MOST_JOBS: Final = 1_000
"""Of so many jobs it is remembered what was verified; the oldest are verified once more if they go on."""


@dataclass
class Trust:
    """Verifies component versions, each once for a job."""

    reader: Reader
    resolver: Resolver
    policy: Policy = Policy.DO_NOT_ENFORCE
    _verified: OrderedDict[str, set[tuple[object, ...]]] = field(default_factory=OrderedDict, init=False)

    def is_wanted(self, installation: Installation) -> bool:
        """Whether an Installation must be looked at, as far as it says so itself."""
        if self.policy is Policy.ENFORCE:
            return True
        return self.policy is not Policy.DISABLED and installation.spec.verification is not None

    async def check(
        self,
        installation: Installation,
        context: Context,
        version: ComponentVersion | None,
        resolve: Callable[[Installation], Awaitable[ComponentVersion | None]],
    ) -> None:
        """Raise OperationFailed unless the Installation may be made from this; `resolve` is for those above it."""
        if self.policy is Policy.DISABLED:
            return
        asking = await self._asking(installation)
        name = asking.spec.verification.signature_name if asking.spec.verification is not None else None
        try:
            if not self.policy.wants(name) or name is None:
                return
            if version is None:
                raise SignatureError(
                    f'signature "{name}" cannot be verified: the Installation has no component; set componentDescriptor'
                )
            keys = await self._keys(context, name)
            signed = version if asking is installation else await _signed(asking, version, resolve)
            await self._verify(installation.status.job_id or "", signed, name, keys)
        except SignatureError as error:
            raise OperationFailed(OPERATION, _VERIFY, str(error)) from error

    def forget(self, job: str) -> None:
        """The job is over."""
        self._verified.pop(job, None)

    async def _asking(self, installation: Installation) -> Installation:
        """The nearest Installation, going up, that asks for a signature; itself if none does."""
        current: Installation | None = installation
        while current is not None:
            if current.spec.verification is not None:
                return current
            current = await self._above(current)
        return installation

    async def _above(self, installation: Installation) -> Installation | None:
        owner = relations.owner_of(installation)
        if owner is None:
            return None
        try:
            found = await self.reader.get(INSTALLATIONS, owner.name, namespace=installation.metadata.namespace or "")
        except NotFound:
            return None
        return found if found.metadata.uid == owner.uid else None

    async def _verify(self, job: str, version: ComponentVersion, name: str, keys: TrustedKeys) -> None:
        known = self._verified.setdefault(job, set())
        while len(self._verified) > _MOST_JOBS:
            self._verified.popitem(last=False)
        content = hashlib.sha256(msgspec.json.encode(version.closure)).digest()
        fact = (version.name, version.version, content, name, keys)
        if fact not in known:
            await self.resolver.verify(version, name, keys)
            known.add(fact)

    async def _keys(self, context: Context, name: str) -> TrustedKeys:
        signature = (context.verification_signatures or {}).get(name)
        if signature is None:
            message = f'{contextobjects.title(context)} has no verificationSignatures for the signature "{name}"'
            raise OperationFailed(OPERATION, _KEYS, message)
        return TrustedKeys(
            public_key=await self._key(context, signature.public_key_secret_reference),
            ca_certificate=await self._key(context, signature.ca_certificate_secret_reference),
        )

    async def _key(self, context: Context, reference: SecretReference | None) -> str:
        """What stands in a Secret; without a key in the reference, it must have one entry only."""
        if reference is None:
            return ""
        key = ObjectKey(reference.namespace or context.metadata.namespace or "", reference.name)
        found = await objects.secret(self.reader, key, contextobjects.title(context), _KEYS)
        if reference.key and reference.key in found:
            return found[reference.key]
        if not reference.key and len(found) == 1:
            return next(iter(found.values()))
        problem = f"has no key {reference.key}" if reference.key else "has several entries, and no key says which"
        raise OperationFailed(
            OPERATION, _KEYS, f"the Secret {key} that {contextobjects.title(context)} names {problem}"
        )


async def _signed(
    asking: Installation,
    version: ComponentVersion,
    resolve: Callable[[Installation], Awaitable[ComponentVersion | None]],
) -> ComponentVersion:
    """The component version whose signature counts for that of a sub-Installation."""
    above = await resolve(asking)
    return above if above is not None and covers(above, version) else version


def covers(signed: ComponentVersion, version: ComponentVersion) -> bool:
    """Whether a signature of one is one of the other too: it refers to it, and to the same of all that it refers to."""
    known = {versions.key(descriptor): descriptor for descriptor in signed.closure}
    return all(known.get(versions.key(descriptor)) == descriptor for descriptor in version.closure)
