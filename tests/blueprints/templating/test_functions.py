"""The functions that templates call besides those of their language."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.blueprints.templating.blueprints import shop, spiff_value_of, value_of

from landform.blueprints.questions import RESOURCE_CONTENT, Answers, Question, Unanswered
from landform.blueprints.templating.errors import TemplatingError
from landform.blueprints.templating.kubeconfigs import (
    SERVICE_ACCOUNT_KUBECONFIG,
    SHOOT_KUBECONFIG,
    TARGET_CONTENT,
    IssuedKubeconfig,
    TargetArgument,
)
from landform.components.errors import Unavailable
from landform.gotemplate import Surroundings
from landform.kit import yamls

KUBECONFIG = """
apiVersion: v1
kind: Config
current-context: main
contexts:
- name: other
  context: {cluster: o, user: o}
- name: main
  context: {cluster: c, user: u}
clusters:
- name: c
  cluster: {server: "https://api.example.com", certificate-authority-data: QUJD}
- name: o
  cluster: {server: "https://other.example.com"}
users:
- name: u
  user: {token: hunter2-token}
"""
TARGET: dict[str, Any] = {
    "metadata": {"name": "cluster", "namespace": "ns", "generation": 1},
    "spec": {"type": "landscaper.gardener.cloud/kubernetes-cluster", "config": {"kubeconfig": KUBECONFIG}},
}
SECRET_TARGET: dict[str, Any] = {**TARGET, "spec": {"type": TARGET["spec"]["type"], "secretRef": {"name": "access"}}}


def quoted(expression: str) -> str:
    return f"{{{{ {expression} | toJson }}}}"


def argument(target: dict[str, Any]) -> TargetArgument:
    return TargetArgument("cluster", "ns", json.dumps(target, sort_keys=True))


# Files


FILES = {"docs/a.txt": "hello", "docs/b/c.txt": "", "parts/x.yaml": "x-{{ .name }}-{{ toYaml .list }}"}


def test_a_file_is_read_as_bytes() -> None:
    assert value_of('{{ readFile "docs/a.txt" | toString }}', more_files=FILES) == "hello"
    assert value_of('"{{ readFile "/docs/a.txt" }}"', more_files=FILES) == "[104 101 108 108 111]"


def test_a_folder_is_listed() -> None:
    listing = '"{{ range readDir "docs" }}{{ .Name }} {{ .IsDir }} {{ .Size }};{{ end }}"'
    assert value_of(listing, more_files=FILES) == "a.txt false 5;b true 0;"


def test_a_file_can_be_rendered_with_a_binding_of_its_own() -> None:
    imports = {"name": "n", "list": ["a"]}
    assert value_of('{{ include "parts/x.yaml" .imports }}', imports, more_files=FILES) == "x-n-- a"


@pytest.mark.parametrize("call", ['include "nope" .', 'readFile "nope"', 'readDir "nope"', 'readFile "../nope"'])
def test_a_missing_file_is_an_error(call: str) -> None:
    with pytest.raises(TemplatingError, match="nope"):
        value_of(f"{{{{ {call} }}}}", more_files=FILES)


def test_a_file_may_include_itself_a_hundred_times_and_no_more() -> None:
    deep = {"a": "{{ if gt (. | int) 0 }}{{ include `a` (sub (. | int) 1) }}{{ end }}x"}
    assert value_of('{{ include "a" 99 }}', more_files=deep) == "x" * 100
    with pytest.raises(TemplatingError, match='"a" includes itself more than 100 times'):
        value_of('{{ include "a" 100 }}', more_files=deep)


def test_spiff_reads_the_files_of_the_blueprint() -> None:
    assert spiff_value_of('read("docs/a.txt")', more_files=FILES) == "hello"


def test_templates_reach_no_environment() -> None:
    for function in ("env", "expandenv", "getHostByName"):
        with pytest.raises(TemplatingError, match=f'function "{function}" not defined'):
            value_of(f'{{{{ {function} "HOME" }}}}')


def test_time_and_chance_are_given() -> None:
    surroundings = Surroundings(now=lambda: 0, random=lambda count: bytes(count))
    assert value_of('{{ now | date "2006" }}', surroundings=surroundings) == 1970
    assert value_of('"{{ randNumeric 3 }}"', surroundings=surroundings) == "000"


# YAML and OCI references


def test_yaml_in_both_directions() -> None:
    imports = {"map": {"b": [1], "a": "x"}, "text": "k: {v: 1}"}
    assert value_of("{{ toYaml .imports.map | quote }}", imports) == "a: x\nb:\n- 1"
    assert value_of("{{ (fromYaml .imports.text).k.v }}", imports) == 1


@pytest.mark.parametrize(
    ("reference", "repository", "version"),
    [
        ("registry.example.com/a:1.0", "registry.example.com/a", "1.0"),
        ("registry.example.com:5000/a@sha256:ab", "registry.example.com:5000/a", "sha256:ab"),
        ("index.docker.io/library/alpine:3", "alpine", "3"),
    ],
)
def test_oci_references_are_taken_apart(reference: str, repository: str, version: str) -> None:
    assert value_of(quoted(f'parseOCIRef "{reference}"')) == [repository, version]
    assert value_of(quoted(f'ociRefRepo "{reference}"')) == repository
    assert value_of(quoted(f'ociRefVersion "{reference}"')) == version
    assert spiff_value_of(f'parseOCIRef("{reference}")') == [repository, version]
    assert spiff_value_of(f'ociRefRepo("{reference}")') == repository
    assert spiff_value_of(f'ociRefVersion("{reference}")') == version


def test_a_reference_without_a_version_is_an_error() -> None:
    with pytest.raises(TemplatingError, match="neither a tag nor a digest"):
        value_of('{{ parseOCIRef "alpine" }}')
    with pytest.raises(TemplatingError, match="neither a tag nor a digest"):
        spiff_value_of('parseOCIRef("alpine")')


# Components


def test_a_resource_is_found_by_its_identity() -> None:
    image = '(getResource "name" "web").access.imageReference'
    assert value_of(quoted(image), component=shop()) == "registry.example.com/web:1.2.3"
    image = '(getResource "name" "tool" "arch" "amd64").access.imageReference'
    assert value_of(quoted(image), component=shop()) == "registry.example.com/tool-amd:1"
    found = spiff_value_of('getResource("name", "tool", "arch", "arm64").access.imageReference', component=shop())
    assert found == "registry.example.com/tool-arm:1"


def test_all_resources_that_fit_are_found() -> None:
    assert value_of('{{ len (getResources "name" "tool") }}', component=shop()) == 2


def test_a_referenced_component_is_found_and_can_be_searched() -> None:
    assert value_of('{{ (getComponent "name" "db").component.name }}', component=shop()) == "example.com/database"
    inner = '(getResource (getComponent "name" "db") "name" "server").access.imageReference'
    assert value_of(quoted(inner), component=shop()) == "registry.example.com/postgres:16"
    found = spiff_value_of('getResource(getComponent("name", "db"), "name", "server").version', component=shop())
    assert found == "1.0.0"


def test_a_descriptor_of_schema_v3_can_be_searched_too() -> None:
    v3 = {
        "apiVersion": "ocm.software/v3alpha1",
        "kind": "ComponentVersion",
        "metadata": {"name": "example.com/x", "version": "1.0.0", "provider": {"name": "p"}},
        "repositoryContexts": [{"type": "ociRegistry", "baseUrl": "r.example.com"}],
        "spec": {
            "resources": [
                {
                    "name": "res",
                    "version": "2.0.0",
                    "type": "t",
                    "relation": "external",
                    "access": {"type": "ociRegistry", "imageReference": "r.example.com/r:2"},
                }
            ]
        },
    }
    assert value_of('{{ (getResource .imports.cd "name" "res").version }}', {"cd": v3}) == "2.0.0"
    assert value_of("{{ (getRepositoryContext .imports.cd).baseUrl }}", {"cd": v3}) == "r.example.com"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ('getResource "name"', "at least 2 arguments"),
        ('getResource "name" "web" "arch"', "odd number"),
        ('getResource "name" 1', "expect argument 1 to be a string"),
        ('getResource "name" "nope"', "no resource of component example.com/shop:1.0.0 has the identity name=nope"),
        ('getComponent "name" "nope"', "no reference of component example.com/shop:1.0.0"),
        ('getResourceKey "cd://resources/nope"', 'resource "nope" not found'),
        ('getResourceKey "cd://resources/tool"', "ambiguous"),
        ('getResourceKey "cd://componentReferences/db"', "leads to a component"),
        ('getResourceKey "name: x"', "this is no reference to a resource"),
        ('getResourceKey "a" "b"', "expects one argument"),
        ("getRepositoryContext 1", "a component descriptor"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(call: str, message: str) -> None:
    with pytest.raises(TemplatingError, match=message):
        value_of(f"{{{{ {call} }}}}", component=shop())


@pytest.mark.parametrize(
    "call", ['getResource "name" "x"', 'getComponent "name" "x"', 'getResourceKey "cd://resources/x"']
)
def test_without_a_component_there_is_nothing_to_find(call: str) -> None:
    with pytest.raises(TemplatingError, match="the Installation has no component descriptor"):
        value_of(f"{{{{ {call} }}}}")


def key(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    ("reference", "component", "identity"),
    [
        ("cd://resources/web", "shop", "name: web"),
        ("cd://componentReferences/db/resources/server", "database", "name: server"),
        ("resource: {name: web}", "shop", "name: web"),
        ("{resource: {name: server}, referencePath: [{name: db}]}", "database", "name: server"),
        ("resource: {name: tool, arch: arm64}", "shop", "arch: arm64\n  name: tool"),
    ],
)
def test_the_key_of_a_resource_is_its_global_identity(reference: str, component: str, identity: str) -> None:
    wanted = key(f"component:\n  name: example.com/{component}\n  version: 1.0.0\nresource:\n  {identity}\n")
    assert value_of(quoted(f'getResourceKey "{reference}"'), component=shop()) == wanted
    assert spiff_value_of(f'getResourceKey("{reference}")', component=shop()) == wanted


def test_the_content_of_a_resource_is_asked_for() -> None:
    with pytest.raises(Unanswered) as caught:
        value_of('{{ getResourceContent "cd://resources/notes" }}', component=shop())
    question = Question(RESOURCE_CONTENT, ("example.com/shop", "1.0.0", "notes"))
    assert caught.value.question == question
    answers = Answers({question: b"a: b"})
    reference = "cd://resources/notes"
    assert value_of(quoted(f'getResourceContent "{reference}"'), component=shop(), answers=answers) == "a: b"
    assert spiff_value_of(f'getResourceContent("{reference}")', component=shop(), answers=answers) == "a: b"


def test_an_alternative_of_spiff_does_not_hide_an_open_question() -> None:
    with pytest.raises(Unanswered):
        spiff_value_of('getResourceContent("cd://resources/notes") || "none"', component=shop())


def test_a_question_inside_of_an_included_file_is_asked_too() -> None:
    with pytest.raises(Unanswered):
        value_of(
            '{{ include "x" . }}',
            component=shop(),
            more_files={"x": '{{ getResourceContent "cd://resources/notes" }}'},
        )


def test_one_of_several_resources_of_a_name_is_asked_for_by_its_identity() -> None:
    with pytest.raises(Unanswered) as caught:
        value_of('{{ getResourceContent "resource: {name: tool, arch: arm64}" }}', component=shop())
    assert caught.value.question.arguments[2:] == ("tool", (("arch", "arm64"), ("name", "tool")))


def test_content_that_is_no_text_is_given_in_base64() -> None:
    answers = Answers({Question(RESOURCE_CONTENT, ("example.com/shop", "1.0.0", "program")): b"\x00\xff"})
    content = quoted('getResourceContent "cd://resources/program"')
    assert value_of(content, component=shop(), answers=answers) == "AP8="


def test_an_answer_that_is_an_error_is_an_error_of_the_template() -> None:
    question = Question(RESOURCE_CONTENT, ("example.com/shop", "1.0.0", "notes"))
    answers = Answers({question: Unavailable("the registry does not answer")})
    with pytest.raises(TemplatingError, match="the registry does not answer"):
        value_of('{{ getResourceContent "cd://resources/notes" }}', component=shop(), answers=answers)


# Kubeconfigs


@pytest.mark.parametrize(
    ("function", "kind"),
    [("getShootAdminKubeconfig", SHOOT_KUBECONFIG), ("getServiceAccountKubeconfig", SERVICE_ACCOUNT_KUBECONFIG)],
)
def test_a_kubeconfig_is_asked_for_and_used(function: str, kind: str) -> None:
    imports = {"target": TARGET}
    with pytest.raises(Unanswered) as caught:
        value_of(f'{{{{ {function} "name" "space" 3600 .imports.target }}}}', imports)
    question = Question(kind, ("name", "space", 3600, argument(TARGET)))
    assert caught.value.question == question
    issued = IssuedKubeconfig("S1VCRQ==", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
    answers = Answers({question: issued})
    with_time = {
        "kubeconfig": "S1VCRQ==",
        "expirationTimestamp": 1767323045,
        "expirationTimestampReadable": "2026-01-02T03:04:05Z",
    }
    go, dynaml = '"name" "space" 3600 .imports.target', '("name", "space", 3600, imports.target)'
    longer = f"{function}WithExpirationTimestamp"
    assert value_of(quoted(f"{function} {go}"), imports, answers=answers) == "S1VCRQ=="
    assert value_of(quoted(f"{longer} {go}"), imports, answers=answers) == with_time
    assert spiff_value_of(function + dynaml, imports, answers=answers) == "S1VCRQ=="
    assert spiff_value_of(longer + dynaml, imports, answers=answers) == with_time


def test_a_question_about_a_target_does_not_show_its_content() -> None:
    with pytest.raises(Unanswered) as caught:
        value_of('{{ getShootAdminKubeconfig "a" "b" 1 .imports.target }}', {"target": TARGET})
    assert "Target ns/cluster" in str(caught.value)
    assert "hunter2" not in f"{caught.value} {caught.value.question!r}"


def oidc(encoded: str) -> Any:
    return yamls.load(base64.b64decode(encoded).decode())


def test_an_oidc_kubeconfig_keeps_the_cluster_and_none_of_the_credentials() -> None:
    imports = {"target": TARGET}
    encoded = value_of(quoted('getOidcKubeconfig "https://issuer" "client" .imports.target'), imports)
    assert encoded == spiff_value_of('getOidcKubeconfig("https://issuer", "client", imports.target)', imports)
    config = oidc(encoded)
    assert config["current-context"] == "main"
    assert [entry["name"] for entry in config["contexts"]] == ["main"]
    assert [entry["cluster"]["server"] for entry in config["clusters"]] == ["https://api.example.com"]
    login = config["users"][0]["user"]["exec"]
    assert (config["users"][0]["name"], login["command"]) == ("u", "kubectl")
    assert login["args"][:4] == [
        "oidc-login",
        "get-token",
        "--oidc-issuer-url=https://issuer",
        "--oidc-client-id=client",
    ]
    assert "hunter2" not in base64.b64decode(encoded).decode()


def test_an_oidc_kubeconfig_of_a_target_with_a_secret_asks_for_its_content() -> None:
    imports = {"target": SECRET_TARGET}
    call = quoted('getOidcKubeconfig "https://issuer" "client" .imports.target')
    with pytest.raises(Unanswered) as caught:
        value_of(call, imports)
    assert caught.value.question == Question(TARGET_CONTENT, (argument(SECRET_TARGET),))
    answers = Answers({caught.value.question: json.dumps({"kubeconfig": KUBECONFIG})})
    assert oidc(value_of(call, imports, answers=answers))["current-context"] == "main"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ('getShootAdminKubeconfig "a" "b" 1', "expects 4 arguments"),
        ('getShootAdminKubeconfig 1 "b" 1 .imports.target', "expects a string as argument 1, namely the shoot name"),
        ('getServiceAccountKubeconfig "a" "b" "c" .imports.target', "expects an integer as argument 3"),
        ('getServiceAccountKubeconfig "a" "b" 1 "target"', "expects a Target as last argument"),
        ('getOidcKubeconfig "a"', "expects 3 arguments"),
        ('getOidcKubeconfig "a" "b" .imports.empty', "neither config nor secretRef"),
        ('getOidcKubeconfig "a" "b" .imports.broken', "contains no kubeconfig as text"),
        ('getOidcKubeconfig "a" "b" .imports.elsewhere', "lacks the entry in contexts"),
    ],
)
def test_a_wrong_call_for_a_kubeconfig_says_what_is_wrong(call: str, message: str) -> None:
    imports = {
        "target": TARGET,
        "empty": {"metadata": {}, "spec": {"type": "t"}},
        "broken": {"metadata": {}, "spec": {"type": "t", "config": {"kubeconfig": {"a": 1}}}},
        "elsewhere": {"metadata": {}, "spec": {"type": "t", "config": {"kubeconfig": "current-context: x"}}},
    }
    with pytest.raises(TemplatingError, match=message):
        value_of(f"{{{{ {call} }}}}", imports)
