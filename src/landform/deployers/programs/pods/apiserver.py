"""The API server as the wait container needs it: read, merge and watch, with the standard library alone.

Landform's own client could do all of it, but to load it takes longer than most of what the wait container does.
Everything here blocks.
"""

from __future__ import annotations

import http.client
import json
import ssl
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")
"""Where a pod finds its token and the cluster's authority."""

_ANSWER_SECONDS = 60.0
_SILENCE_SECONDS = 90.0
"""For a watch without a single byte; the API server sends bookmarks about every 60 s."""

_WATCH_SECONDS = 600
"""After so long the server ends a watch, and it is begun anew."""

_LONGEST_TEXT = 500


class ApiFault(Exception):
    """The API server refused, or did not answer; 0 is the code of no answer."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code

    @property
    def is_passing(self) -> bool:
        """Whether it may pass by itself: no answer, too much to do, trouble, or a token that is being replaced."""
        return self.code in (0, 401, 410, 429) or self.code >= 500


@dataclass(frozen=True)
class ApiServer:
    """The API server of the pod's cluster, in the pod's namespace and with its account."""

    host: str
    port: int
    namespace: str
    account: Path = ACCOUNT

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> ApiServer:
        """The one that the kubelet tells every container of; KeyError outside of a pod."""
        return cls(
            environ["KUBERNETES_SERVICE_HOST"], int(environ["KUBERNETES_SERVICE_PORT"]), environ["POD_NAMESPACE"]
        )

    def get_secret(self, name: str) -> dict[str, Any]:
        """A Secret."""
        return self._call("GET", f"secrets/{name}")

    def patch_secret(self, name: str, change: Mapping[str, Any]) -> None:
        """Merge a change into a Secret."""
        self._call("PATCH", f"secrets/{name}", change)

    def watch_pod(self, name: str) -> Iterator[dict[str, Any] | None]:
        """A pod as it is now, and after each change; None when it is gone. It ends after a while, or in an ApiFault."""
        query = f"?watch=true&allowWatchBookmarks=true&fieldSelector=metadata.name%3D{name}&timeoutSeconds="
        try:
            with closing(self._connection(_SILENCE_SECONDS)) as connection:
                answer = self._exchange(connection, "GET", f"pods{query}{_WATCH_SECONDS}", None)
                for line in answer:
                    event = json.loads(line)
                    if event["type"] == "ERROR":
                        raise ApiFault(event["object"].get("code", 500), event["object"].get("message", ""))
                    if event["type"] != "BOOKMARK":
                        yield event["object"] if event["type"] != "DELETED" else None
        except (OSError, http.client.HTTPException, ValueError) as fault:
            raise ApiFault(0, f"the watch on pod {name} broke off: {fault}") from fault

    def _call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        try:
            with closing(self._connection(_ANSWER_SECONDS)) as connection:
                answer: dict[str, Any] = json.loads(self._exchange(connection, method, path, body).read())
                return answer
        except (OSError, http.client.HTTPException, ValueError) as fault:
            raise ApiFault(0, f"no answer from {self.host}:{self.port} to {method} {path}: {fault}") from fault

    def _connection(self, seconds: float) -> http.client.HTTPSConnection:
        tls = ssl.create_default_context(cafile=str(self.account / "ca.crt"))
        return http.client.HTTPSConnection(self.host, self.port, timeout=seconds, context=tls)

    def _exchange(
        self, connection: http.client.HTTPSConnection, method: str, path: str, body: Mapping[str, Any] | None
    ) -> http.client.HTTPResponse:
        headers = {
            "Authorization": f"Bearer {(self.account / 'token').read_text().strip()}",  # the kubelet replaces it
            "Accept": "application/json",
            "Content-Type": "application/merge-patch+json",
        }
        content = None if body is None else json.dumps(body).encode()
        connection.request(method, f"/api/v1/namespaces/{self.namespace}/{path}", content, headers)
        answer = connection.getresponse()
        if answer.status >= 300:
            raise ApiFault(answer.status, f"{method} {path}: {_message(answer.read())}")
        return answer


def _message(body: bytes) -> str:
    try:
        return str(json.loads(body)["message"])
    except (ValueError, KeyError, TypeError):
        return body[:_LONGEST_TEXT].decode(errors="replace")
