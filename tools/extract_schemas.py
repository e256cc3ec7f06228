"""Write builtin-schemas.json.gz: what the embedded API knows of Kubernetes' own kinds.

    python tools/extract_schemas.py FOLDER [OUTPUT]

FOLDER is the Go module k8s.io/kubernetes (``go mod download -json k8s.io/kubernetes@VERSION`` names it under "Dir").
The same folder gives the same bytes, so that a change of the file is a change of Kubernetes or of this script.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from pathlib import Path
from typing import Any

DEFAULT_OUTPUT = Path(__file__).parent.parent / "src/landform/embedded/kinds/builtin-schemas.json.gz"

SERVED: dict[str, tuple[str, ...]] = {
    "v1": (
        "namespaces", "configmaps", "secrets", "serviceaccounts", "events", "pods", "services", "endpoints",
        "persistentvolumes", "persistentvolumeclaims", "nodes", "replicationcontrollers", "resourcequotas",
        "limitranges", "podtemplates",
    ),
    "apiregistration.k8s.io/v1": ("apiservices",),
    "apps/v1": ("deployments", "statefulsets", "daemonsets", "replicasets", "controllerrevisions"),
    "events.k8s.io/v1": ("events",),
    "authentication.k8s.io/v1": ("tokenreviews", "selfsubjectreviews"),
    "authorization.k8s.io/v1": (
        "subjectaccessreviews", "selfsubjectaccessreviews", "localsubjectaccessreviews", "selfsubjectrulesreviews",
    ),
    "autoscaling/v2": ("horizontalpodautoscalers",),
    "autoscaling/v1": ("horizontalpodautoscalers",),
    "batch/v1": ("jobs", "cronjobs"),
    "networking.k8s.io/v1": ("ingresses", "ingressclasses", "networkpolicies"),
    "policy/v1": ("poddisruptionbudgets",),
    "rbac.authorization.k8s.io/v1": ("roles", "rolebindings", "clusterroles", "clusterrolebindings"),
    "storage.k8s.io/v1": ("storageclasses",),
    "admissionregistration.k8s.io/v1": ("validatingwebhookconfigurations", "mutatingwebhookconfigurations"),
    "apiextensions.k8s.io/v1": ("customresourcedefinitions",),
    "scheduling.k8s.io/v1": ("priorityclasses",),
    "coordination.k8s.io/v1": ("leases",),
    "node.k8s.io/v1": ("runtimeclasses",),
    "discovery.k8s.io/v1": ("endpointslices",),
}  # fmt: skip
"""The served resources: groups in the API server's order, the preferred version of a group first."""

SUBRESOURCES = {"status", "scale", "token", "finalize"}
"""Those that mean something without a node: nothing here runs pods, so no log, exec or eviction."""

ALWAYS_NEEDED = (
    "io.k8s.apimachinery.pkg.apis.meta.v1.APIResourceList",
    "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions",
    "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta",
    "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
    "io.k8s.apimachinery.pkg.apis.meta.v1.Patch",
    "io.k8s.apimachinery.pkg.apis.meta.v1.Status",
    "io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent",
)
"""What requests and answers are made of, whatever the kind."""

REFERENCE = re.compile(r'"#/components/schemas/([^"]+)"')

Json = dict[str, Any]


def main(arguments: list[str]) -> None:
    """Read the folder, write the file, say how large it became."""
    folder = Path(arguments[0])
    output = Path(arguments[1]) if len(arguments) > 1 else DEFAULT_OUTPUT
    content = extract(folder / "api", folder.name.partition("@")[2])
    packed = gzip.compress(json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode(), 9, mtime=0)
    output.write_bytes(packed)
    print(f"{output.name}: {len(content['definitions'])} definitions, {len(packed)} bytes")


