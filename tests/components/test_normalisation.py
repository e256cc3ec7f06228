"""Normalised texts of component versions, compared with what the original writes."""

from __future__ import annotations

import hashlib
import json
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pytest
from tests.components.static_registry import GOLDEN
from tests.components.test_descriptors import minimal

from landform.components import normalisation
from landform.components.errors import SignatureError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from landform.components.opening import Opener


def _recorded() -> list[tuple[str, list[dict[str, Any]]]]:
    cases = json.loads((GOLDEN / "expected/normalisation.json").read_bytes())
    return [(storage, list(group)) for storage, group in groupby(cases, key=lambda case: str(case["storage"]))]


@pytest.mark.parametrize(("storage", "cases"), _recorded(), ids=[storage for storage, _ in _recorded()])
async def test_texts_are_as_recorded(
    storage: str, cases: list[dict[str, Any]], opener: Callable[..., AbstractAsyncContextManager[Opener]]
) -> None:
    async with opener(root=GOLDEN) as opened:
        repository = await opened.repository({"type": "CommonTransportFormat", "filePath": storage})
        for case in cases:
            stored = await repository.component(case["component"], case["version"])
            text = normalisation.normalise(stored.descriptor, stored.schema, case["algorithm"])
            assert text.decode() == case["normalised"]
            assert hashlib.sha256(text).hexdigest() == case["sha256"]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"), (-0.0, "0"), (1, "1"), (1.0, "1"), (-1.5, "-1.5"), (10**20, "100000000000000000000"), (1e21, "1e+21"),
        (1e-6, "0.000001"), (1e-7, "1e-7"), (1.5e300, "1.5e+300"), (9007199254740993, "9007199254740992"),
        (123456789.125, "123456789.125"), (0.1, "0.1"), (5e-324, "5e-324"),
    ],
)  # fmt: skip
def test_numbers_are_written_as_in_ecmascript(number: float, text: str) -> None:
    document = minimal()
    document["component"]["labels"] = [{"name": "n", "value": number, "signing": True}]
    assert f'"value":{text}}}' in normalisation.normalise(document, "v2", "jsonNormalisation/v3").decode()


def test_the_oldest_text_keeps_the_sign_of_nothing() -> None:
    document = minimal()
    document["component"]["labels"] = [{"name": "n", "value": -0.0, "signing": True}]
    assert '{"value":-0}' in normalisation.normalise(document, "v2", "jsonNormalisation/v1").decode()


@pytest.mark.parametrize(
    ("access", "has_digest"), [("none", False), ("None", False), ("none/v1", True), ("NONE", True)]
)
def test_only_the_plain_names_of_no_access_take_the_digest_away(access: str, has_digest: bool) -> None:
    document = minimal()
    resource = document["component"]["resources"][0]
    resource.update(access={"type": access}, digest={"value": "00"})
    text = normalisation.normalise(document, "v2", "jsonNormalisation/v3").decode()
    assert ('"digest":{"value":"00"}' in text) is has_digest


def test_keys_are_in_the_order_of_utf_16() -> None:
    document = minimal()
    document["component"]["labels"] = [{"name": "n", "value": {"\ufb33": 1, "\U0001f600": 2}, "signing": True}]
    text = normalisation.normalise(document, "v2", "jsonNormalisation/v3").decode()
    assert '{"\U0001f600":2,"\ufb33":1}' in text


def test_an_unknown_algorithm_is_refused() -> None:
    with pytest.raises(SignatureError, match="v4"):
        normalisation.normalise(minimal(), "v2", "jsonNormalisation/v4")
