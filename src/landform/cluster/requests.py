"""HTTP requests, prepared but not sent: what each operation of a `Cluster` looks like on the wire."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import quote, urlencode

from landform.cluster import codec
from landform.cluster.errors import BadRequest
from landform.cluster.interface import PatchType
from landform.cluster.resources import untyped
from landform.kit import quoting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.cluster.interface import DeleteOptions, ListOptions, WriteOptions
    from landform.cluster.resources import Resource

JSON = "application/json"

_PODS = untyped("v1", "Pod", "pods")


class Repeat(enum.Enum):
    """When a request may be sent again although the first one may have reached the cluster."""

    HARMLESS = enum.auto()
    """It reads only."""

    CONDITIONAL = enum.auto()
    """It names the version or the uid it was decided on, so it cannot take effect twice: if the first one did,
    the second is refused with Conflict or NotFound, which its sender must be ready for anyway."""

    NEVER = enum.auto()
    """It could undo what someone else did in between, or be done twice."""


@dataclass(frozen=True)
class Request:
    """One request; `path` is percent-encoded, with its query."""

    method: str
    path: str
    repeat: Repeat
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def get(resource: Resource[Any], name: str, namespace: str, subresource: str) -> Request:
    """Read one object."""
    return read(_object_path(resource, name, namespace, subresource))


def read(path: str, *, accept: str = JSON) -> Request:
    """Read any path."""
    return Request("GET", path, Repeat.HARMLESS, {"Accept": accept})


def list_page(resource: Resource[Any], namespace: str, options: ListOptions) -> Request:
    """Read one page of a list; pages may be large, so they may come compressed."""
    query = _selection(options)
    if options.continue_token:
        # The token stands for the version of the first page; the API server refuses to be told another one.
        query.pop("resourceVersion", None)
        query.pop("resourceVersionMatch", None)
    request = read(_path(resource, namespace) + _query(query))
    return replace(request, headers={**request.headers, "Accept-Encoding": "gzip"})


def watch(resource: Resource[Any], namespace: str, options: ListOptions) -> Request:
    """Watch a list; bookmarks are always asked for."""
    query = {"watch": "true", "allowWatchBookmarks": "true", **_selection(options)}
    if options.send_initial_events:
        query["sendInitialEvents"] = "true"
        query.setdefault("resourceVersionMatch", "NotOlderThan")
    if options.timeout_seconds is not None:
        query["timeoutSeconds"] = str(max(1, math.ceil(options.timeout_seconds)))
    return read(_path(resource, namespace) + _query(query))


def pod_log(name: str, namespace: str, container: str, since: str, follow: bool) -> Request:
    """Read what a container of a pod prints, each line with its moment before it."""
    query = {"container": container, "timestamps": "true", "sinceTime": since, "follow": "true" if follow else ""}
    return read(_object_path(_PODS, name, namespace, "log") + _query(query), accept="*/*")


def create(resource: Resource[Any], obj: Any, namespace: str, name: str, options: WriteOptions) -> Request:
    """Store a new object, or post to a subresource of one."""
    namespace = namespace or codec.metadata(obj).namespace
    if options.subresource:
        path = _object_path(resource, name, namespace, options.subresource)
    else:
        path = _path(resource, _required(resource, namespace))
    return _write("POST", path, _named(resource, obj, options), Repeat.NEVER, options)


def replacement(resource: Resource[Any], obj: Any, namespace: str, options: WriteOptions) -> Request:
    """Replace an object."""
    said = codec.metadata(obj)
    path = _object_path(resource, said.name, namespace or said.namespace, options.subresource)
    repeat = Repeat.CONDITIONAL if said.resource_version else Repeat.NEVER
    return _write("PUT", path, _named(resource, obj, options), repeat, options)


def patch(
    resource: Resource[Any], name: str, content: Any, namespace: str, type: PatchType, options: WriteOptions
) -> Request:
    """Change an object."""
    path = _object_path(resource, name, namespace, options.subresource)
    repeat = Repeat.CONDITIONAL if _names_version(content) else Repeat.NEVER
    force = {"force": "true"} if options.force and type is PatchType.APPLY else {}
    return _write("PATCH", path, content, repeat, options, content_type=type, **force)


def delete(resource: Resource[Any], name: str, namespace: str, options: DeleteOptions) -> Request:
    """Delete an object."""
    repeat = Repeat.CONDITIONAL if options.uid or options.resource_version else Repeat.NEVER
    return _deletion(_object_path(resource, name, namespace, ""), options, repeat)


def delete_collection(
    resource: Resource[Any], namespace: str, selection: ListOptions, options: DeleteOptions
) -> Request:
    """Delete all objects that are selected."""
    return _deletion(_path(resource, namespace) + _query(_selection(selection)), options, Repeat.NEVER)


def _write(
    method: str,
    path: str,
    content: Any,
    repeat: Repeat,
    options: WriteOptions,
    *,
    content_type: str = JSON,
    **query: str,
) -> Request:
    query |= {
        "dryRun": "All" if options.dry_run else "",
        "fieldManager": options.field_manager,
        "fieldValidation": options.field_validation,
    }
    headers = {"Accept": JSON, "Content-Type": str(content_type)}
    return Request(method, path + _query(query), repeat, headers, codec.encode(content))


def _deletion(path: str, options: DeleteOptions, repeat: Repeat) -> Request:
    conditions = {"uid": options.uid, "resourceVersion": options.resource_version}
    body = {
        "preconditions": {name: value for name, value in conditions.items() if value} or None,
        "propagationPolicy": options.propagation,
        "gracePeriodSeconds": options.grace_period_seconds,
        "dryRun": ["All"] if options.dry_run else None,
    }
    said = {name: value for name, value in body.items() if value is not None}
    if not said:
        return Request("DELETE", path, repeat, {"Accept": JSON})
    content = codec.encode({"apiVersion": "v1", "kind": "DeleteOptions", **said})
    return Request("DELETE", path, repeat, {"Accept": JSON, "Content-Type": JSON}, content)


def _named(resource: Resource[Any], obj: Any, options: WriteOptions) -> Any:
    """The object, saying what it is; what is posted to a subresource is of another kind and must say so itself."""
    if isinstance(obj, dict) and options.subresource in ("", "status"):
        return {"apiVersion": resource.api_version, "kind": resource.kind, **obj}
    return obj


def _names_version(patch: Any) -> bool:
    said = patch.get("metadata") if isinstance(patch, dict) else None
    return isinstance(said, dict) and bool(said.get("resourceVersion"))


def _selection(options: ListOptions) -> dict[str, str]:
    query = {
        "labelSelector": options.label_selector,
        "fieldSelector": options.field_selector,
        "resourceVersion": options.resource_version,
        "resourceVersionMatch": options.resource_version_match,
        "limit": str(options.limit) if options.limit else "",
        "continue": options.continue_token,
    }
    return {name: value for name, value in query.items() if value}


def _query(values: Mapping[str, str]) -> str:
    said = {name: value for name, value in values.items() if value}
    return f"?{urlencode(said, quote_via=quote)}" if said else ""


def _path(resource: Resource[Any], namespace: str) -> str:
    base = f"/apis/{resource.group}/{resource.version}" if resource.group else f"/api/{resource.version}"
    if resource.namespaced and namespace:
        return f"{base}/namespaces/{_segment(namespace, 'namespace')}/{resource.plural}"
    return f"{base}/{resource.plural}"


def _object_path(resource: Resource[Any], name: str, namespace: str, subresource: str) -> str:
    path = f"{_path(resource, _required(resource, namespace))}/{_segment(name, 'resource name')}"
    return f"{path}/{subresource}" if subresource else path


def _required(resource: Resource[Any], namespace: str) -> str:
    if resource.namespaced and not namespace:
        _refuse(f"an empty namespace may not be set: {resource} live in namespaces")
    return namespace


def _segment(text: str, what: str) -> str:
    """The text as one segment of a path; what could change the path is refused, as kubectl does."""
    if not text:
        _refuse(f"{what} may not be empty")
    if text in (".", ".."):
        _refuse(f"invalid {what} {quoting.quote(text)}: may not be '{text}'")
    for character in "/%":
        if character in text:
            _refuse(f"invalid {what} {quoting.quote(text)}: may not contain '{character}'")
    return quote(text, safe="")


def _refuse(message: str) -> NoReturn:
    raise BadRequest(message)
