"""We say of objects and definitions what Kubernetes itself says, word for word."""

from __future__ import annotations

import copy
import dataclasses
from typing import TYPE_CHECKING

import pytest
from tests.embedded.schemas.golden import cases

from landform.embedded.schemas import defaulting, nodes, pruning, validation
from landform.embedded.schemas.structural import check_definition

if TYPE_CHECKING:
    from landform.cluster.errors import Cause

ANSWERS = cases.answers()
OBJECTS = cases.objects()
DEFINITIONS = cases.definitions()


@pytest.mark.parametrize("case", OBJECTS, ids=[case.title for case in OBJECTS])
def test_an_object_is_stored_and_refused_as_kubernetes_does(case: cases.ObjectCase) -> None:
    answer, obj, node = ANSWERS[case.title], copy.deepcopy(case.object), nodes.parse(case.schema)
    unknown = pruning.compile_pruning(node)(obj)
    default = defaulting.compile_defaults(node)
    if default is not None:
        default(obj)
    assert unknown == answer.unknown
    assert obj == answer.stored
    assert _sorted(validation.compile(node)(obj)) == _sorted(answer.causes)


@pytest.mark.parametrize("case", DEFINITIONS, ids=[case.title for case in DEFINITIONS])
def test_a_definition_is_refused_as_kubernetes_does(case: cases.DefinitionCase) -> None:
    found = check_definition(case.definition)
    assert _sorted(map(_without_dump, found)) == _sorted(map(_without_dump, ANSWERS[case.title].causes))


def _sorted(causes: object) -> list[Cause]:
    """Go walks over maps in no order, so neither do its causes have one."""
    assert isinstance(causes, list | map)
    return sorted(causes, key=lambda cause: (cause.field, cause.message))


def _without_dump(cause: Cause) -> Cause:
    """Without the internal Go structs that Kubernetes prints for a list of versions."""
    if cause.field != "spec.versions":
        return cause
    return dataclasses.replace(cause, message=cause.message.rpartition(": ")[2])
