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
        self.component = ComponentFunctions(run.component, run.answers)
        self.kubeconfigs = KubeconfigFunctions(run.answers)
        self._unanswered: Unanswered | None = None

    def table(self) -> dict[str, Function]:
        """The functions by the names that templates call them by."""
        return {name: self._guarded(choose(self)) for name, choose in FUNCTIONS.items()}

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


FUNCTIONS: dict[str, Callable[[_Functions], Function]] = {
    "getResource": lambda own: own.component.get_resource,
    "getResourceKey": lambda own: own.component.get_resource_key,
    "getResourceContent": lambda own: own.component.get_resource_content,
    "getComponent": lambda own: own.component.get_component,
    "parseOCIRef": lambda _: componentfunctions.parse_oci_ref,
    "ociRefRepo": lambda _: componentfunctions.oci_ref_repo,
    "ociRefVersion": lambda _: componentfunctions.oci_ref_version,
    "getShootAdminKubeconfig": lambda own: own.kubeconfigs.shoot_admin,
    "getShootAdminKubeconfigWithExpirationTimestamp": lambda own: own.kubeconfigs.shoot_admin_with_expiration,
    "getServiceAccountKubeconfig": lambda own: own.kubeconfigs.service_account,
    "getServiceAccountKubeconfigWithExpirationTimestamp": lambda own: own.kubeconfigs.service_account_with_expiration,
    "getOidcKubeconfig": lambda own: own.kubeconfigs.oidc,
}
"""Our own functions, by the names that templates call them by."""
