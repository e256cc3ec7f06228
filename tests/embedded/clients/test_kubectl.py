"""A real kubectl creates objects on a real home, asks who may do what, and gets tokens. It sends these in protobuf."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.embedded.clients.homes import Client


def contains(whole: Any, part: Any) -> bool:
    """Whether an object has all that a smaller one says; lists must match item by item."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and contains(whole[key], part[key]) for key in part)
    if isinstance(part, list):
        return isinstance(whole, list) and len(whole) == len(part) and all(map(contains, whole, part))
    return bool(whole == part)


CREATED: dict[str, tuple[str, dict[str, Any]]] = {
    "configmap a --from-literal=x=y": ("configmap", {"data": {"x": "y"}}),
    "secret generic a --from-literal=x=y": ("secret", {"type": "Opaque", "data": {"x": "eQ=="}}),
    "secret docker-registry a --docker-username=u --docker-password=p --docker-server=s": (
        "secret",
        {"type": "kubernetes.io/dockerconfigjson"},
    ),
    "serviceaccount a": ("serviceaccount", {}),
    "role a --verb=get,list --resource=pods,deployments.apps": (
        "role",
        {
            "rules": [
                {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]},
                {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get", "list"]},
            ]
        },
    ),
    "rolebinding a --role=r --serviceaccount=n:s --user=u --group=g": (
        "rolebinding",
        {
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"},
            "subjects": [
                {"kind": "User", "name": "u", "apiGroup": "rbac.authorization.k8s.io"},
                {"kind": "Group", "name": "g", "apiGroup": "rbac.authorization.k8s.io"},
                {"kind": "ServiceAccount", "name": "s", "namespace": "n"},
            ],
        },
    ),
    "deployment a --image=i --replicas=2 --port=80 -- sh -c true": (
        "deployment",
        {
            "metadata": {"generation": 1, "labels": {"app": "a"}},
            "spec": {
                "replicas": 2,
                "selector": {"matchLabels": {"app": "a"}},
                "template": {
                    "metadata": {"labels": {"app": "a"}},
                    "spec": {
                        "containers": [
                            {
                                "name": "i",
                                "image": "i",
                                "command": ["sh", "-c", "true"],
                                "ports": [{"containerPort": 80}],
                                "resources": {},
                            }
                        ]
                    },
                },
            },
        },
    ),
    "job a --image=i -- echo hi": (
        "job",
        {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"command": ["echo", "hi"]}]}}}},
    ),
    "cronjob a --image=i --schedule=0/5_*_*_*_*": ("cronjob", {"spec": {"schedule": "0/5 * * * *"}}),
    "ingress a --class=c --rule=host/path*=svc:http,tls=t": (
        "ingress",
        {
            "spec": {
                "ingressClassName": "c",
                "tls": [{"hosts": ["host"], "secretName": "t"}],
                "rules": [
                    {
                        "host": "host",
                        "http": {
                            "paths": [
                                {
                                    "path": "/path",
                                    "pathType": "Prefix",
                                    "backend": {"service": {"name": "svc", "port": {"name": "http"}}},
                                }
                            ]
                        },
                    }
                ],
            }
        },
    ),
    "service clusterip a --tcp=80:web": (
        "service",
        {"spec": {"type": "ClusterIP", "ports": [{"port": 80, "targetPort": "web", "protocol": "TCP"}]}},
    ),
    "service nodeport a --tcp=80 --node-port=30080": (
        "service",
        {"spec": {"type": "NodePort", "ports": [{"port": 80, "targetPort": 80, "nodePort": 30080}]}},
    ),
    "service externalname a --external-name=b.example.com": (
        "service",
        {"spec": {"type": "ExternalName", "externalName": "b.example.com"}},
    ),
    "quota a --hard=pods=3,requests.cpu=1500m": (
        "quota",
        {"spec": {"hard": {"pods": "3", "requests.cpu": "1500m"}}},
    ),
    "poddisruptionbudget a --selector=app=a --min-available=50%": (
        "pdb",
        {"spec": {"minAvailable": "50%", "selector": {"matchLabels": {"app": "a"}}}},
    ),
}
"""What follows ``kubectl create``, with _ for blanks inside a word; then the kind, and what the object must have."""


@pytest.mark.parametrize("command", CREATED, ids=lambda command: " ".join(command.split()[:2]))
def test_create_makes_the_object(kubectl: Client, command: str) -> None:
    kind, expected = CREATED[command]
    said = kubectl("create", *(word.replace("_", " ") for word in command.split(" ")))
    assert said.endswith("/a created\n")
    found = kubectl.get(kind, "a")
    assert contains(found, expected), found
    assert found["metadata"]["uid"]


@pytest.mark.parametrize(
    ("kind", "options", "expected"),
    [
        ("clusterrole", ["--verb=get", "--non-resource-url=/logs"], {"rules": [{"nonResourceURLs": ["/logs"]}]}),
        ("clusterrole", ["--aggregation-rule=a=b"], {"aggregationRule": {}}),
        ("clusterrolebinding", ["--clusterrole=view", "--group=g"], {"roleRef": {"name": "view"}}),
        ("priorityclass", ["--value=-5", "--description=low"], {"value": -5, "description": "low"}),
    ],
    ids=["clusterrole", "aggregated clusterrole", "clusterrolebinding", "priorityclass"],
)
def test_create_makes_objects_without_a_namespace(
    kubectl: Client, kind: str, options: list[str], expected: Any
) -> None:
    kubectl("create", kind, kubectl.namespace, *options)
    assert contains(kubectl.get(kind, kubectl.namespace), expected)


