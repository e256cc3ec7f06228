"""Everything that can be asked of the home, once it is known who asks and that he may: one method a verb.

The HTTPS server and the in-process client both stand on this, so they cannot differ.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from landform.cluster.errors import Conflict
from landform.embedded import faults, scaling, versions
from landform.embedded import options as write_options
from landform.embedded.access import reviews, token_requests
from landform.embedded.catalog import Catalog, GroupResource, ResourceType
from landform.embedded.objects import StoreKey
from landform.embedded.registry import Caller, Outcome, Registry

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from landform.cluster.interface import DeleteOptions, ListOptions, PatchType, WriteOptions
    from landform.embedded.access.authentication import Authenticator
    from landform.embedded.access.tokens import Tokens
    from landform.embedded.policies import Policies
    from landform.embedded.reading import Reading
    from landform.embedded.store import Store
    from landform.kit.clocks import Clock

Object = dict[str, Any]

_REVIEW_GROUPS = (reviews.AUTHENTICATION, reviews.AUTHORIZATION)
_BOUND_RESOURCES = {"Pod": "pods", "Secret": "secrets", "Node": "nodes"}


@dataclass(frozen=True)
class Verbs:
    """The home's answers."""

    store: Store
    catalog: Catalog
    registry: Registry
    reading: Reading
    policies: Policies
    authenticator: Authenticator
    tokens: Tokens
    clock: Clock

    def find(self, group: str, version: str, plural: str) -> ResourceType:
        """The type that these words name; NotFound if nothing is served under them."""
        type_ = self.catalog.find(group, version, plural)
        if type_ is None:
            raise faults.no_such_page()
        return type_

    def get(self, type_: ResourceType, namespace: str, name: str, subresource: str = "") -> bytes:
        """An object, or one of its subresources."""
        _check_verb(type_, "get", subresource, name)
        stored = self.reading.get(type_, namespace, name)
        if subresource == "scale":
            return msgspec.json.encode(scaling.scale_of(type_, stored.decode()))
        present = versions.presenter(type_)
        return stored.raw if present is None else present(stored.raw)

    async def create(
        self, type_: ResourceType, namespace: str, name: str, body: Object, options: WriteOptions, caller: Caller
    ) -> Outcome:
        """Create an object, or ask a question that is put as one: a review, a token request."""
        _check_verb(type_, "create", options.subresource, name)
        write_options.check(options, "CreateOptions")
        if type_.group in _REVIEW_GROUPS:
            return self._review(type_, namespace, body, caller)
        if options.subresource == "token":
            return self._token(type_, namespace, name, body)
        async with self._settling():
            return await self.registry.create(type_, namespace, body, options, caller)

    async def update(
        self, type_: ResourceType, namespace: str, name: str, body: Object, options: WriteOptions, caller: Caller
    ) -> Outcome:
        """Replace an object."""
        _check_verb(type_, "update", options.subresource, name)
        write_options.check(options, "UpdateOptions")
        async with self._settling():
            outcome = await self.registry.update(type_, namespace, name, body, options, caller)
        return _scaled(type_, outcome, options.subresource)

    async def patch(
        self,
        type_: ResourceType,
        key: tuple[str, str],
        patch: Any,
        patch_type: PatchType,
        options: WriteOptions,
        caller: Caller,
    ) -> Outcome:
        """Change an object."""
        _check_verb(type_, "patch", options.subresource, key[1])
        write_options.check(options, "PatchOptions", patch_type)
        async with self._settling():
            outcome = await self.registry.patch(type_, key, patch, patch_type, options, caller)
        return _scaled(type_, outcome, options.subresource)

    async def delete(self, type_: ResourceType, namespace: str, name: str, options: DeleteOptions) -> Outcome:
        """Delete an object."""
        _check_verb(type_, "delete")
        async with self._settling():
            return await self.registry.delete(type_, namespace, name, options)

    async def delete_collection(
        self, type_: ResourceType, namespace: str, selection: ListOptions, options: DeleteOptions
    ) -> None:
        """Delete all that is selected."""
        _check_verb(type_, "deletecollection")
        page = self.reading.page(type_, namespace, selection)
        await self.registry.delete_all(type_, page.items, options)

    @asynccontextmanager
    async def _settling(self) -> AsyncIterator[None]:
        """A conflict is answered only once what it conflicts with can be read: the client's next try then sees it."""
        try:
            yield
        except Conflict:
            await self.store.settled()
            raise

    def _review(self, type_: ResourceType, namespace: str, body: Object, caller: Caller) -> Outcome:
        answer = reviews.review(
            type_.kind,
            body,
            user=caller.user,
            policy=self.policies.current,
            verify=self.authenticator.verify,
            now=self.clock.now(),
            namespace=namespace,
        )
        return Outcome(msgspec.json.encode(answer), created=True)

    def _token(self, type_: ResourceType, namespace: str, name: str, body: Object) -> Outcome:
        account = self.reading.get(type_, namespace, name).decode()
        answer = token_requests.answer_token_request(
            body,
            account,
            tokens=self.tokens,
            find=lambda kind, bound: self._bound_object(kind, namespace, bound),
            now=self.clock.now(),
        )
        return Outcome(msgspec.json.encode(answer), created=True)

    def _bound_object(self, kind: str, namespace: str, name: str) -> Object | None:
        resource = GroupResource("", _BOUND_RESOURCES[kind])
        stored = self.store.get(StoreKey(resource, "" if kind == "Node" else namespace, name))
        return None if stored is None else stored.decode()


def _check_verb(type_: ResourceType, verb: str, subresource: str = "", name: str = "") -> None:
    """The resource, or its subresource, must be served and have the verb."""
    verbs = type_.verbs
    if subresource:
        found = [known.verbs for known in type_.subresources if known.name == subresource]
        if not found:  # the API server looks at the path of a custom object only when it has found the object
            raise faults.not_found(type_.group_resource, name) if type_.custom else faults.no_such_page()
        verbs = found[0]
    if verb not in verbs:
        raise faults.method_not_allowed()


def _scaled(type_: ResourceType, outcome: Outcome, subresource: str) -> Outcome:
    """A write to the scale is answered with the Scale."""
    if subresource != "scale":
        return outcome
    scale = scaling.scale_of(type_, msgspec.json.decode(outcome.raw))
    return Outcome(msgspec.json.encode(scale), outcome.warnings)
