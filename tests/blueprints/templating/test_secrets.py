"""No error shows a value that was given to a template, however it got into the output."""

from __future__ import annotations

import base64
import json
import traceback
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.blueprints.templating.blueprints import deploying, execution, inputs

from landform.blueprints.templating.errors import TemplatingError
from landform.blueprints.templating.masking import Mask
from landform.blueprints.templating.rendering import Exported, Inputs, render_deploy_items, render_exports

SECRET = "hunter2-S3cr3t"
KUBECONFIG = f"""apiVersion: v1
kind: Config
users:
- name: admin
  user:
    token: {SECRET}
    client-key-data: {base64.b64encode(f"PEM {SECRET}".encode()).decode()}
"""
TARGET = {
    "apiVersion": "landscaper.gardener.cloud/v1alpha1",
    "kind": "Target",
    "metadata": {"name": "cluster"},
    "spec": {"type": "landscaper.gardener.cloud/kubernetes-cluster", "config": {"kubeconfig": KUBECONFIG}},
}
IMPORTS: dict[str, Any] = {
    "password": SECRET,
    "nested": {"list": [{"password": SECRET}]},
    "encoded": base64.b64encode(SECRET.encode()).decode(),
    "credentials": json.dumps({"user": "admin", "password": SECRET}),
    "lines": f"first line\n  {SECRET}\nlast line",
    "cluster": TARGET,
}
BREAKING = "deployItems:\n- name: web\n  config:\n    shown: plain\n    value: {}\n    broken: a: b\n"


def forms(secret: str) -> list[str]:
    """The secret in the forms that somebody could read."""
    return [
        secret,
        secret.upper(),
        secret[:-2],
        secret[::-1],
        base64.b64encode(secret.encode()).decode().rstrip("="),
        base64.b64encode(f"user:{secret}".encode()).decode()[8:-4],
        secret.encode().hex(),
    ]


def failure(given: Inputs) -> TemplatingError:
    with pytest.raises(TemplatingError) as caught:
        render_deploy_items(given)
    return caught.value


def assert_hidden(error: TemplatingError, secret: str = SECRET) -> None:
    everything = "".join(traceback.format_exception(error)) + repr(error.args) + repr(error.excerpts)
    for form in forms(secret):
        assert form not in everything


@pytest.mark.parametrize(
    "expression",
    [
        ".imports.password",
        "(index .imports.nested.list 0).password",
        ".imports.password | upper",
        ".imports.password | trunc 12",
        ".imports.password | trunc -12",
        ".imports.password | b64enc",
        'printf "user:%s" .imports.password | b64enc',
        ".imports.password | quote",
        ".imports.password | sha256sum",
        'printf "%x" .imports.password',
        ".imports.encoded",
        ".imports.encoded | b64dec",
        ".imports.credentials",
        "(fromJson .imports.credentials).password",
        ".imports.lines | toJson",
        ".imports.lines | indent 6",
        ".imports.cluster | toJson",
        ".imports.cluster.spec.config.kubeconfig | toJson",
        "(index (fromYaml .imports.cluster.spec.config.kubeconfig).users 0).user.token",
        '(index (fromYaml .imports.cluster.spec.config.kubeconfig).users 0 "user" "client-key-data") | b64dec',
        ".imports | toYaml | nindent 6",
    ],
)
def test_a_broken_output_shows_no_secret(expression: str) -> None:
    error = failure(deploying(BREAKING.format(f"{{{{ {expression} }}}}"), IMPORTS))
    assert_hidden(error)
    assert "not valid YAML" in error.problem
    shown = dict(error.excerpts)
    assert "value: {{" in shown["template"]


def test_what_stands_in_the_template_is_still_shown() -> None:
    error = failure(deploying(BREAKING.format("{{ .imports.password }}"), IMPORTS))
    output = next(text for title, text in error.excerpts if title.startswith("output"))
    assert "    shown: plain" in output
    assert "    value: [...]" in output
    assert "> 6 |     broken: a: b" in output
    assert error.item == "web"


def test_a_long_secret_is_hidden_before_the_line_is_cut() -> None:
    phrase = "one two six " * 40
    template = "deployItems:\n- config: {{ .imports.phrase }}: b\n"
    error = failure(deploying(template, {"phrase": phrase}))
    assert "two six" not in str(error)


def test_more_values_than_can_be_looked_for_hide_every_foreign_word() -> None:
    imports = {f"k{number}": f"value-{number:06}" for number in range(30_000)}
    error = failure(deploying('a: {{ atoi "x" | add (mustToDate "2006" .imports.k29999) }}', imports))
    assert "value-029999" not in str(error)


