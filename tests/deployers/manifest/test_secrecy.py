"""No value that an object keeps secret gets into logs, events, conditions, errors or plans, whatever a cluster says."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.deployers.manifest.places import NAMESPACE, Place, in_place, waits_for

from landform.api.structs import API_VERSION
from landform.cluster.errors import BadRequest, Cause, Forbidden, Invalid
from landform.cluster.kinds import DATA_OBJECTS, TARGETS
from landform.cluster.resources import SECRETS, untyped
from landform.deployers.manifest import secrecy
from landform.kit import yamls

if TYPE_CHECKING:
    from landform.cluster.errors import ApiError
    from landform.cluster.resources import Resource, Unstructured

PASSWORD = "hunter2-and-a-very-long-tail"
ENCODED = base64.b64encode(PASSWORD.encode()).decode()
TEXTS = ("hunter2", ENCODED[:9], "swordfish", "pin7")


def body(kind: str, api_version: str = API_VERSION, **content: Any) -> Unstructured:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "s", "namespace": NAMESPACE}, **content}


KUBECONFIG = yamls.dump({"users": [{"name": "u", "user": {"token": PASSWORD, "password": "swordfish"}}]})
SECRET = body("Secret", "v1", data={"password": ENCODED}, stringData={"other": "swordfish", "pin": "pin7"})
TARGET = body("Target", spec={"type": "example.org/x", "config": {"kubeconfig": KUBECONFIG, "pin": "pin7"}})
DATA_OBJECT = body(
    "DataObject", data={"deep": [{"password": PASSWORD}], "json": json.dumps({"p": "swordfish"}), "p": "pin7"}
)
OBJECTS = [SECRET, TARGET, DATA_OBJECT]
RESOURCES: dict[str, Resource[Unstructured]] = {
    "Secret": SECRETS,
    "Target": untyped(API_VERSION, "Target", TARGETS.plural),
    "DataObject": untyped(API_VERSION, "DataObject", DATA_OBJECTS.plural),
}

QUOTE = f"{PASSWORD} {ENCODED} swordfish pin7 {base64.b64encode(b'swordfish').decode()} {KUBECONFIG}"
ERRORS = [
    Invalid(f"data: Invalid value: {QUOTE[:9]}...", causes=(Cause("x", QUOTE, "data[password]"),)),
    BadRequest(f"cannot read {QUOTE}"),
    Forbidden(f'admission webhook "w" denied the request: {QUOTE}'),
]
POLICY = Invalid(f"secrets \"s\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: {QUOTE}")


def kind_of(obj: Any) -> str:
    return str(obj["kind"])


class Refusing:
    """A cluster that refuses a kind and quotes its objects."""

    def __init__(self, cluster: Any, kind: str, error: ApiError, verbs: tuple[str, ...] = ()) -> None:
        self._cluster = cluster
        self._kind = kind
        self._error = error
        self._verbs = verbs or ("create", "replace", "patch", "delete")

    def __getattr__(self, verb: str) -> Any:
        call = getattr(self._cluster, verb)
        if verb not in self._verbs:
            return call

        async def refused(resource: Any, *args: Any, **kwargs: Any) -> Any:
            if resource.kind == self._kind:
                raise self._error
            return await call(resource, *args, **kwargs)

        return refused


async def check(place: Place, caplog: pytest.LogCaptureFixture, *further: str) -> None:
    """Nothing of it was said anywhere."""
    status = (await place.world.item()).status
    for text in (*TEXTS, *further):
        assert text not in str(status)
        assert text not in str(await place.world.events())
        assert text not in caplog.text


@pytest.mark.parametrize("obj", OBJECTS, ids=kind_of)
@pytest.mark.parametrize("error", [*ERRORS, POLICY], ids=["Invalid", "BadRequest", "Forbidden", "policy"])
def test_a_refusal_is_told_without_values(obj: Unstructured, error: ApiError, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario(place: Place) -> None:
        place.world.clusters["https://place"] = Refusing(place.target, obj["kind"], error)
        item = await place.run(obj, seconds=3)
        assert f"{obj['kind']} {NAMESPACE}/s: " in str(item.status)
        await check(place, caplog)

    in_place(scenario)


def test_a_refused_update_is_told_without_the_former_value(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario(place: Place) -> None:
        await place.put(body("Secret", "v1", stringData={"password": "the-former-one"}), SECRETS)
        error = Forbidden('admission webhook "w" denied the request: the-former-one must not become swordfish')
        place.world.clusters["https://place"] = Refusing(place.target, "Secret", error, ("replace",))
        item = await place.run(SECRET, seconds=3)
        assert "(hidden) must not become (hidden)" in str(item.status)
        await check(place, caplog, "the-former-one")

    in_place(scenario)


def test_a_refused_patch_is_told_without_what_it_says(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario(place: Place) -> None:
        error = Forbidden('admission webhook "w" denied the request: swordfish must not become patched-in')
        place.world.clusters["https://place"] = Refusing(place.target, "Secret", error, ("patch",))
        patch = {"stringData": {"other": "patched-in"}}
        item = await place.run(SECRET, settings={"patchAfterDeployment": patch}, seconds=3)
        assert "(hidden) must not become (hidden)" in str(item.status)
        await check(place, caplog, "patched-in")

    in_place(scenario)


@pytest.mark.parametrize("obj", OBJECTS, ids=kind_of)
def test_a_refused_deletion_is_told_without_values(obj: Unstructured, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario(place: Place) -> None:
        await place.run(obj)
        place.world.clusters["https://place"] = Refusing(place.target, obj["kind"], ERRORS[2])
        await place.world.stop()
        await place.world.start()
        await place.world.delete()
        item = await place.later(seconds=3)
        assert 'admission webhook "w" denied the request: (hidden)' in str(item.status)
        await check(place, caplog)

    in_place(scenario)


@pytest.mark.parametrize("obj", OBJECTS, ids=kind_of)
def test_a_plan_names_the_fields_and_no_values(obj: Unstructured) -> None:
    async def scenario(place: Place) -> None:
        before = {
            **obj,
            **({"spec": {"type": "example.org/x", "config": {"old": "swordfish"}}} if "spec" in obj else {}),
        }
        await place.put(
            {**before, **({"data": {"old": "c3dvcmRmaXNo"}} if "data" in obj else {})}, RESOURCES[obj["kind"]]
        )
        await place.create(obj)
        plan = await place.world.controller.plan(await place.world.item())
        assert plan is not None
        assert [str(change.action) for change in plan.changes] == ["update"]
        assert plan.changes[0].fields
        for text in (*TEXTS, "c3dvcmRmaXNo"):
            assert text not in str(plan)

    in_place(scenario)


@pytest.mark.parametrize("obj", OBJECTS, ids=kind_of)
def test_a_refusal_in_a_plan_is_told_without_values(obj: Unstructured) -> None:
    async def scenario(place: Place) -> None:
        place.world.clusters["https://place"] = Refusing(place.target, obj["kind"], ERRORS[2])
        await place.create(obj)
        plan = await place.world.controller.plan(await place.world.item())
        assert plan is not None
        assert plan.changes[0].is_refused
        for text in TEXTS:
            assert text not in str(plan)

    in_place(scenario)


@pytest.mark.parametrize("obj", OBJECTS, ids=kind_of)
def test_a_check_that_does_not_hold_is_told_without_values(obj: Unstructured, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario(place: Place) -> None:
        path = ".spec.config.pin" if "spec" in obj else ".data"
        reference = {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "name": "s", "namespace": NAMESPACE}
        wanted = {"jsonPath": path, "operator": "==", "values": [{"value": "swordfish"}]}
        custom = {"name": "c", "resourceSelector": [reference], "requirements": [wanted]}
        item = await place.run(obj, readinessChecks={"custom": [custom]}, seconds=3)
        assert f"{path} has a value that is not as required" in waits_for(item)
        await check(place, caplog)

    in_place(scenario)


def test_other_objects_are_quoted() -> None:
    text = secrecy.safe_text(Invalid("data: Invalid value: x"), {"apiVersion": "v1", "kind": "ConfigMap"})
    assert text == "data: Invalid value: x"


def test_a_secret_is_told_with_the_fields_that_are_wrong() -> None:
    assert secrecy.safe_text(ERRORS[0], SECRET) == "refused as Invalid because of data[password]"


def test_what_a_policy_says_is_told() -> None:
    error = Invalid("ValidatingAdmissionPolicy 'p' with binding 'b' denied request: swordfish has no team")
    assert secrecy.safe_text(error, SECRET).endswith("denied request: (hidden) has no team")


def test_a_short_value_is_hidden_where_it_stands_alone() -> None:
    obj = body("Secret", "v1", stringData={"a": "is"})
    assert secrecy.safe_text(Forbidden("this value is wrong"), obj) == "this value (hidden) wrong"


def test_what_is_no_document_and_no_base64_is_hidden_as_it_is() -> None:
    obj = body(
        "DataObject", data={"a": "{not: [yaml", "b": "\n  lines-of\n  poetry\n", "c": 123456, "d": None, "e": True}
    )
    text = secrecy.safe_text(Forbidden("{not: [yaml, lines-of and poetry, 123456, true"), obj)
    assert text == "(hidden), (hidden) and (hidden), (hidden), true"


@given(st.text(min_size=1).filter(str.strip), st.sampled_from(["Target", "DataObject"]))
def test_whatever_a_value_is_it_is_not_said(value: str, kind: str) -> None:
    obj = body(kind, data={"x": value}, spec={"config": {"x": [value]}})
    text = secrecy.safe_text(Forbidden(f"<<{value}>>"), obj)
    assert value not in text.replace(secrecy.HIDDEN, "").strip("<>") or not value.strip("<>")
