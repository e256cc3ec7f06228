"""The configuration file of a deployer of programs."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.docs import pages

from landform import __version__
from landform.deployers.container import ContainerDeployer
from landform.deployers.library import selectors
from landform.deployers.programs.engines.settings import EngineSettings
from landform.deployers.programs.grounds.choosing import Wish
from landform.deployers.programs.pods.settings import ContainerSettings, PodSettings
from landform.deployers.programs.setup import building, settings
from landform.deployers.programs.setup.building import Site
from landform.deployers.programs.setup.settings import SettingsError
from landform.kit import yamls

VERSION = "container.deployer.landscaper.gardener.cloud/v1alpha1"

OF_THE_ORIGINAL = """
apiVersion: container.deployer.landscaper.gardener.cloud/v1alpha1
kind: Configuration
namespace: "default" # namespace on the host cluster where the pods should be executed
initContainer:
  image: "someimage"
  command: ""
  args: ""
  imagePullPolicy: IfNotPresent
waitContainer:
  image: "someimage"
  command: ""
  args: ""
  imagePullPolicy: IfNotPresent
defaultImage:
  image: "someimage"
  command: ""
  args: ""
  imagePullPolicy: IfNotPresent
oci:
  allowPlainHttp: false
  insecureSkipVerify: false
  configFiles:
  - "somepath"
targetSelector:
  annotations: []
  labels: []
debug:
  keepPod: false
"""


def read(**config: Any) -> settings.Settings:
    return settings.read(config, VERSION)


def test_the_configuration_of_the_original_is_understood() -> None:
    found = settings.read(yamls.load(OF_THE_ORIGINAL), VERSION)
    assert found.namespace == "default"
    assert found.init_container.settings == ContainerSettings("someimage", (), (), "IfNotPresent")
    assert found.default_image.image == "someimage"
    assert found.config_files == (Path("somepath"),)
    assert not found.debug.keep_pod
    assert selectors.parse(found.target_selector).matches_none()


@pytest.mark.parametrize(
    ("oci", "plain"), [({}, True), ({"allowPlainHttp": True}, True), ({"allowPlainHttp": False}, False)]
)
def test_plain_http_is_refused_only_where_that_is_said(oci: dict[str, Any], plain: bool) -> None:
    assert building.component_repositories(read(oci=oci), Site(environ={})).http.plain is plain


def test_everything_may_be_left_out() -> None:
    found = read()
    assert (found.sandbox, found.grace_time, found.collect_seconds) == (Wish.AUTO, timedelta(seconds=30), 3600.0)
    assert (found.default_image.image, found.log_limit) == ("ubuntu:18.04", 256 * 1024)
    ContainerDeployer.configured({})


def test_command_lines_may_be_lists_or_texts() -> None:
    found = read(defaultImage={"image": "x", "command": "sh -c 'a b'", "args": ["c d"]})
    assert found.default_image.settings == ContainerSettings("x", ("sh", "-c", "a b"), ("c d",))


def test_collection_of_garbage_may_be_switched_off() -> None:
    assert read(garbageCollection={"disable": True}).collect_seconds is None
    assert read(garbageCollection={"worker": 3, "requeueTimeSeconds": 60}).collect_seconds == 60.0


def test_sizes_may_have_units() -> None:
    found = read(logSize="64Ki", engine={"memory": "1Gi"}, process={"limits": {"memory": 1024}})
    assert found.log_limit == 65536
    assert settings.size(found.engine.memory) == 1 << 30
    assert settings.size(found.process.limits.memory) == 1024


def test_what_is_not_said_is_as_the_sandboxes_have_it() -> None:
    assert building.engine_settings(read()) == EngineSettings()
    usual = building.pod_settings(read(), Site(environ={}))
    assert usual == replace(PodSettings(), init=usual.init, wait=usual.wait, default=ContainerSettings("ubuntu:18.04"))
    assert usual.init.image == f"localhost/landform:{__version__}"


def test_limits_and_patience_reach_the_sandboxes() -> None:
    found = read(engine={"cpus": "1500m", "pids": 7}, imagePatience="2m", host={"lostAfter": "1h"}, grace="3s")
    engine, pods = building.engine_settings(found), building.pod_settings(found, Site(environ={}))
    assert (engine.cpus, engine.pids, engine.pull_patience) == (1.5, 7, timedelta(minutes=2))
    assert (pods.image_patience, pods.lost_after) == (timedelta(minutes=2), timedelta(hours=1))
    assert pods.grace == timedelta(seconds=3)


def test_the_page_has_every_setting() -> None:
    [table] = re.findall(
        r"(?ms)^\| Field \| Meaning \| Default \|\n(.*?)\n\n", pages.read("docs/deployers/container.md")
    )
    named = set(re.findall(r"`([a-z]\w+(?:\.\w+)?)`", "\n".join(row.split("|")[1] for row in table.splitlines())))
    known = set(_fields(settings.Settings))
    without_effect = {"hpa", "controller", "garbageCollection"}
    assert known - without_effect <= named | {name.partition(".")[0] for name in named}
    groups: dict[str, type[msgspec.Struct]] = {"host": settings.Host, "engine": settings.Engine, "oci": settings.Oci}
    for group, kind in groups.items():
        assert {f"{group}.{field}" for field in _fields(kind)} <= named


def _fields(kind: type[msgspec.Struct]) -> list[str]:
    return [field.encode_name for field in msgspec.structs.fields(kind)]


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"apiVersion": "v1"}, "apiVersion: v1: the configuration of this deployer has container.deployer"),
        ({"kind": "Deployment"}, "kind: Deployment"),
        ({"sandbox": "moon"}, "Invalid enum value 'moon' - at `sandbox`"),
        ({"oci": {"configFiles": "x"}}, "at `oci.configFiles`"),
        ({"sandbx": "engine"}, "unknown field `sandbx`"),
        ({"engine": {"sockt": "/x"}}, "unknown field `sockt` - at `engine`"),
        ({"grace": "soon"}, "grace: "),
        ({"grace": "-1s"}, "grace: -1s: no time can be less than none"),
        ({"imagePatience": "long"}, "imagePatience: "),
        ({"host": {"lostAfter": "-5m"}}, "host.lostAfter: -5m: no time can be less than none"),
        ({"engine": {"cpus": "two"}}, "engine.cpus: two is no quantity"),
        ({"engine": {"cpus": -1}}, "engine.cpus: -1: a container needs some of a processor"),
        ({"logSize": "1Mi"}, "logSize: 1Mi: at most 262144 bytes"),
        ({"logSize": "much"}, "logSize: much is no number of bytes"),
        ({"engine": {"memory": "1GB"}}, "engine.memory: 1GB is no number of bytes"),
        ({"process": {"slots": 0}}, "process.slots: 0: at least 1 is needed"),
        ({"garbageCollection": {"requeueTimeSeconds": 0}}, "garbageCollection.requeueTimeSeconds: 0"),
        ({"initContainer": {"command": "a 'b"}}, "initContainer: No closing quotation"),
        ({"targetSelector": [{"labels": [{"key": "a", "operator": "is"}]}]}, "targetSelector: targetSelector"),
    ],
)
def test_what_makes_no_sense_is_refused_by_the_name_of_its_field(config: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError) as raised:
        settings.read(config, VERSION)
    assert words in str(raised.value)
