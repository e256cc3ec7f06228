"""Records what a real API server makes of the scenarios: ``python -m tests.golden.ownership.record``.

Writes ``scenarios.json`` (each step with the object or the Status that it led to), ``schemas.json.gz`` (the OpenAPI
schemas of the built-in kinds among them) and ``managers.json`` (what it thinks of names of managers).
Times, uids and resourceVersions are replaced by ones that depend
only on their order, so that another run differs only where the API server does.
"""

from __future__ import annotations

import gzip
import json
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.cluster.controlplane.plane import ControlPlane
from tests.golden.ownership import scenarios
from tests.golden.ownership.jsonpatches import merge_patch
from tests.golden.ownership.kinds import KINDS, WIDGET_DEFINITION

if TYPE_CHECKING:
    from tests.golden.ownership.steps import Scenario, Step

FOLDER = Path(__file__).parent
NAMESPACE = "golden"
SECOND = 1.0

MEDIA_TYPES = {
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}


MANAGERS = (
    "",
    "plain",
    "x" * 128,
    "x" * 129,
    "é" * 64,
    "é" * 65,
    "tab\there",
    "a\u00a0b\u200bc",
    "a b",
    "\n" + "x" * 128,
    'q"\\',
)
USER_AGENTS = ("kubectl/v1.34 (linux)", "curl", "Mozilla/5.0 (X11)", "/odd", "a b c/1", "x" * 200, "tab\there/1")


class QuietPlane(ControlPlane):
    """A control plane without controllers, so that nobody but the scenarios writes."""

    def _start_controller_manager(self) -> None:
        pass


class Server:
    """Requests to the API server."""

    def __init__(self, plane: ControlPlane) -> None:
        self._plane = plane
        self._tls = ssl.create_default_context(cafile=str(plane.ca))

    def ask(
        self, method: str, path: str, body: Any = None, media_type: str = "application/json", user_agent: str = "test"
    ) -> dict[str, Any]:
        """What the server answers, be it an object or a Status."""
        request = urllib.request.Request(
            self._plane.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self._plane.token}",
                "Content-Type": media_type,
                "User-Agent": user_agent,
            },
        )
        try:
            with urllib.request.urlopen(request, context=self._tls) as response:
                answer: dict[str, Any] = json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                text = error.read()
            # Before a custom kind is served, its place answers with plain text.
            answer = json.loads(text) if text.startswith(b"{") else {"kind": "Status", "message": text.decode()}
        return answer


class Run:
    """One scenario while it is recorded."""

    def __init__(self, server: Server, scenario: Scenario) -> None:
        self._server = server
        self.scenario = scenario
        self.answers: list[dict[str, Any]] = []
        self.seconds: list[int] = []

    def step(self, step: Step) -> None:
        """Do one step within one second of the clock."""
        if not step.same_second:
            wait_for_second_after(self.seconds[-1] if self.seconds else 0)
        began = int(time.time())
        answer = self._perform(step)
        self.answers.append(answer)
        self.seconds.append(_second_of(answer, began))

    def _perform(self, step: Step) -> dict[str, Any]:
        kind = KINDS[self.scenario.kind]
        api_version = step.version or kind.api_version
        root = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
        collection = f"{root}/namespaces/{NAMESPACE}/{kind.plural}"
        path = f"{collection}/{self.scenario.name}" + (f"/{step.subresource}" if step.subresource else "")
        query = f"?fieldManager={step.manager}" + ("&force=true" if step.force else "")
        if step.verb == "create":
            return self._server.ask("POST", collection + query, self._named(step.body, api_version))
        if step.verb == "apply":
            return self._server.ask("PATCH", path + query, self._named(step.body, api_version), MEDIA_TYPES["apply"])
        if step.verb == "put":
            body = merge_patch(self._server.ask("GET", f"{collection}/{self.scenario.name}"), step.body)
            if step.managed == "drop":
                del body["metadata"]["managedFields"]
            elif step.managed != "keep":
                body["metadata"]["managedFields"] = step.managed
            return self._server.ask("PUT", path + query, body)
        return self._server.ask("PATCH", path + query, step.body, MEDIA_TYPES[step.verb])

    def _named(self, body: dict[str, Any], api_version: str) -> dict[str, Any]:
        """The body with what every object has, unless it says otherwise."""
        kind = KINDS[self.scenario.kind]
        metadata = {"name": self.scenario.name, "namespace": NAMESPACE}
        return {"apiVersion": api_version, "kind": kind.kind, **body, "metadata": metadata | body.get("metadata", {})}

    def to_json(self) -> dict[str, Any]:
        """The scenario with what came of it."""
        normal = Normal(self.seconds, self.answers)
        results = [
            {**step.to_json(), "second": normal.rank(second), "result": normal.value(answer)}
            for step, second, answer in zip(self.scenario.steps, self.seconds, self.answers, strict=True)
        ]
        return {"name": self.scenario.name, "kind": self.scenario.kind, "steps": results}


