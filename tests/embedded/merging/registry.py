"""A registry of one object, just enough to replay recorded requests against the merging functions."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from tests.embedded.merging import defaulting
from tests.golden.ownership.jsonpatches import merge_patch
from tests.golden.ownership.kinds import KINDS

from landform.cluster.errors import ApiError, Conflict
from landform.embedded.merging import fieldsets, ownership
from landform.embedded.merging.scopes import Scope
from landform.embedded.merging.strategic import PatchError, strategic_merge

if TYPE_CHECKING:
    from landform.embedded.schemas.nodes import Node

Json = dict[str, Any]

BEGIN = datetime(2030, 1, 1, tzinfo=UTC)
NAMESPACE = "golden"
WITH_GENERATION = ("Deployment", "Pod", "Widget")


class Registry:
    """Holds one object and writes to it as the API server does, as far as field ownership can see."""

    def __init__(self, kind: str, name: str, node: Node) -> None:
        self.kind = KINDS[kind]
        self.name = name
        self.live: Json | None = None
        built_in = bool(self.kind.definition)
        self._scope = Scope(node, self.kind.api_version, kind, built_in=built_in, ignored=_set(self.kind.ignored))
        self._status = replace(self._scope, subresource="status", ignored=_set(self.kind.ignored_by_status))

    def do(self, step: Json) -> Json:
        """Perform a recorded step; the object after it, or an ApiError."""
        scope = self._status if step.get("subresource") else self._scope
        if "version" in step:
            scope = replace(scope, api_version=step["version"])
        now = BEGIN + timedelta(seconds=step["second"])
        manager, body = step.get("manager", ""), step["body"]
        if step["verb"] == "apply":
            applied = self._named(body, scope)
            live = self._in_version(scope)
            merged = ownership.apply(scope, live, applied, manager=manager, now=now, force=step.get("force", False))
            return self._store(merged.object, scope, now)
        new = defaulting.defaulted(self._wanted(step, scope), scope)
        managed = ownership.update(scope, self._in_version(scope), new, manager=manager or "test", now=now)
        metadata = {key: value for key, value in new["metadata"].items() if key != "managedFields"}
        return self._store({**new, "metadata": metadata | ({"managedFields": managed} if managed else {})}, scope, now)

    def _wanted(self, step: Json, scope: Scope) -> Json:
        """The object that a request other than apply asks for."""
        body = step["body"]
        if step["verb"] == "create":
            return self._named(body, scope)
        live = self._in_version(scope)
        assert live is not None
        if step["verb"] == "strategic":
            try:
                return strategic_merge(live, body, scope.node)
            except PatchError as error:
                raise ApiError(str(error), code=error.code) from error
        new: Json = merge_patch(live, body)
        managed = step.get("managed", new["metadata"].get("managedFields"))
        metadata = {key: value for key, value in new["metadata"].items() if key != "managedFields"}
        return {**new, "metadata": metadata if managed == "drop" else {**metadata, "managedFields": managed}}

    def _store(self, new: Json, scope: Scope, now: datetime) -> Json:
        """Keep the object, with what the server itself decides."""
        new = defaulting.admitted(defaulting.defaulted(self._reset(new, scope), scope), scope)
        live = self._in_version(scope)
        if live is None:
            metadata: Json = {
                "uid": "uid",
                "creationTimestamp": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "resourceVersion": "1",
            }
            if self.kind.kind in WITH_GENERATION:
                metadata["generation"] = 1
            self.live = {**new, "metadata": {**new["metadata"], **metadata}}
            return self.live
        if new["metadata"]["resourceVersion"] != live["metadata"]["resourceVersion"]:
            raise Conflict("the object has been modified")
        if ownership.differ_only_in_times(live, new):
            return live
        metadata = {**new["metadata"], "resourceVersion": str(int(live["metadata"]["resourceVersion"]) + 1)}
        if self.kind.kind in WITH_GENERATION and _specified(new) != _specified(live):
            metadata["generation"] += 1
        self.live = {**new, "metadata": metadata}
        return self.live

    def _reset(self, new: Json, scope: Scope) -> Json:
        """The object with what this kind of write cannot change put back."""
        if scope.subresource and not scope.built_in:
            assert self.live is not None
            kept = {**self.live["metadata"], "managedFields": new["metadata"].get("managedFields", [])}
            return {**self.live, "apiVersion": new["apiVersion"], "metadata": kept, "status": new.get("status")}
        paths = self.kind.ignored_by_status if scope.subresource else self.kind.ignored
        for path in paths:
            new = _put_back(new, self.live or {}, path.split("."))
        return new

    def _in_version(self, scope: Scope) -> Json | None:
        return None if self.live is None else {**self.live, "apiVersion": scope.api_version}

    def _named(self, body: Json, scope: Scope) -> Json:
        metadata = {"name": self.name, "namespace": NAMESPACE} | body.get("metadata", {})
        return {"apiVersion": scope.api_version, "kind": self.kind.kind, **body, "metadata": metadata}


def _set(paths: tuple[str, ...]) -> fieldsets.FieldSet:
    return fieldsets.from_paths([f"f:{name}" for name in path.split(".")] for path in paths)


def _specified(obj: Json) -> Json:
    return {key: value for key, value in obj.items() if key not in ("apiVersion", "metadata", "status")}


def _put_back(new: Json, live: Json, path: list[str]) -> Json:
    """`new` with the field at the path as it is in `live`."""
    name, *rest = path
    if rest:
        return {**new, name: _put_back(new.get(name, {}), live.get(name, {}), rest)}
    result = {key: value for key, value in new.items() if key != name}
    return {**result, name: live[name]} if name in live else result