def extract(api: Path, version: str) -> Json:
    """The content of the file, from the module's ``api`` folder."""
    known: dict[str, Json] = {}
    resources: list[Json] = []
    for group_version, plurals in SERVED.items():
        document = _read(api / "openapi-spec/v3" / f"{_file_stem(group_version)}_openapi.json")
        known.update(document["components"]["schemas"])
        discovered = _read(api / "discovery" / f"{_file_stem(group_version)}.json")
        resources += _resources(group_version, discovered["resources"], plurals, known)
    wanted = {*ALWAYS_NEEDED}
    for resource in resources:
        wanted |= {resource["definition"], *(s["definition"] for s in resource["subresources"])}
        wanted |= {resource["listDefinition"]} if "listDefinition" in resource else set()
    definitions = {name: _trimmed(known[name]) for name in sorted(_closure(wanted, known))}
    return {"kubernetes": version, "resources": resources, "definitions": definitions}


def _resources(
    group_version: str, discovered: list[Json], plurals: tuple[str, ...], known: dict[str, Json]
) -> list[Json]:
    """The facts of one group version's served resources, in the order of the API server."""
    found = []
    for entry in discovered:
        if entry["name"] not in plurals:
            continue
        gvk = _group_version_kind(group_version, entry["kind"])
        resource = {
            "groupVersion": group_version,
            "plural": entry["name"],
            "singular": entry["singularName"],
            "kind": entry["kind"],
            "namespaced": entry["namespaced"],
            "shortNames": entry.get("shortNames", []),
            "categories": entry.get("categories", []),
            "verbs": entry["verbs"],
            "definition": _definition_of(gvk, known),
            "subresources": _subresources(group_version, entry["name"], discovered, known),
        }
        if "list" in entry["verbs"]:
            resource["listDefinition"] = _definition_of(gvk | {"kind": entry["kind"] + "List"}, known)
        found.append(resource)
    if missing := set(plurals) - {entry["plural"] for entry in found}:
        raise SystemExit(f"{group_version}: this Kubernetes does not serve {', '.join(sorted(missing))}")
    return found


def _subresources(group_version: str, plural: str, discovered: list[Json], known: dict[str, Json]) -> list[Json]:
    """The served subresources of a resource."""
    found = []
    for entry in discovered:
        owner, _, name = entry["name"].partition("/")
        if owner != plural or name not in SUBRESOURCES:
            continue
        own = _group_version_kind(group_version, entry["kind"])
        gvk = own | {key: entry[key] for key in ("group", "version") if key in entry}
        found.append(
            {
                "name": name,
                "group": gvk["group"],
                "version": gvk["version"],
                "kind": entry["kind"],
                "verbs": entry["verbs"],
                "definition": _definition_of(gvk, known),
            }
        )
    return found


def _definition_of(gvk: dict[str, str], known: dict[str, Json]) -> str:
    """The definition that says it describes a kind."""
    for name, schema in known.items():
        # DeleteOptions and its like name every group, so only a sole mention counts.
        if schema.get("x-kubernetes-group-version-kind") == [gvk]:
            return name
    raise SystemExit(f"no definition for {gvk}")


def _group_version_kind(group_version: str, kind: str) -> dict[str, str]:
    group, _, version = group_version.rpartition("/")
    return {"group": group, "kind": kind, "version": version}


def _closure(wanted: set[str], known: dict[str, Json]) -> set[str]:
    """The wanted definitions and all they refer to, however far."""
    found: set[str] = set()
    waiting = list(wanted)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += REFERENCE.findall(json.dumps(known[name]))
    return found


def _trimmed(schema: Json) -> Json:
    """A schema without the defaults that only say "Go writes this field even when it is empty".

    The API server does not act on them (its defaults are code), and an embedded API that did would fill a required
    field with nothing and then find it present.
    """
    trimmed: Json = {}
    for key, value in sorted(schema.items()):
        if key == "default" and not value:
            continue
        if key == "properties":
            value = {name: _trimmed(inner) for name, inner in sorted(value.items())}
        elif key in ("items", "additionalProperties") and isinstance(value, dict):
            value = _trimmed(value)
        trimmed[key] = value
    return trimmed


def _file_stem(group_version: str) -> str:
    prefix = "apis" if "/" in group_version else "api"
    return f"{prefix}__{group_version.replace('/', '__')}"


def _read(path: Path) -> Json:
    content: Json = json.loads(path.read_text())
    return content


if __name__ == "__main__":
    main(sys.argv[1:])
