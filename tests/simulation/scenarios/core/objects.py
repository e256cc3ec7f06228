"""How the objects of a landscape are read: who belongs to whom, and where each stands in its job."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from landform.api import jobs, scopes
from landform.api.names import Annotation, Label
from landform.cluster.codec import key_of, metadata
from landform.cluster.kinds import DATA_OBJECTS, DEPLOY_ITEMS, EXECUTIONS, INSTALLATIONS
from landform.cluster.resources import SECRETS, ObjectKey

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.cluster.resources import Unstructured
    from landform.testing.simulation.history import History

WORKING = (INSTALLATIONS, EXECUTIONS, DEPLOY_ITEMS)
"""What has jobs."""


def status_of(obj: Unstructured | None) -> Unstructured:
    return (obj or {}).get("status") or {}


def phase_of(obj: Unstructured | None) -> str:
    return status_of(obj).get("phase") or ""


def job_of(obj: Unstructured | None) -> str:
    """The job that an object has; for a scheduled pass, the job before."""
    return jobs.base(status_of(obj).get("jobID"))


def is_busy(obj: Unstructured | None) -> bool:
    said = status_of(obj)
    return (said.get("jobID") or "") != (said.get("jobIDFinished") or "")


def is_in_a_pass(obj: Unstructured | None) -> bool:
    return is_busy(obj) and jobs.is_pass(status_of(obj).get("jobID"))


def has_succeeded(obj: Unstructured | None, job: str) -> bool:
    """Whether the job reached its goal; a pass after it is of no interest."""
    said = status_of(obj)
    if jobs.is_pass(said.get("jobID")) and job_of(obj) == job:
        return True
    return said.get("phase") == "Succeeded" and said.get("jobID") == said.get("jobIDFinished") == job


def is_deleted(obj: Unstructured | None) -> bool:
    return "deletionTimestamp" in (obj or {}).get("metadata", {})


def annotation(obj: Unstructured, name: Annotation) -> str:
    """The value of an annotation; empty if it is not there."""
    return str((obj["metadata"].get("annotations") or {}).get(name, ""))


def operation_of(obj: Unstructured) -> str:
    return annotation(obj, Annotation.OPERATION)


def is_idle(obj: Unstructured | None) -> bool:
    """Whether there is nothing to do for it: no job, no request, no deletion; or it is gone."""
    if obj is None:
        return True
    if is_deleted(obj) and phase_of(obj) != "DeleteFailed":
        return False
    return not is_busy(obj) and not operation_of(obj)


def owners_of(obj: Unstructured) -> list[str]:
    """The uids of those that it belongs to."""
    return [owner["uid"] for owner in obj["metadata"].get("ownerReferences") or ()]


def owner_of(obj: Unstructured) -> str:
    """The uid of the one that it belongs to; empty if there is none."""
    return next(iter(owners_of(obj)), "")


def uid_of(obj: Unstructured) -> str:
    return str(obj["metadata"]["uid"])


def template_of(obj: Unstructured) -> str:
    """What a child is called in what it was made from."""
    return metadata(obj).labels.get(Label.ITEM_NAME) or annotation(obj, Annotation.SUBINSTALLATION_NAME)


def purpose_of(obj: Unstructured) -> tuple[str, str] | None:
    """What a child is there for; None for who is no child."""
    owner = owner_of(obj)
    return (owner, template_of(obj)) if owner else None


def children(history: History, installation: Unstructured) -> list[Unstructured]:
    """The sub-Installations."""
    namespace, uid = key_of(installation).namespace, uid_of(installation)
    return [each for each in history.objects(INSTALLATIONS, namespace) if uid in owners_of(each)]


def execution(history: History, installation: Unstructured) -> Unstructured | None:
    """The Execution of an Installation."""
    found = history.get(EXECUTIONS, key_of(installation))
    return found if found is not None and uid_of(installation) in owners_of(found) else None


def items(history: History, of: Unstructured | None) -> list[Unstructured]:
    """The deploy items of an Execution."""
    if of is None:
        return []
    return [each for each in history.objects(DEPLOY_ITEMS, key_of(of).namespace) if uid_of(of) in owners_of(each)]


def siblings(history: History, installation: Unstructured) -> list[Unstructured]:
    """The Installations beside one."""
    found = history.objects(INSTALLATIONS, key_of(installation).namespace)
    return [each for each in found if each is not installation and owner_of(each) == owner_of(installation)]


def imports_of(installation: Unstructured) -> set[str]:
    """The names of the data that it imports."""
    imports = installation["spec"].get("imports") or {}
    return {each["dataRef"] for each in imports.get("data") or ()}


def exports_of(installation: Unstructured) -> set[str]:
    """The names under which it exports data."""
    exports = installation["spec"].get("exports") or {}
    return {each["dataRef"] for each in exports.get("data") or ()}


def exporters(history: History, installation: Unstructured) -> Iterator[Unstructured]:
    """The Installations beside one that it imports from."""
    wanted = imports_of(installation)
    return (each for each in siblings(history, installation) if exports_of(each) & wanted)


def importers(history: History, installation: Unstructured) -> Iterator[Unstructured]:
    """The Installations beside one that import from it."""
    given = exports_of(installation)
    return (each for each in siblings(history, installation) if imports_of(each) & given)


def export_key(history: History, installation: Unstructured, name: str) -> ObjectKey:
    """The DataObject of something that it exports."""
    owner = owner_of(installation)
    parent = next((each for each in history.objects(INSTALLATIONS) if uid_of(each) == owner), None)
    scope = scopes.outer_scope(key_of(parent).name if parent is not None else None)
    return ObjectKey(key_of(installation).namespace, scopes.object_name(scope, name))


def exported(history: History, installation: Unstructured, name: str) -> Any:
    """What is there under the name of something that it exports; None if nothing is."""
    found = history.get(DATA_OBJECTS, export_key(history, installation, name))
    return found["data"] if found is not None else None


def item_export(history: History, item: Unstructured) -> Any:
    """What a deploy item exports; None if that is nothing."""
    reference = status_of(item).get("exportRef")
    secret = history.get(SECRETS, ObjectKey(key_of(item).namespace, reference["name"])) if reference else None
    return json.loads(base64.b64decode(secret["data"]["config"])) if secret is not None else None


def root_of(history: History, obj: Unstructured) -> ObjectKey:
    """The Installation at the top of the tree that it belongs to, as far as that exists."""
    owner = owner_of(obj)
    for resource in (INSTALLATIONS, EXECUTIONS):
        for above in history.objects(resource, key_of(obj).namespace):
            if owner and uid_of(above) == owner:
                return root_of(history, above)
    return key_of(obj)