def test_a_missing_value_shows_no_secret() -> None:
    template = "deployItems:\n- name: {{ .imports.password }}\n  config: {{ .imports.nope }}\n"
    error = failure(deploying(template, IMPORTS))
    assert_hidden(error)
    assert error.item == "{{ .imports.password }}"


@pytest.mark.parametrize(
    "expression",
    [
        "fail .imports.password",
        'fail (printf "bad password %s" .imports.password)',
        "fail (upper .imports.password)",
        "range .imports.password }}{{ end",
        'mustToDate "2006" .imports.password',
        'fromYaml (printf "a: b: %s" .imports.password)',
        'mustRegexMatch (printf "(%s" .imports.password) .imports.password',
        "include .imports.password .",
        "readFile .imports.password",
        'getResource .imports.cluster "name" .imports.password',
        "parseOCIRef .imports.encoded",
        "index .imports.cluster 1",
        ".imports.password.field",
        "template .imports.password",
    ],
)
def test_the_words_of_an_engine_show_no_secret(expression: str) -> None:
    assert_hidden(failure(deploying(f"a: {{{{ {expression} }}}}", IMPORTS)))


def test_the_authors_own_words_are_shown() -> None:
    template = '{{ fail (printf "replicas must be below 3: %s" .imports.password) }}'
    assert failure(deploying(template, IMPORTS)).problem.endswith("replicas must be below 3: [...]")


@pytest.mark.parametrize(
    "expression",
    [
        "error(imports.password)",
        'error("no: %s", imports.password)',
        "imports.password.field",
        'parse(imports.password ": b: c")',
        "parseOCIRef(imports.encoded)",
        "read(imports.password)",
        'getResource(imports.cluster, "name", imports.password)',
        "base64_decode(imports.lines)",
        "imports.password + 1",
    ],
)
def test_spiff_shows_no_secret(expression: str) -> None:
    assert_hidden(failure(deploying(f"deployItems:\n- name: (( {expression} ))\n", IMPORTS, "Spiff")))


@pytest.mark.parametrize("source", ["deployitems", "dataobjects", "targets"])
def test_exports_show_no_secret_of_what_was_deployed(source: str) -> None:
    template = f"exports:\n  a: {{{{ .{source}.x.password }}}}\n  b: c: d\n"
    given_inputs = inputs({"exportExecutions": [execution(template)]})
    with pytest.raises(TemplatingError) as caught:
        render_exports(given_inputs, Exported(**{source: {"x": {"password": SECRET}}}))
    assert_hidden(caught.value)


def test_a_state_is_as_secret() -> None:
    template = BREAKING.format("{{ .state.password }}")
    assert_hidden(failure(deploying(template, states={"deploymain": {"password": SECRET}})))


def test_words_of_the_component_are_not_secret() -> None:
    mask = Mask([SECRET], ["image: registry.example.com/web"])
    assert mask.excerpt(f"image: registry.example.com/web {SECRET}") == "image: registry.example.com/web [...]"


def test_a_value_is_hidden_also_inside_of_another_word() -> None:
    assert Mask(["abc"], ["xabcx"]).excerpt("xabcx") == "x[...]x"


def test_values_that_overlap_are_hidden_as_one() -> None:
    assert Mask(["abcd", "cdef"], []).message("1 abcdef 2") == "1 [...] 2"


def test_very_short_values_are_not_looked_for() -> None:
    assert Mask(["ab", ""], ["cab"]).excerpt("cab") == "cab"


def test_the_kind_of_an_object_is_not_secret() -> None:
    assert Mask([TARGET], []).message("expects a Target") == "expects a Target"


def test_name_and_labels_of_an_object_are_not_secret_but_its_annotations_may_repeat_it() -> None:
    metadata = {
        "name": "deploy",
        "labels": {"data.landscaper.gardener.cloud/sourceType": "import"},
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": json.dumps({"spec": {"token": SECRET}})},
    }
    mask = Mask([{**TARGET, "metadata": metadata}], [])
    assert mask.message(f"deployItems: imports.x {SECRET}") == "deployItems: imports.x [...]"


@given(st.text(min_size=3).filter(lambda text: len(text.strip()) >= 3), st.text(), st.text())
def test_no_value_is_left_in_any_text(secret: str, before: str, after: str) -> None:
    mask = Mask([secret], [])
    assert secret.strip() not in mask.excerpt(before + secret + after).replace("[...]", "\0")
    assert secret.strip() not in mask.message(before + secret + after).replace("[...]", "\0")
