"""Annotations, labels and finalizers are spelled as the original spells them."""

from __future__ import annotations

import doctest
from typing import TYPE_CHECKING

import pytest

from landform.api import anyjson, names, scopes
from landform.api.names import Annotation, Finalizer, Label, Operation

if TYPE_CHECKING:
    from types import ModuleType

PLAIN = "landscaper.gardener.cloud"
DATA = f"data.{PLAIN}"


def test_annotations() -> None:
    common = """operation reconcile-reason reconcile-if-changed delete-without-uninstall delete-ignore-successors
    cache-helm-charts touch reconcile-time subinstallation-name deployer-type deployer-target-name clustername
    lasttargetsync rotate-token environment deployer-only"""
    assert set(Annotation) == {f"{PLAIN}/{name}" for name in common.split()} | {
        f"execution.{PLAIN}/dependsOn",
        f"{DATA}/hash",
        f"{DATA}/renewed",
        f"continuousreconcile.extensions.{PLAIN}/active",
        f"container.deployer.{PLAIN}/force-cleanup",
    }


def test_labels() -> None:
    data = "context source sourceType key index targetmapkey jobid"
    assert set(Label) == {f"{DATA}/{name}" for name in data.split()} | {
        f"{PLAIN}/encompassed-by",
        f"{PLAIN}/targetsync",
        f"execution.{PLAIN}/managed-by",
        f"execution.{PLAIN}/name",
        f"validation.{PLAIN}/skip-validation",
        f"deployers.{PLAIN}/deployer-registration",
        f"deployers.{PLAIN}/environment",
    }


def test_finalizers_and_operations() -> None:
    assert set(Finalizer) == {
        f"finalizer.{PLAIN}",
        f"finalizer.deployermanagement.{PLAIN}",
        f"finalizer.agent.{PLAIN}",
    }
    assert set(Operation) == {"reconcile", "renew", "interrupt", "test-reconcile", "force-reconcile"}


def test_names_are_texts_and_can_be_looked_up_as_such() -> None:
    assert {f"{PLAIN}/operation": "reconcile"}.get(Annotation.OPERATION) == Operation.RECONCILE
    assert names.NO_TARGET == ".noTargetName"


@pytest.mark.parametrize("module", [anyjson, scopes], ids=lambda module: str(module.__name__))
def test_the_examples_in_the_documentation_are_true(module: ModuleType) -> None:
    outcome = doctest.testmod(module)
    assert outcome.attempted
    assert not outcome.failed