class Normal:
    """Replaces what differs from run to run."""

    def __init__(self, seconds: list[int], answers: list[dict[str, Any]]) -> None:
        self._ranks = {second: rank for rank, second in enumerate(sorted(set(seconds)))}
        self._times = {_wall(second): stamp(rank) for second, rank in self._ranks.items()}
        self._uids = {answer["metadata"].get("uid") for answer in answers}
        versions = {int(answer["metadata"]["resourceVersion"]) for answer in answers if answer["kind"] != "Status"}
        self._versions = {str(version): str(rank + 1) for rank, version in enumerate(sorted(versions))}

    def rank(self, second: int) -> int:
        """The number of a second among those in which something happened."""
        return self._ranks[second]

    def value(self, value: Any, key: str = "") -> Any:
        """A part of an answer with everything replaced."""
        if isinstance(value, dict):
            return {name: self.value(inner, name) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if key == "uid" and value in self._uids:
            return "uid"
        if key == "resourceVersion":
            return self._versions.get(value, value)
        return self._times.get(value, value) if isinstance(value, str) else value


def stamp(rank: int) -> str:
    """The time that stands for the n-th second of a scenario."""
    return f"2030-01-01T00:00:{rank:02}Z"


def _second_of(answer: dict[str, Any], began: int) -> int:
    """The second in which the server did a step: the one it noted, if the step took longer than until its end."""
    noted = [entry.get("time") for entry in answer["metadata"].get("managedFields", [])]
    later = [second for second in range(began, int(time.time()) + 1) if _wall(second) in noted]
    return later[-1] if later else began


def _wall(second: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(second))


def wait_for_second_after(second: int) -> None:
    """Wait until a later second has begun, and does not end soon."""
    while int(time.time()) <= second or time.time() % SECOND > 0.7:
        time.sleep(0.01)


def prepare(server: Server) -> None:
    """What the scenarios need: a namespace, a service account for pods, and the custom kind."""
    server.ask("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    server.ask("POST", f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts", {"metadata": {"name": "default"}})
    server.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", WIDGET_DEFINITION)
    kind = KINDS["Widget"]
    while server.ask("GET", f"/apis/{kind.api_version}/{kind.plural}")["kind"] == "Status":
        time.sleep(0.1)


def record(server: Server) -> list[dict[str, Any]]:
    """All scenarios, done side by side: the n-th step of each, then the next of each."""
    runs = [Run(server, scenario) for scenario in scenarios.ALL]
    for number in range(max(len(run.scenario.steps) for run in runs)):
        for run in runs:
            if number < len(run.scenario.steps) and not run.scenario.steps[number].same_second:
                for step in _in_one_second(run.scenario.steps, number):
                    run.step(step)
    return [run.to_json() for run in runs]


def _in_one_second(steps: tuple[Step, ...], start: int) -> list[Step]:
    """A step and those that follow it in the same second."""
    result = [steps[start]]
    for step in steps[start + 1 :]:
        if not step.same_second:
            break
        result.append(step)
    return result


def managers(server: Server) -> dict[str, Any]:
    """What the server says to odd names of managers, and how it calls those that only have a User-Agent."""
    path = f"/api/v1/namespaces/{NAMESPACE}/configmaps"
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "managers"}, "data": {"a": "b"}}
    names = []
    for name in MANAGERS:
        query = f"?dryRun=All&fieldManager={urllib.parse.quote(name)}"
        created = server.ask("POST", path + query, body)
        applied = server.ask("PATCH", f"{path}/managers{query}", body, MEDIA_TYPES["apply"])
        answers = {"create": created, "apply": applied}
        refused = {verb: answer for verb, answer in answers.items() if answer["kind"] == "Status"}
        names.append({"manager": name, **refused})
    agents = {}
    for agent in USER_AGENTS:
        created = server.ask("POST", path + "?dryRun=All", body, user_agent=agent)
        agents[agent] = created["metadata"]["managedFields"][0]["manager"]
    return {"names": names, "agents": agents}


def schemas(server: Server) -> dict[str, Any]:
    """The OpenAPI schemas that the built-in kinds of the scenarios need."""
    found: dict[str, Any] = {}
    for path in ("/openapi/v3/api/v1", "/openapi/v3/apis/apps/v1"):
        found |= server.ask("GET", path)["components"]["schemas"]
    needed: dict[str, Any] = {}
    wanted = [kind.definition for kind in KINDS.values() if kind.definition]
    while wanted:
        name = wanted.pop()
        if name not in needed:
            needed[name] = found[name]
            wanted += [reference.rpartition("/")[2] for reference in _references(found[name])]
    return {"schemas": needed}


def _references(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [reference for inner in value.values() for reference in _references(inner)]
    return [reference for item in value for reference in _references(item)] if isinstance(value, list) else []


def write_scenarios(recorded: list[dict[str, Any]]) -> None:
    """Write the scenarios with one step to a line, so that a change of one is a change of one line."""
    stories = []
    for story in recorded:
        steps = ",\n".join(json.dumps(step, ensure_ascii=False) for step in story["steps"])
        stories.append(f'{{"name": "{story["name"]}", "kind": "{story["kind"]}", "steps": [\n{steps}\n]}}')
    (FOLDER / "scenarios.json").write_text("[\n" + ",\n".join(stories) + "\n]\n")


def write_schemas(found: dict[str, Any]) -> None:
    """Write the schemas so that the bytes depend on nothing but them."""
    (FOLDER / "schemas.json.gz").write_bytes(gzip.compress(json.dumps(found, sort_keys=True).encode(), mtime=0))


def main() -> None:
    """Record everything."""
    with QuietPlane() as plane:
        server = Server(plane)
        prepare(server)
        write_scenarios(record(server))
        write_schemas(schemas(server))
        (FOLDER / "managers.json").write_text(json.dumps(managers(server), indent=1) + "\n")


if __name__ == "__main__":
    main()
