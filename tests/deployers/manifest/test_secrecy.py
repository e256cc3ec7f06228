"""No value of a Secret gets into logs, events, conditions or errors, whatever a cluster says."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest
from tests.deployers.manifest.places import NAMESPACE, SECRETS, Place, in_place

from landform.cluster.errors import BadRequest, Cause, Forbidden, Invalid
from landform.deployers.manifest import secrecy

if TYPE_CHECKING:
    from landform.cluster.errors import ApiError

PASSWORD = "hunter2-and-a-very-long-tail"
ENCODED = base64.b64encode(PASSWORD.encode()).decode()
SECRET = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "s", "namespace": NAMESPACE},
    "data": {"password": ENCODED},
    "stringData": {"other": "swordfish"},
}


class Refusing:
    """A cluster that refuses Secrets and quotes them."""

    def __init__(self, cluster: Any, error: ApiError) -> None:
        self._cluster = cluster
        self._error = error

    def __getattr__(self, verb: str) -> Any:
        call = getattr(self._cluster, verb)
        if verb not in ("create", "replace", "patch", "delete"):
            return call

        async def refused(resource: Any, *args: Any, **kwargs: Any) -> Any:
            if resource == SECRETS:
                raise self._error
            return await call(resource, *args, **kwargs)

        return refused


QUOTE = f"{PASSWORD} {ENCODED} swordfish {base64.b64encode(b'swordfish').decode()}"
ERRORS = [
    Invalid(f"data: Invalid value: {QUOTE[:9]}...", causes=(Cause("x", QUOTE, "data[password]"),)),
    BadRequest(f"cannot read {QUOTE}"),
    Forbidden(f"admission webhook denied: {QUOTE}"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.reason)
def test_a_refusal_is_told_without_values(error: ApiError, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario(place: Place) -> None:
        place.world.clusters["https://place"] = Refusing(place.target, error)
        item = await place.run(SECRET, seconds=3)
        status = str(item.status)
        assert f"Secret {NAMESPACE}/s: " in status
        for text in ("hunter2", ENCODED[:9], "swordfish"):
            assert text not in status
            assert text not in str(await place.world.events())
            assert text not in caplog.text

    in_place(scenario)


def test_other_objects_are_quoted() -> None:
    text = secrecy.safe_text(Invalid("data: Invalid value: x"), {"apiVersion": "v1", "kind": "ConfigMap"})
    assert text == "data: Invalid value: x"


def test_a_secret_is_told_with_the_fields_that_are_wrong() -> None:
    assert secrecy.safe_text(ERRORS[0], SECRET) == "refused as Invalid because of data[password]"
