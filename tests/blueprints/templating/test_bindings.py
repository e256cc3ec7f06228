"""What templates see, by the kind of their execution."""

from __future__ import annotations

from typing import Any

import pytest
from tests.blueprints.templating.blueprints import execution, inputs, shop, spiff_value_of, value_of

from landform.blueprints.errors import BlueprintError
from landform.blueprints.templating.rendering import Exported, Inputs, render_deploy_items, render_exports


def exported(template: Any, inputs_of: dict[str, Any], seen: Exported, type: str = "GoTemplate") -> dict[str, Any]:
    given = inputs({"exportExecutions": [execution(template, type=type)]}, **inputs_of)
    return render_exports(given, seen).value


def test_imports_are_seen_by_name() -> None:
    assert value_of("{{ .imports.name }}", {"name": "shop"}) == "shop"
    assert spiff_value_of("imports.name", {"name": "shop"}) == "shop"


def test_numbers_are_floats_for_go_templates_and_stay_whole_for_spiff() -> None:
    imports = {"size": 1_000_000, "port": 8080}
    assert value_of('"{{ .imports.size }}"', imports) == "1e+06"
    assert value_of('"{{ .imports.port }}"', imports) == "8080"
    assert value_of('"{{ .imports.size | int }}"', imports) == "1000000"
    assert spiff_value_of('"x:" imports.port', imports) == "x:8080"
    assert spiff_value_of("imports.size", imports) == 1_000_000


def test_booleans_are_no_numbers() -> None:
    assert value_of("{{ .imports.on }}", {"on": True}) is True


def test_the_definitions_of_the_installation_are_seen() -> None:
    given = {"blueprint_definition": {"ref": {"resourceName": "x"}}, "component_definition": {"ref": {"version": "1"}}}
    for path, wanted in (
        ("blueprintDef.ref.resourceName", "x"),
        ("blueprint.ref.resourceName", "x"),
        ("componentDescriptorDef.ref.version", "1"),
    ):
        assert value_of(f'"{{{{ .{path} }}}}"', **given) == wanted
        assert spiff_value_of(path, **given) == wanted


def test_without_a_component_cd_is_null() -> None:
    assert value_of('{{ .cd | default "none" }} ') == "none"
    assert spiff_value_of('cd || "none"') is None


def test_descriptors_are_seen_in_their_own_schema() -> None:
    assert value_of("{{ .cd.component.name }}", component=shop()) == "example.com/shop"
    assert value_of("{{ len .components.components }}", component=shop()) == 2
    assert spiff_value_of("components.components.[0].component.name", component=shop()) == "example.com/shop"


def rendered_config(given: Inputs) -> Any:
    return render_deploy_items(given).value[0]["config"]


def annotated(schema: str, template: str) -> Inputs:
    executions = [execution(f"deployItems:\n- name: it\n  config: {template}\n")]
    return inputs({"annotations": {"ocmSchemaVersion": schema}, "deployExecutions": executions}, component=shop())


def test_the_blueprint_can_ask_for_another_schema() -> None:
    template = '"{{ .cd.metadata.name }} {{ (index .components 1).metadata.name }}"'
    wanted = "example.com/shop example.com/database"
    assert rendered_config(annotated("ocm.software/v3alpha1", template)) == wanted
    assert rendered_config(annotated("v2", "{{ .cd.component.version }}")) == "1.0.0"


def test_an_unknown_schema_is_refused() -> None:
    with pytest.raises(BlueprintError, match="unknown schema version 'v9'"):
        render_deploy_items(annotated("v9", "x"))


def test_export_executions_see_what_was_deployed() -> None:
    seen = Exported({"item": {"a": "1"}}, {"data": "2"}, {"cluster": {"spec": {"type": "3"}}})
    template = (
        "exports:\n"
        "  short: {{ .deployitems.item.a }}{{ .dataobjects.data }}{{ .targets.cluster.spec.type }}{{ .imports.x }}\n"
        "  long: {{ with .values }}{{ .deployitems.item.a }}{{ .dataobjects.data }}{{ .targets.cluster.spec.type }}"
        "{{ end }}\n"
    )
    assert exported(template, {"imports": {"x": "4"}}, seen) == {"short": 1234, "long": 123}
    spiff = {"exports": {"short": "(( deployitems.item.a dataobjects.data values.targets.cluster.spec.type ))"}}
    assert exported(spiff, {}, seen, "Spiff") == {"short": "123"}


def test_other_executions_see_nothing_that_was_deployed() -> None:
    assert value_of('{{ hasKey . "deployitems" }}') is False
    assert value_of('{{ hasKey . "values" }}') is False


def test_templates_cannot_change_what_others_see() -> None:
    imports = {"map": {"a": "1"}}
    given = inputs(
        {
            "deployExecutions": [
                execution('{{ $_ := set .imports.map "a" "2" }}', "changing"),
                execution("deployItems: [{name: {{ .imports.map.a | quote }}}]", "reading"),
            ]
        },
        imports,
    )
    assert render_deploy_items(given).value == [{"name": "1"}]
    assert imports == {"map": {"a": "1"}}
