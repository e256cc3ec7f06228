"""The walk of one request: who asks, what for, may he, do it, answer. Whatever goes wrong becomes a Status."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
from aiohttp import web

from landform.cluster import errors, selectors
from landform.embedded import discovery
from landform.embedded.access.impersonation import impersonate
from landform.embedded.access.rbac import forbidden
from landform.embedded.access.rules import Attributes
from landform.embedded.faults import body_too_large, method_not_allowed, no_such_page
from landform.embedded.merging.managers import manager_from_user_agent
from landform.embedded.openapi import protobuf
from landform.embedded.registry import LARGEST_OBJECT, Caller
from landform.embedded.serving import answers, bodies, media, queries, urls, watches

if TYPE_CHECKING:
    from landform.embedded.access.users import User
    from landform.embedded.catalog import ResourceType
    from landform.embedded.documents import Document, Documents
    from landform.embedded.serving.queries import Query
    from landform.embedded.serving.urls import ResourcePath
    from landform.embedded.verbs import Verbs

_log = logging.getLogger(__name__)

_HEALTH = ("/healthz", "/livez", "/readyz")
_BIG_BODY = 64 * 1024
"""Larger bodies are parsed off the event loop, unless they are JSON, which takes no time."""


class Handler:
    """Answers requests to the home."""

    def __init__(self, verbs: Verbs, documents: Documents, version: dict[str, str]) -> None:
        self._verbs = verbs
        self._documents = documents
        self._version = msgspec.json.encode(version)

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        """The answer to a request; never an exception."""
        try:
            return await self._answer(request)
        except errors.ApiError as error:
            return answers.failure(error)
        except web.HTTPRequestEntityTooLarge:
            return answers.failure(body_too_large(LARGEST_OBJECT))
        except (asyncio.CancelledError, ConnectionError):
            raise  # the client has gone
        except Exception as error:
            _log.exception("%s %s failed", request.method, request.rel_url.path)
            return answers.failure(
                errors.ServerError(f"Internal error occurred: {type(error).__name__}; the server's log has the details")
            )

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        path, _, search = request.raw_path.partition("?")
        user = self._user(request)
        resource = urls.parse(path)
        if resource is None:
            self._authorize(Attributes(user, request.method.lower(), path=path))
            return self._document(request, path)
        query = queries.parse(search) if search else {}
        verb = _verb(request.method, resource, query)
        self._authorize(_attributes(user, verb, resource, query))
        type_ = self._verbs.find(resource.group, resource.version, resource.plural)
        resource = _scoped(type_, resource, verb)
        caller = Caller(user, manager_from_user_agent(request.headers.get("User-Agent", "")) or "unknown")
        response = await self._do(request, verb, type_, resource, query, caller)
        if type_.deprecation and not response.prepared:
            answers.warn(response, type_.deprecation)
        return response

    async def _do(
        self,
        request: web.BaseRequest,
        verb: str,
        type_: ResourceType,
        resource: ResourcePath,
        query: Query,
        caller: Caller,
    ) -> web.StreamResponse:
        match verb:
            case "get" | "list" | "watch":
                return await self._read(request, verb, type_, resource, query)
            case "create":
                return await self._create(request, type_, resource, query, caller)
            case "update":
                return await self._update(request, type_, resource, query, caller)
            case "patch":
                return await self._patch(request, type_, resource, query, caller)
        return await self._delete(request, verb, type_, resource, query)

    # Who asks, and may he.

    def _user(self, request: web.BaseRequest) -> User:
        user = self._verbs.authenticator.authenticate(request.headers.get("Authorization"))
        if any(header.lower().startswith("impersonate-") for header in request.headers):
            return impersonate(user, request.headers.items(), self._verbs.policies.current)
        return user

    def _authorize(self, wanted: Attributes) -> None:
        if not wanted.user.is_admin and not self._verbs.policies.current.allows(wanted):
            raise forbidden(wanted)

    # Documents.

    def _document(self, request: web.BaseRequest, path: str) -> web.Response:
        if request.method not in ("GET", "HEAD"):
            raise method_not_allowed()
        if path.rstrip("/") in _HEALTH or path.startswith(tuple(f"{place}/" for place in _HEALTH)):
            return web.Response(text="ok")
        if path.rstrip("/") == "/version":
            return answers.plain(self._version)
        found = self._find_document(path.rstrip("/") or "/", request.headers.get("Accept", ""))
        if found is None:
            raise no_such_page()
        headers = {"ETag": found.etag, "Vary": "Accept", "Cache-Control": "public"}
        if request.headers.get("If-None-Match") == found.etag:
            return web.Response(status=304, headers=headers)
        return web.Response(body=found.body, headers={**headers, "Content-Type": found.media_type})

    def _find_document(self, path: str, accept: str) -> Document | None:
        documents = self._documents
        parts = path.strip("/").split("/")
        match parts:
            case [""]:
                return documents.root()
            case ["api" | "apis" as root]:
                for version in discovery.AGGREGATED_VERSIONS:
                    if media.accepts(accept, discovery.aggregated_media_type(version)):
                        return documents.aggregated(core=root == "api", document_version=version)
                return documents.core_versions() if root == "api" else documents.group_list()
            case ["api", version]:
                return documents.resource_list("", version)
            case ["apis", group]:
                return documents.group(group)
            case ["apis", group, version]:
                return documents.resource_list(group, version)
            case ["openapi", "v2"]:
                return documents.openapi_v2_protobuf() if protobuf.is_wanted(accept) else documents.openapi_v2()
            case ["openapi", "v3"]:
                return documents.openapi_v3_index()
            case ["openapi", "v3", "api", version]:
                return documents.openapi_v3("", version)
            case ["openapi", "v3", "apis", group, version]:
                return documents.openapi_v3(group, version)
        return None

    # Verbs.

    async def _read(
        self, request: web.BaseRequest, verb: str, type_: ResourceType, resource: ResourcePath, query: Query
    ) -> web.StreamResponse:
        wanted = media.wanted(request.headers.get("Accept", ""))
        include = query.get("includeObject", "Metadata")
        now = self._verbs.clock.now()
        if verb == "get":
            raw = self._verbs.get(type_, resource.namespace, resource.name, resource.subresource)
            return answers.plain(answers.one(type_, raw, wanted, include, now), yaml=wanted.yaml)
        options = queries.list_options(query)
        if verb == "list":
            page = self._verbs.reading.page(type_, resource.namespace, options)
            return answers.plain(answers.many(type_, page, wanted, include, now), yaml=wanted.yaml)
        if resource.name:
            options = replace(options, field_selector=f"metadata.name={resource.name}")
        asked = watches.WatchRequest(
            type_, resource.namespace, options, wanted, include, queries.flag(query, "allowWatchBookmarks")
        )
        return await watches.stream(request, asked, self._verbs.reading, self._verbs.clock)

    async def _create(
        self, request: web.BaseRequest, type_: ResourceType, resource: ResourcePath, query: Query, caller: Caller
    ) -> web.Response:
        options = queries.write_options(query, resource.subresource, kind="CreateOptions")
        raw = await request.read()
        body = await _decoded(raw, request)
        duplicates = bodies.check_duplicates(raw, options.field_validation)
        outcome = await self._verbs.create(type_, resource.namespace, resource.name, body, options, caller)
        return self._written(request, type_, outcome.raw, [*duplicates, *outcome.warnings], 201, query)

    async def _update(
        self, request: web.BaseRequest, type_: ResourceType, resource: ResourcePath, query: Query, caller: Caller
    ) -> web.Response:
        options = queries.write_options(query, resource.subresource, kind="UpdateOptions")
        raw = await request.read()
        body = await _decoded(raw, request)
        duplicates = bodies.check_duplicates(raw, options.field_validation)
        outcome = await self._verbs.update(type_, resource.namespace, resource.name, body, options, caller)
        return self._written(request, type_, outcome.raw, [*duplicates, *outcome.warnings], 200, query)

    async def _patch(
        self, request: web.BaseRequest, type_: ResourceType, resource: ResourcePath, query: Query, caller: Caller
    ) -> web.Response:
        patch_type = bodies.patch_type(request.headers.get("Content-Type", ""))
        options = queries.write_options(query, resource.subresource, kind="PatchOptions")
        raw = await request.read()
        body = await _decoded(raw, request)
        key = (resource.namespace, resource.name)
        outcome = await self._verbs.patch(type_, key, body, patch_type, options, caller)
        status = 201 if outcome.created else 200
        return self._written(request, type_, outcome.raw, outcome.warnings, status, query)

    async def _delete(
        self, request: web.BaseRequest, verb: str, type_: ResourceType, resource: ResourcePath, query: Query
    ) -> web.Response:
        body = await _decoded(await request.read(), request)
        options = queries.delete_options(query, body)
        if verb == "deletecollection":
            await self._verbs.delete_collection(type_, resource.namespace, queries.list_options(query), options)
            return answers.plain(answers.success(type_, "", ""))
        outcome = await self._verbs.delete(type_, resource.namespace, resource.name, options)
        if outcome.gone:
            uid = msgspec.json.decode(outcome.raw)["metadata"]["uid"]
            return answers.plain(answers.success(type_, resource.name, uid))
        return answers.plain(outcome.raw)

    def _written(
        self,
        request: web.BaseRequest,
        type_: ResourceType,
        raw: bytes,
        warnings: Any,
        status: int,
        query: Query,
    ) -> web.Response:
        """The answer to a write: the object in the shape the client wants."""
        wanted = media.wanted(request.headers.get("Accept", ""))
        shown = answers.one(type_, raw, wanted, query.get("includeObject", "Metadata"), self._verbs.clock.now())
        return answers.plain(shown, status=status, warnings=warnings, yaml=wanted.yaml)


async def _decoded(raw: bytes, request: web.BaseRequest) -> Any:
    content_type = request.headers.get("Content-Type", "")
    if len(raw) > _BIG_BODY and "json" not in content_type:
        return await asyncio.to_thread(bodies.decode, raw, content_type)
    return bodies.decode(raw, content_type)


def _verb(method: str, resource: ResourcePath, query: Query) -> str:
    """The API's verb for a method."""
    match method:
        case "GET" | "HEAD":
            if queries.flag(query, "watch"):
                return "watch"
            return "get" if resource.name else "list"
        case "POST":
            return "create"
        case "PUT":
            return "update"
        case "PATCH":
            return "patch"
        case "DELETE":
            return "delete" if resource.name else "deletecollection"
    raise method_not_allowed()


