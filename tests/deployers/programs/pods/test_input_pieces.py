"""Inputs in the Secrets of a pod."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from landform.deployers.programs.contract.sandboxes import Inputs
from landform.deployers.programs.pods import inputs

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


@settings(max_examples=20)
@given(
    sizes=st.tuples(*[st.one_of(st.none(), st.integers(0, 3 * inputs.PIECE))] * 4),
    target=st.integers(0, 2 * inputs.PIECE),
)
def test_inputs_of_any_size_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, sizes: tuple[int | None, ...], target: int
) -> None:
    imports, descriptors, content, script = (None if size is None else bytes([65]) * size for size in sizes)
    given_inputs = Inputs(imports, b"t" * target, descriptors, content, script)
    folder = tmp_path_factory.mktemp("mounted")
    secrets = inputs.pack(given_inputs)
    for secret in secrets:
        assert sum(len(base64.b64decode(piece)) for piece in secret.values()) <= inputs.PIECE
        for name, piece in secret.items():
            (folder / name).write_bytes(base64.b64decode(piece))
    assert inputs.unpack(folder) == given_inputs


def test_what_the_kubelet_keeps_beside_them_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "..2030_01_01").mkdir()
    (tmp_path / "..data").symlink_to("..2030_01_01")
    (tmp_path / "state").mkdir()
    (tmp_path / "target.00000").write_bytes(b"{}")
    assert inputs.unpack(tmp_path) == Inputs(target=b"{}")


def test_small_inputs_take_one_secret() -> None:
    assert len(inputs.pack(Inputs(imports=b"{}", content=b"tar"))) == 1
