"""The commands at work on a running home, as people use them."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import ssl
import subprocess
import urllib.request
from typing import TYPE_CHECKING

import pytest
import yaml
from tests.cli.processes import PATIENCE_SECONDS, Up, command, environment, run, up
from tests.cli.typed import Terminal

from landform.api.crds import crds
from landform.cluster.interface import ListOptions, PatchType, WriteOptions
from landform.cluster.resources import CONFIG_MAPS
from landform.embedded.access.certificates import Authority
from landform.kit import yamls
from landform.kit.clocks import SystemClock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    with up(tmp_path_factory.mktemp("home") / "data") as home:
        yield home
        assert home.stop() == 0


def landform(home: Up, *arguments: str | Path, stdin: str = "") -> str:
    """What a command prints that succeeds."""
    name, *rest = arguments
    code, output, errors = run(name, "--data", home.folder, *rest, stdin=stdin)
    assert (code, errors) == (0, "")
    return output


def refused(home: Up, *arguments: str | Path, stdin: str = "") -> str:
    """The sentence that a command fails with."""
    told = Terminal(home, "default").refused(*map(str, arguments), stdin=stdin)
    assert "\n" not in told
    return told


def document(name: str, **fields: object) -> str:
    return yamls.dump({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, **fields})


def test_applied_objects_can_be_seen(home: Up, tmp_path: Path) -> None:
    folder = tmp_path / "objects"
    folder.mkdir()
    (folder / "2.yaml").write_text(document("seen-b", data={"a": "1"}))
    (folder / "1.yml").write_text(f"{document('seen-a', data={'a': '1'})}---\n# nothing\n---\n{document('seen-c')}")
    (folder / "notes.txt").write_text("no object")
    assert landform(home, "apply", "-f", folder).splitlines() == [
        "configmaps/seen-a applied",
        "configmaps/seen-c applied",
        "configmaps/seen-b applied",
    ]
    table = landform(home, "get", "ConfigMap", "-n", "default").splitlines()
    assert table[0].split() == ["NAMESPACE", "NAME", "PHASE", "AGE"]
    shown = [line.split()[:2] for line in table[1:]]
    assert shown == sorted(shown)
    assert {"seen-a", "seen-b", "seen-c"} <= {name for _, name in shown}


def test_an_object_is_shown_as_yaml_and_json(home: Up) -> None:
    landform(home, "apply", "-f", "-", stdin=document("formats", data={"a": "yes", "b": "1"}))
    as_yaml = yamls.load(landform(home, "get", "configmaps", "formats", "-o", "yaml"))
    as_json = json.loads(landform(home, "get", "configmaps", "formats", "-o", "json"))
    assert as_yaml == as_json
    assert as_yaml["data"] == {"a": "yes", "b": "1"}
    assert "managedFields" not in as_yaml["metadata"], "as for kubectl"


def test_several_objects_are_shown_as_yaml_and_json(home: Up) -> None:
    labelled = {"apiVersion": "v1", "kind": "ConfigMap"}
    both = [labelled | {"metadata": {"name": f"set-{n}", "labels": {"set": "one"}}} for n in (1, 2)]
    landform(home, "apply", "-f", "-", stdin="---\n".join(map(yamls.dump, both)))
    documents = list(yamls.load_all(landform(home, "get", "configmaps", "-l", "set=one", "-o", "yaml")))
    listed = json.loads(landform(home, "get", "configmaps", "-l", "set=one", "-o", "json"))
    assert [obj["metadata"]["name"] for obj in documents] == ["set-1", "set-2"]
    assert (listed["kind"], listed["items"]) == ("List", documents)


def test_what_is_shown_can_be_applied_again(home: Up) -> None:
    landform(home, "apply", "-f", "-", stdin=document("again", data={"a": "1"}))
    person = Terminal(home, "default")
    shown = person.type("get", "configmaps", "again", "-o", "yaml").out
    assert person.read("apply", "-f", "-", stdin=shown) == ["configmaps/again applied"]
    several = json.dumps({"apiVersion": "v1", "kind": "List", "items": [yamls.load(shown)]})
    assert person.read("apply", "-f", "-", stdin=several) == ["configmaps/again applied"]


def test_a_kind_that_an_earlier_document_defines_can_be_used_by_a_later_one(home: Up) -> None:
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "gadgets.cli.test"},
        "spec": {
            "group": "cli.test",
            "scope": "Namespaced",
            "names": {"kind": "Gadget", "plural": "gadgets", "singular": "gadget", "listKind": "GadgetList"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
                }
            ],
        },
    }
    gadget = {
        "apiVersion": "cli.test/v1",
        "kind": "Gadget",
        "metadata": {"name": "one"},
        "status": {"phase": "[red]:smile:"},
    }
    output = landform(home, "apply", "-f", "-", stdin=f"{yamls.dump(crd)}---\n{yamls.dump(gadget)}")
    assert output == "customresourcedefinitions/gadgets.cli.test applied\ngadgets/one applied\n"
    # A cell is shown as it is, whatever it looks like.
    assert landform(home, "get", "gadgets").splitlines()[1].split()[:3] == ["default", "one", "[red]:smile:"]


def test_long_names_are_not_folded(home: Up) -> None:
    name = "n" * 200
    landform(home, "apply", "-f", "-", stdin=document(name))
    assert name in landform(home, "get", "configmaps")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: [b\n", "standard input is not valid YAML: line 2, column 1: did not find expected ',' or ']'"),
        ("", "there is no object in standard input"),
        ("just text\n", "standard input, document 1: apiVersion is missing; every object needs apiVersion and kind"),
        (
            "apiVersion: v1\nmetadata: {name: a}\n",
            "standard input, document 1: kind is missing; every object needs apiVersion and kind",
        ),
        (
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n",
            "standard input, document 1: metadata.name is missing; every object needs one",
        ),
        (
            "apiVersion: v1\nkind: Nonsense\nmetadata: {name: a}\n",
            "standard input, document 1: the cluster does not know the kind Nonsense of v1",
        ),
        (
            "apiVersion: v1\nkind: ConfigMpa\nmetadata: {name: a}\n",
            'standard input, document 1: the cluster does not know the kind ConfigMpa of v1; did you mean "ConfigMap"?',
        ),
        (
            "apiVersion: v2\nkind: ConfigMap\nmetadata: {name: a}\n",
            "standard input, document 1: the cluster does not know the kind ConfigMap of v2; it is one of v1",
        ),
        (
            "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap}\n",
            "standard input, document 1, item 1: metadata.name is missing; every object needs one",
        ),
        ("apiVersion: v1\nkind: List\n", "standard input, document 1: items is missing; a List needs it"),
        ("a: &a [*a]\n", "standard input is not valid YAML: an alias stands for something that contains it"),
        (
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nnonsense: 1\n",
            "standard input, document 1: ConfigMap a: failed to create typed patch object (/a; /v1,"
            " Kind=ConfigMap): .nonsense: field not declared in schema",
        ),
        (
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: nowhere}\n",
            'standard input, document 1: ConfigMap a: namespaces "nowhere" not found',
        ),
        (
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: No_Name}\n",
            'standard input, document 1: ConfigMap No_Name: ConfigMap "No_Name" is invalid: metadata.name: ',
        ),
    ],
    ids=[
        "broken",
        "empty",
        "text",
        "no-kind",
        "no-name",
        "unknown-kind",
        "misspelt-kind",
        "other-version",
        "list-without-name",
        "list-without-items",
        "endless-alias",
        "unknown-field",
        "no-namespace",
        "bad-name",
    ],
)
def test_what_cannot_be_applied_is_refused_with_its_place(home: Up, text: str, told: str) -> None:
    assert refused(home, "apply", "-f", "-", stdin=text).startswith(told)


def test_a_document_that_is_wrong_stops_the_rest_before_anything_is_sent(home: Up) -> None:
    refused(home, "apply", "-f", "-", stdin=f"{document('half')}---\nkind: ConfigMap\n")
    assert refused(home, "get", "configmaps", "half") == 'configmaps "half" not found in namespace default'


def test_a_file_that_is_not_there_is_named(home: Up, tmp_path: Path) -> None:
    missing = tmp_path / "missing.yaml"
    assert refused(home, "apply", "-f", missing) == f"cannot read {missing}: No such file or directory"


async def test_a_field_of_someone_else_is_only_taken_by_force(home: Up) -> None:
    theirs = yamls.load(document("owned", data={"a": "1"}))
    async with home.cluster() as cluster:
        options = WriteOptions(field_manager="someone")
        await cluster.patch(CONFIG_MAPS, "owned", theirs, namespace="default", type=PatchType.APPLY, options=options)
    ours = document("owned", data={"a": "2"})
    assert await asyncio.to_thread(refused, home, "apply", "-f", "-", stdin=ours) == (
        'standard input, document 1: ConfigMap owned: Apply failed with 1 conflict: conflict with "someone": .data.a'
    )
    assert landform(home, "apply", "--force", "-f", "-", stdin=ours) == "configmaps/owned applied\n"
    assert json.loads(landform(home, "get", "configmaps", "owned", "-o", "json"))["data"] == {"a": "2"}


def test_an_unknown_kind_and_name_are_explained(home: Up) -> None:
    assert refused(home, "get", "nonsense") == (
        'the cluster does not know the kind "nonsense"; `kubectl api-resources` lists those it knows'
    )
    assert refused(home, "get", "configmaps", "nope") == 'configmaps "nope" not found in namespace default'


async def test_a_copy_taken_while_running_starts_a_home_of_its_own(home: Up, tmp_path: Path) -> None:
    landform(home, "apply", "-f", "-", stdin=document("copied", data={"a": "1"}))
    copy = tmp_path / "copy"
    output = landform(home, "backup", copy)
    assert output == f"Copied {home.folder / 'landform.db'} to {copy} ({copy.stat().st_size} bytes).\n"
    code, _, errors = run("backup", "--data", home.folder, copy)
    assert (code, errors) == (1, f"Error: {copy} exists already; choose another name, nothing was overwritten\n")
    restored = tmp_path / "restored"
    restored.mkdir()
    copy.rename(restored / "landform.db")
    with up(restored) as second:
        async with second.cluster() as cluster:
            found = await cluster.get(CONFIG_MAPS, "copied", namespace="default")
        assert found["data"] == {"a": "1"}
        assert await second.stopped() == 0


async def test_a_home_that_is_started_again_has_its_objects_its_port_and_its_kubeconfig(tmp_path: Path) -> None:
    with up(tmp_path / "data") as first:
        landform(first, "apply", "-f", "-", stdin=document("kept", data={"a": "1"}))
        text = first.kubeconfig.read_text()
        assert first.kubeconfig.stat().st_mode & 0o777 == 0o600
        assert first.stop(signal.SIGINT) == 0
    with up(tmp_path / "data") as second:
        assert second.url == first.url
        assert second.kubeconfig.read_text() == text
        async with second.cluster() as cluster:
            found = await cluster.list(CONFIG_MAPS, options=ListOptions(field_selector="metadata.name=kept"))
        assert [obj["data"] for obj in found.items] == [{"a": "1"}]
        # While it is taken, the next home on another folder chooses another port.
        with up(tmp_path / "other") as other:
            assert other.url != second.url
            assert other.stop() == 0
        assert await second.stopped() == 0


def test_crds_are_printed_for_kubectl(tmp_path: Path) -> None:
    code, output, errors = run("crds")
    assert (code, errors) == (0, "")
    # Read by a parser that is not ours, as kubectl's is not.
    documents = list(yaml.safe_load_all(output))
    assert documents == crds()
    assert {found["kind"] for found in documents} == {"CustomResourceDefinition"}


def test_the_webhook_says_where_it_listens_and_that_it_is_well(tmp_path: Path) -> None:
    authority = Authority.load_or_create(tmp_path, SystemClock())
    authority.server_ssl_context(["localhost"])
    pem = tmp_path / "server.pem"
    process = subprocess.Popen(
        command("webhook", "--host", "127.0.0.1", "--port", "0", "--certificate", pem, "--key", pem),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment(),
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        port = re.fullmatch(r"The webhook listens on 127\.0\.0\.1:(\d+)\.\n", line)
        assert port is not None, line
        trusting = ssl.create_default_context(cadata=authority.ca)
        with urllib.request.urlopen(f"https://localhost:{port[1]}/healthz", context=trusting) as answer:
            assert (answer.status, answer.read()) == (200, b"ok")
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_SECONDS) == 0
    finally:
        process.kill()
        process.communicate()
