"""Where the binaries come from, and what is said when they cannot be had."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cluster.controlplane import build


def test_the_cache_is_keyed_by_both_versions() -> None:
    folder = build.cache_folder({"LANDFORM_CACHE": "/caches/landform"})
    assert folder == Path("/caches/landform/controlplane/v1.34.10-etcd3.6.4")


def test_without_a_cache_of_our_own_the_users_cache_folder_is_used() -> None:
    assert build.cache_folder({"XDG_CACHE_HOME": "/caches"}).is_relative_to("/caches/landform/controlplane")
    assert build.cache_folder({}).is_relative_to(Path.home() / ".cache/landform/controlplane")


def test_given_assets_are_used_as_they_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in build.CONTROL_PLANE:
        (tmp_path / name).touch(mode=0o755)
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path))
    assert build.binaries() == tmp_path


def test_what_given_assets_lack_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "kubectl").touch(mode=0o755)
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path))
    with pytest.raises(build.BuildError, match="but etcd, kube-controller-manager, kube-apiserver cannot be run"):
        build.binaries()


def test_what_given_assets_lack_for_a_node_is_built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assets, cache = tmp_path / "assets", build.cache_folder({"LANDFORM_CACHE": str(tmp_path / "cache")})
    assets.mkdir()
    cache.mkdir(parents=True)
    for name in build.NODE:
        (cache / name).touch(mode=0o755)
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(assets))
    monkeypatch.setenv("LANDFORM_CACHE", str(tmp_path / "cache"))
    assert build.binaries(build.NODE) == cache


def test_a_machine_without_go_gets_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
    monkeypatch.setenv("LANDFORM_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert build.main([]) == 1
    assert capsys.readouterr().err.startswith("error: no `go` on the PATH")
    assert not list(tmp_path.iterdir())


def test_a_failing_build_shows_gos_words_and_leaves_nothing_that_looks_finished(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    go.write_text("#!/bin/sh\necho 'no space left on device' >&2\nexit 1\n")
    go.chmod(0o755)
    monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
    monkeypatch.setenv("LANDFORM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(build.BuildError, match="failed with exit code 1:\nno space left on device"):
        build.binaries()
    assert [path.name for path in build.cache_folder({"LANDFORM_CACHE": str(tmp_path / "cache")}).iterdir()] == [
        ".lock"
    ]


def test_what_a_killed_build_left_is_removed_by_the_next(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    go = tmp_path / "go"
    go.write_text("#!/bin/sh\nexit 1\n")
    go.chmod(0o755)
    monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
    monkeypatch.setenv("LANDFORM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    folder = build.cache_folder({"LANDFORM_CACHE": str(tmp_path / "cache")})
    (folder / ".building-killed" / "bin").mkdir(parents=True)
    with pytest.raises(build.BuildError):
        build.binaries()
    assert not list(folder.glob(".building-*"))


def test_staging_modules_are_replaced_with_published_ones() -> None:
    text = build.module_file(
        {
            "Go": "1.24.0",
            "GoDebug": [{"Key": "default", "Value": "go1.24"}],
            "Require": [
                {"Path": "k8s.io/api", "Version": "v0.0.0"},
                {"Path": "go.uber.org/zap", "Version": "v1.27.0"},
            ],
        }
    )
    assert text.splitlines() == [
        "module landform.test/controlplane",
        "go 1.24.0",
        "godebug default=go1.24",
        "require k8s.io/kubernetes v1.34.10",
        "require go.etcd.io/etcd/server/v3 v3.6.4",
        "replace k8s.io/api => k8s.io/api v0.34.10",
    ]
