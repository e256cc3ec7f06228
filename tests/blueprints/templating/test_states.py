"""What templates remember."""

from __future__ import annotations

from typing import Any

from tests.blueprints.templating.blueprints import deploying, execution, inputs

from landform.blueprints.templating import states
from landform.blueprints.templating.rendering import (
    Exported,
    render_deploy_items,
    render_exports,
    render_imports,
    render_subinstallations,
)
from landform.blueprints.templating.states import ExecutionKind

COUNTING = "state: {count: {{ add 1 (.state.count | default 0) }}}\n"


def test_deploy_and_subinstallation_executions_of_one_name_share_a_state() -> None:
    shared = states.key(ExecutionKind.SUBINSTALLATION, "main")
    assert shared == states.key(ExecutionKind.DEPLOY, "main") == "deploymain"
    assert states.key(ExecutionKind.EXPORT, "main") == "exportmain"
    assert states.key(ExecutionKind.IMPORT, "main") is None


def test_there_is_no_state_at_first() -> None:
    assert render_deploy_items(deploying("deployItems: [{name: {{ .state | toJson }}}]")).value == [{"name": {}}]


def test_a_state_is_handed_from_one_rendering_to_the_next() -> None:
    given = deploying(COUNTING)
    first = render_deploy_items(given)
    assert first.states == {"deploymain": {"count": 1}}
    second = render_deploy_items(given.with_states(first.states))
    assert second.states == {"deploymain": {"count": 2}}


def test_a_state_that_did_not_change_need_not_be_kept_again() -> None:
    given = deploying("state: {a: 1}", states={"deploymain": {"a": 1}})
    assert render_deploy_items(given).states == {}


def test_an_execution_that_says_nothing_leaves_the_state_alone() -> None:
    assert render_deploy_items(deploying("deployItems: []", states={"deploymain": {"a": 1}})).states == {}


def test_spiff_keeps_what_is_marked() -> None:
    template = "key: (( &state ( stub(key) || 5 ) ))\ndeployItems:\n- name: (( key ))\n"
    given = deploying(template, type="Spiff")
    first = render_deploy_items(given)
    assert (first.value, first.states) == ([{"name": 5}], {"deploymain": {"key": 5}})
    second = render_deploy_items(deploying(template, type="Spiff", states={"deploymain": {"key": 7}}))
    assert (second.value, second.states) == ([{"name": 7}], {})


def test_spiff_without_marks_keeps_nothing() -> None:
    assert render_deploy_items(deploying("deployItems: []", type="Spiff")).states == {}


def test_a_spiff_template_that_stops_marking_empties_its_state() -> None:
    given = deploying("deployItems: []", type="Spiff", states={"deploymain": {"key": 5}})
    assert render_deploy_items(given).states == {"deploymain": {}}


def test_two_executions_of_one_name_see_each_others_state() -> None:
    given = inputs({"subinstallationExecutions": [execution(COUNTING)], "deployExecutions": [execution(COUNTING)] * 2})
    first = render_subinstallations(given)
    assert first.states == {"deploymain": {"count": 1}}
    second = render_deploy_items(given.with_states(first.states))
    assert second.states == {"deploymain": {"count": 3}}


def test_exports_have_a_state_of_their_own() -> None:
    given = inputs({"exportExecutions": [execution(COUNTING)]}, states={"deploymain": {"count": 5}})
    assert render_exports(given, Exported()).states == {"exportmain": {"count": 1}}


def test_import_executions_have_no_state() -> None:
    template = 'bindings: {seen: {{ hasKey . "state" }}}\nstate: {a: 1}\n'
    given = inputs({"importExecutions": [execution(template)]})
    bindings: Any = render_imports(given)[0].bindings
    assert bindings == {"seen": False}


def test_a_state_is_a_number_like_any_other_to_go_templates() -> None:
    given = deploying("deployItems: [{name: '{{ .state.n }}'}]", states={"deploymain": {"n": 1_000_000}})
    assert render_deploy_items(given).value == [{"name": "1e+06"}]
