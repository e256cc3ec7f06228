"""A real helm takes a chart through its whole life on a real home."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.embedded.clients.homes import Client, CommandFailed

CHART = str(Path(__file__).parent / "chart")

# Each helm command starts a program of 50 MB and reads the API's documents.
pytestmark = pytest.mark.timeout(120)


def install(helm: Client, *options: str) -> Any:
    return json.loads(helm("install", "shop", CHART, "--create-namespace", "--output", "json", *options))


def objects(helm: Client) -> dict[str, Any]:
    """What helm finds of the release's objects, by kind."""
    resources = json.loads(helm("status", "shop", "--show-resources", "--output", "json"))["info"]["resources"]
    flat = [item for found in resources.values() for item in found]
    return {item["kind"]: item for found in flat for item in found.get("items", [found])}


def revisions(helm: Client) -> list[tuple[int, str]]:
    return [(row["revision"], row["status"]) for row in json.loads(helm("history", "shop", "--output", "json"))]


def test_a_release_goes_from_install_to_uninstall(helm: Client) -> None:
    installed = install(helm)
    assert installed["info"]["status"] == "deployed"
    assert installed["info"]["notes"].startswith("hello from shop")
    assert objects(helm)["Deployment"]["spec"]["replicas"] == 1

    helm("upgrade", "shop", CHART, "--set", "replicas=3,greeting=hi")
    upgraded = objects(helm)
    assert upgraded["Deployment"]["spec"]["replicas"] == 3
    assert upgraded["ConfigMap"]["data"] == {"greeting": "hi"}
    assert upgraded["Order"]["spec"] == {"count": 3}
    assert "The namespace is Active." in helm("get", "notes", "shop")

    helm("rollback", "shop", "1")
    assert objects(helm)["Deployment"]["spec"]["replicas"] == 1
    assert revisions(helm) == [(1, "superseded"), (2, "superseded"), (3, "deployed")]

    assert helm("uninstall", "shop") == 'release "shop" uninstalled\n'
    assert json.loads(helm("list", "--all", "--output", "json")) == []


def test_everything_in_the_chart_is_there(helm: Client) -> None:
    install(helm)
    assert set(objects(helm)) == {
        "ConfigMap", "Deployment", "Ingress", "Order", "Role", "RoleBinding", "Secret", "Service", "ServiceAccount",
    }  # fmt: skip


def test_releases_are_listed_with_what_was_set(helm: Client) -> None:
    install(helm, "--set", "greeting=hola")
    (release,) = json.loads(helm("list", "--output", "json"))
    assert (release["name"], release["revision"], release["chart"]) == ("shop", "1", "shop-0.1.0")
    assert json.loads(helm("get", "values", "shop", "--output", "json")) == {"greeting": "hola"}
    assert 'greeting: "hola"' in helm("get", "manifest", "shop")


def test_the_name_of_a_release_is_taken_once(helm: Client) -> None:
    install(helm)
    with pytest.raises(CommandFailed, match="cannot re-use a name that is still in use"):
        install(helm)


def test_an_object_that_the_schema_refuses_fails_the_upgrade(helm: Client) -> None:
    install(helm)
    with pytest.raises(CommandFailed, match=r"spec\.count"):
        helm("upgrade", "shop", CHART, "--set-string", "replicas=many")
    assert revisions(helm)[-1] == (2, "failed")
    helm("rollback", "shop", "1")
    assert revisions(helm)[-1] == (3, "deployed")


def test_a_dry_run_on_the_server_changes_nothing(helm: Client) -> None:
    install(helm)
    helm("upgrade", "shop", CHART, "--set", "replicas=9", "--dry-run=server")
    assert objects(helm)["Deployment"]["spec"]["replicas"] == 1
    assert len(revisions(helm)) == 1


def test_an_uninstalled_release_can_be_rolled_back_while_its_history_is_kept(helm: Client) -> None:
    install(helm)
    helm("uninstall", "shop", "--keep-history")
    assert revisions(helm) == [(1, "uninstalled")]
    helm("rollback", "shop", "1")
    assert "Deployment" in objects(helm)