def test_what_create_sends_is_protobuf_and_the_answer_is_json(kubectl: Client) -> None:
    said = kubectl.run("create", "configmap", "a", "-v=9").stderr
    assert "application/vnd.kubernetes.protobuf" in said.partition("Response Status")[0]
    assert "Content-Type: application/json" in said


def test_run_expose_and_autoscale_make_objects(kubectl: Client) -> None:
    kubectl("run", "a", "--image=i", "--env=K=V", "--labels=x=y", "--restart=Never")
    assert contains(kubectl.get("pod", "a")["spec"], {"containers": [{"env": [{"name": "K", "value": "V"}]}]})
    kubectl("create", "deployment", "d", "--image=i")
    kubectl("expose", "deployment", "d", "--port=80", "--target-port=web")
    assert contains(kubectl.get("service", "d")["spec"], {"selector": {"app": "d"}, "ports": [{"targetPort": "web"}]})
    kubectl("autoscale", "deployment", "d", "--min=1", "--max=3", "--cpu-percent=80")
    assert kubectl.get("hpa", "d")["spec"]["maxReplicas"] == 3


def test_a_job_can_be_made_from_a_cronjob(kubectl: Client) -> None:
    kubectl("create", "cronjob", "c", "--image=i", "--schedule=@daily")
    kubectl("create", "job", "j", "--from=cronjob/c")
    owner = kubectl.get("job", "j")["metadata"]["ownerReferences"][0]
    assert (owner["kind"], owner["name"]) == ("CronJob", "c")
    assert owner["uid"] == kubectl.get("cronjob", "c")["metadata"]["uid"]


def test_an_object_that_is_there_already_is_not_created_again(kubectl: Client) -> None:
    kubectl("create", "configmap", "a")
    again = kubectl.run("create", "configmap", "a")
    assert again.returncode == 1
    assert again.stderr == 'error: failed to create configmap: configmaps "a" already exists\n'


def test_a_dry_run_on_the_server_leaves_nothing_behind(kubectl: Client) -> None:
    assert "created (server dry run)" in kubectl("create", "configmap", "a", "--dry-run=server")
    assert kubectl.run("get", "configmap", "a").returncode == 1


# Who may do what.


def test_the_admin_may_do_everything(kubectl: Client) -> None:
    assert kubectl("auth", "can-i", "delete", "nodes").endswith("yes\n")
    assert "*.*" in kubectl("auth", "can-i", "--list")
    assert "landform:admin" in kubectl("auth", "whoami")


def test_can_i_follows_the_roles_of_an_account(kubectl: Client) -> None:
    account = f"--as=system:serviceaccount:{kubectl.namespace}:default"
    before = kubectl.run("auth", "can-i", "list", "pods", account)
    assert (before.returncode, before.stdout) == (1, "no\n")
    kubectl("create", "role", "reader", "--verb=list", "--resource=pods")
    kubectl("create", "rolebinding", "reader", "--role=reader", f"--serviceaccount={kubectl.namespace}:default")
    assert kubectl("auth", "can-i", "list", "pods", account) == "yes\n"
    assert kubectl.run("auth", "can-i", "list", "secrets", account).stdout == "no\n"
    rows = [line.split() for line in kubectl("auth", "can-i", "--list", account).splitlines()]
    assert ["pods", "[]", "[]", "[list]"] in rows


def test_a_token_gives_the_rights_of_its_account_and_no_more(kubectl: Client) -> None:
    kubectl("create", "role", "reader", "--verb=list", "--resource=pods")
    kubectl("create", "rolebinding", "reader", "--role=reader", f"--serviceaccount={kubectl.namespace}:default")
    token = kubectl("create", "token", "default", "--duration=20m").strip()
    # An empty kubeconfig: the admin's own credentials must not help.
    with_token = (
        "--kubeconfig=/dev/null", f"--server={kubectl.home.url}", "--insecure-skip-tls-verify", f"--token={token}",
    )  # fmt: skip
    assert f"system:serviceaccount:{kubectl.namespace}:default" in kubectl("auth", "whoami", *with_token)
    assert kubectl("get", "pods", "--output=name", *with_token) == ""
    refused = kubectl.run("get", "secrets", *with_token)
    assert refused.returncode == 1
    assert 'cannot list resource "secrets" in API group "" in the namespace' in refused.stderr


def test_auth_reconcile_brings_roles_to_what_a_file_says(kubectl: Client) -> None:
    role = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": {"name": "r", "namespace": kubectl.namespace},
        "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}],
    }
    kubectl("auth", "reconcile", "-f", "-", stdin=role)
    more = {**role, "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "watch"]}]}
    kubectl("auth", "reconcile", "-f", "-", stdin=more)
    verbs = {verb for rule in kubectl.get("role", "r")["rules"] for verb in rule["verbs"]}
    assert verbs == {"get", "watch"}
