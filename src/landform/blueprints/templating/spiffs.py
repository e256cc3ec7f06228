"""Runs executions of type Spiff."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

from landform.blueprints.questions import Unanswered
from landform.blueprints.templating import componentfunctions, outputs, sources
from landform.blueprints.templating.bindings import plain
from landform.blueprints.templating.componentfunctions import FUNCTION_ERRORS, ComponentFunctions
from landform.blueprints.templating.kubeconfigs import KubeconfigFunctions
from landform.blueprints.templating.outputs import Output
from landform.blueprints.templating.reports import Report
from landform.blueprints.templating.states import ExecutionKind
from landform.spiff import SpiffError, evaluate

if TYPE_CHECKING:
    from collections.abc import Callable

    from landform.blueprints.templating.runs import Run

Function: TypeAlias = "Callable[..., Any]"


def run(run: Run) -> Output:
    """What an execution gives; Unanswered if it must know more, TemplatingError if it cannot be evaluated."""
    source = sources.read(run.execution, run.files, run.subject)
    functions = _Functions(run)
    has_state = run.kind is not ExecutionKind.IMPORT
    try:
        outcome = evaluate(
            source.text,
            values=plain(run.bindings),
            state=json.dumps(run.state) if has_state and run.state is not None else None,
            files=run.files.contents(),
            functions=functions.table(),
        )
    except SpiffError as error:
        functions.raise_unanswered()
        raise Report(run, source).spiff_failed(error) from None
    # An alternative may have hidden that something is not known yet: (( getResourceContent(x) || "default" )).
    functions.raise_unanswered()
    try:
        output = outputs.read(plain(outcome.result), run.kind)
    except outputs.OutputError as error:
        raise Report(run, source).unexpected(str(error)) from None
    return Output(output.value, _new_state(run, outcome.state) if has_state else None, output.errors)


def _new_state(run: Run, state: Any) -> Any:
    """The state to keep: nothing if there is none and was none."""
    if state is None:
        return {} if run.state else None
    return plain(state)


class _Functions:
    """Our functions for one evaluation, and the first question that was left open."""

    def __init__(self, run: Run) -> None:
        self._component = ComponentFunctions(run.component, run.answers)
        self._kubeconfigs = KubeconfigFunctions(run.answers)
        self._unanswered: Unanswered | None = None

    def table(self) -> dict[str, Function]:
        """The functions by the names that templates call them by."""
        component, kubeconfigs = self._component, self._kubeconfigs
        functions: dict[str, Function] = {
            "getResource": component.get_resource,
            "getResourceKey": component.get_resource_key,
            "getResourceContent": component.get_resource_content,
            "getComponent": component.get_component,
            "parseOCIRef": componentfunctions.parse_oci_ref,
            "ociRefRepo": componentfunctions.oci_ref_repo,
            "ociRefVersion": componentfunctions.oci_ref_version,
            "getShootAdminKubeconfig": kubeconfigs.shoot_admin,
            "getShootAdminKubeconfigWithExpirationTimestamp": kubeconfigs.shoot_admin_with_expiration,
            "getServiceAccountKubeconfig": kubeconfigs.service_account,
            "getServiceAccountKubeconfigWithExpirationTimestamp": kubeconfigs.service_account_with_expiration,
            "getOidcKubeconfig": kubeconfigs.oidc,
        }
        return {name: self._guarded(function) for name, function in functions.items()}

    def raise_unanswered(self) -> None:
        """Say what must be known first, if anything."""
        if self._unanswered is not None:
            raise self._unanswered

    def _guarded(self, function: Function) -> Function:
        def call(*arguments: Any) -> Any:
            try:
                return function(*arguments)
            except Unanswered as unanswered:
                self._unanswered = self._unanswered or unanswered
                raise SpiffError(str(unanswered)) from None
            except FUNCTION_ERRORS as error:
                raise SpiffError(str(error)) from None

        return call