def _attributes(user: User, verb: str, resource: ResourcePath, query: Query) -> Attributes:
    namespace = resource.namespace
    if resource.plural == "namespaces" and not resource.group:
        namespace = resource.name
    return Attributes(
        user,
        verb,
        resource.group,
        resource.plural,
        resource.subresource,
        resource.name or (_selected_name(query) if verb in ("list", "watch") else ""),
        namespace,
    )


def _selected_name(query: Query) -> str:
    """The one object that a list or watch is about, if its fields say so: who may see only that may ask for it."""
    try:
        return selectors.parse_fields(query.get("fieldSelector", "")).exact("metadata.name") or ""
    except ValueError:
        return ""  # told to whoever may ask at all


def _scoped(type_: ResourceType, resource: ResourcePath, verb: str) -> ResourcePath:
    """The path, once it fits the type: writing to a namespaced resource needs a namespace."""
    if type_.namespaced and not resource.namespace and verb not in ("list", "watch", "deletecollection"):
        if verb == "create" and not resource.name:
            raise errors.BadRequest("an empty namespace may not be set during creation")
        raise no_such_page()
    if not type_.namespaced and resource.namespace:
        raise no_such_page()
    if verb in ("update", "patch") and not resource.name:
        raise method_not_allowed()
    if verb == "create" and resource.name and not resource.subresource:
        raise method_not_allowed()
    return resource
