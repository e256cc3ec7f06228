"""Writes the cases: ``python -m tests.golden.strategic.cases > cases.json``, the same ones in every run."""

from __future__ import annotations

import json
import random
from typing import Any

Json = dict[str, Any]

RANDOM_CASES = 80


def pod(**spec: Any) -> Json:
    """A Pod with this spec."""
    return {"metadata": {"name": "p"}, "spec": spec}


AB = [{"name": "a", "image": "a:1"}, {"name": "b", "image": "b:1"}]
ENV = [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}, {"name": "C", "value": "3"}]
PORTS = [{"port": 80, "name": "web"}, {"port": 443, "name": "tls"}]


def _case(name: str, current: Json, patch: Json, kind: str = "Pod") -> Json:
    return {"name": name, "kind": kind, "current": current, "patch": patch}


def _meta(**values: Any) -> Json:
    return {"metadata": values}


BY_HAND = [
    _case("empty", pod(containers=AB), {}),
    _case("change an item", pod(containers=AB), {"spec": {"containers": [{"name": "b", "image": "b:2"}]}}),
    _case("add an item", pod(containers=AB), {"spec": {"containers": [{"name": "c", "image": "c:1"}]}}),
    _case("add before", pod(containers=AB), {"spec": {"containers": [{"name": "c"}, {"name": "a", "tty": True}]}}),
    _case("delete an item", pod(containers=AB), {"spec": {"containers": [{"name": "a", "$patch": "delete"}]}}),
    _case("delete an absent item", pod(containers=AB), {"spec": {"containers": [{"name": "z", "$patch": "delete"}]}}),
    _case("delete without key", pod(containers=AB), {"spec": {"containers": [{"$patch": "delete"}]}}),
    _case("replace a list", pod(containers=AB), {"spec": {"containers": [{"$patch": "replace"}, {"name": "z"}]}}),
    _case("replace a list last", pod(containers=AB), {"spec": {"containers": [{"name": "z"}, {"$patch": "replace"}]}}),
    _case("replace by nothing", pod(containers=AB), {"spec": {"containers": [{"$patch": "replace"}]}}),
    _case(
        "merge directive in a list", pod(containers=AB), {"spec": {"containers": [{"name": "a", "$patch": "merge"}]}}
    ),
    _case("unknown directive in a list", pod(containers=AB), {"spec": {"containers": [{"name": "a", "$patch": "x"}]}}),
    _case("replace a map", pod(containers=AB), {"spec": {"$patch": "replace", "nodeName": "n"}}),
    _case(
        "delete a map", pod(containers=AB, affinity={"nodeAffinity": {}}), {"spec": {"affinity": {"$patch": "delete"}}}
    ),
    _case("merge directive in a map", pod(containers=AB), {"spec": {"$patch": "merge", "nodeName": "n"}}),
    _case("unknown directive in a map", pod(containers=AB), {"spec": {"$patch": "upsert", "nodeName": "n"}}),
    _case("null deletes", pod(containers=AB, nodeName="n"), {"spec": {"nodeName": None, "hostname": None}}),
    _case("nulls in a new map", pod(containers=AB), {"spec": {"securityContext": {"runAsUser": None, "fsGroup": 1}}}),
    _case("nulls in a new item", pod(containers=AB), {"spec": {"containers": [{"name": "c", "image": None}]}}),
    _case("directive in a new map", pod(containers=AB), {"spec": {"securityContext": {"$patch": "delete"}}}),
    _case(
        "directives in a new list", pod(), {"spec": {"containers": [{"name": "a", "$patch": "delete"}, {"name": "b"}]}}
    ),
    _case("item without key", pod(containers=AB), {"spec": {"containers": [{"image": "x"}]}}),
    _case("current item without key", pod(containers=[{"image": "x"}]), {"spec": {"containers": [{"name": "a"}]}}),
    _case("item that is no map", pod(containers=AB), {"spec": {"containers": ["a"]}}),
    _case("items of two kinds", pod(containers=AB), {"spec": {"containers": [{"name": "a"}, "b"]}}),
    _case("list of lists", _meta(finalizers=["a"]), {"metadata": {"finalizers": [["b"]]}}),
    _case("list for a map", pod(containers=AB), {"spec": {"securityContext": []}}),
    _case("map for a list", pod(containers=AB), {"spec": {"containers": {"name": "a"}}}),
    _case("twice the same key", pod(containers=[*AB, *AB]), {"spec": {"containers": [{"name": "a", "image": "x"}]}}),
    _case(
        "delete all of a key", pod(containers=[*AB, *AB]), {"spec": {"containers": [{"name": "a", "$patch": "delete"}]}}
    ),
    _case(
        "patch twice",
        pod(containers=AB),
        {"spec": {"containers": [{"name": "a", "tty": True}, {"name": "a", "stdin": True}]}},
    ),
    _case("finalizers are merged", _meta(finalizers=["a", "b"]), {"metadata": {"finalizers": ["c", "a"]}}),
    _case(
        "finalizers are deleted",
        _meta(finalizers=["a", "b"]),
        {"metadata": {"$deleteFromPrimitiveList/finalizers": ["a", "x"]}},
    ),
    _case("finalizers of nothing", _meta(name="p"), {"metadata": {"$deleteFromPrimitiveList/finalizers": ["a"]}}),
    _case(
        "finalizers in order",
        _meta(finalizers=["a", "b", "c"]),
        {"metadata": {"$setElementOrder/finalizers": ["c", "a"]}},
    ),
    _case(
        "all finalizers deleted", _meta(finalizers=["a"]), {"metadata": {"$deleteFromPrimitiveList/finalizers": ["a"]}}
    ),
    _case("bad directive for a list", _meta(finalizers=["a"]), {"metadata": {"$deleteFromPrimitiveList": ["a"]}}),
    _case("bad order directive", pod(containers=AB), {"spec": {"$setElementOrder": [{"name": "a"}]}}),
    _case("order that is no list", pod(containers=AB), {"spec": {"$setElementOrder/containers": {"name": "a"}}}),
    _case(
        "order without key",
        pod(containers=AB),
        {"spec": {"$setElementOrder/containers": [{"x": "a"}], "containers": [{"name": "a"}]}},
    ),
    _case("order", pod(containers=AB), {"spec": {"$setElementOrder/containers": [{"name": "b"}, {"name": "a"}]}}),
    _case(
        "order with a patch",
        pod(containers=[*AB, {"name": "c"}, {"name": "d"}]),
        {
            "spec": {
                "$setElementOrder/containers": [{"name": "d"}, {"name": "x"}, {"name": "a"}],
                "containers": [{"name": "x"}, {"name": "a", "tty": True}],
            }
        },
    ),
    _case(
        "order that contradicts the patch",
        pod(containers=AB),
        {
            "spec": {
                "$setElementOrder/containers": [{"name": "a"}, {"name": "b"}],
                "containers": [{"name": "b"}, {"name": "a"}],
            }
        },
    ),
    _case("order of an absent list", pod(), {"spec": {"$setElementOrder/containers": [{"name": "a"}]}}),
    _case(
        "order of a new list",
        pod(),
        {"spec": {"$setElementOrder/containers": [{"name": "b"}, {"name": "a"}], "containers": AB}},
    ),
    _case(
        "nested lists",
        pod(containers=[{"name": "a", "env": ENV}]),
        {
            "spec": {
                "containers": [
                    {
                        "name": "a",
                        "$setElementOrder/env": [{"name": "C"}, {"name": "A"}],
                        "env": [{"name": "A", "value": "9"}],
                    }
                ]
            }
        },
    ),
    _case(
        "lists without strategy",
        pod(containers=AB, tolerations=[{"key": "a"}]),
        {"spec": {"tolerations": [{"key": "b"}]}},
    ),
    _case(
        "list of scalars",
        pod(containers=[{"name": "a", "args": ["x", "y"]}]),
        {"spec": {"containers": [{"name": "a", "args": ["z"]}]}},
    ),
    _case("empty list", pod(containers=AB), {"spec": {"containers": []}}),
    _case("empty map", pod(containers=AB, securityContext={"runAsUser": 1}), {"spec": {"securityContext": {}}}),
    _case("labels", _meta(labels={"a": "1", "b": "2"}), {"metadata": {"labels": {"a": None, "c": "3"}}}),
    _case("replace labels", _meta(labels={"a": "1"}), {"metadata": {"labels": {"$patch": "replace", "c": "3"}}}),
    _case(
        "retain keys",
        pod(volumes=[{"name": "v", "emptyDir": {}}]),
        {"spec": {"volumes": [{"name": "v", "$retainKeys": ["name", "hostPath"], "hostPath": {"path": "/"}}]}},
    ),
    _case(
        "retain keys that miss one",
        pod(volumes=[{"name": "v", "emptyDir": {}}]),
        {"spec": {"volumes": [{"name": "v", "$retainKeys": ["name"], "hostPath": {"path": "/"}}]}},
    ),
    _case(
        "retain keys that are no list",
        pod(volumes=[{"name": "v"}]),
        {"spec": {"volumes": [{"name": "v", "$retainKeys": "name"}]}},
    ),
    _case(
        "retain keys with null",
        pod(volumes=[{"name": "v", "emptyDir": {}}]),
        {"spec": {"volumes": [{"name": "v", "$retainKeys": ["name"], "emptyDir": None}]}},
    ),
    _case(
        "strategy",
        {"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}},
        {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}},
        "Deployment",
    ),
    _case(
        "service ports",
        {"spec": {"ports": PORTS}},
        {"spec": {"ports": [{"port": 80, "targetPort": "http"}, {"port": 8080}]}},
        "Service",
    ),
    _case(
        "service port deleted",
        {"spec": {"ports": PORTS}},
        {"spec": {"ports": [{"port": 443, "$patch": "delete"}]}},
        "Service",
    ),
    _case("data", {"data": {"a": "1", "b": "2"}}, {"data": {"b": None, "c": "3"}}, "ConfigMap"),
    _case("scalar for a map", {"data": {"a": "1"}}, {"data": "x"}, "ConfigMap"),
    _case(
        "owner references",
        _meta(ownerReferences=[{"uid": "1", "name": "a"}]),
        {"metadata": {"ownerReferences": [{"uid": "2"}, {"uid": "1", "$patch": "delete"}]}},
    ),
]


class Dice:
    """Draws Deployments, and makes the three of them that kubectl apply works with."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def case(self, number: int) -> Json:
        """What was applied, what shall be applied, and what somebody else has made of it meanwhile."""
        original = self.deployment()
        versions = {
            "original": original,
            "modified": self.deployment(),
            "current": self.mixed(original, self.deployment()),
        }
        return {"name": f"chance {number:02}", "kind": "Deployment", **versions}

    def deployment(self) -> Json:
        """Any Deployment."""
        template = {"spec": {"containers": self.keyed("name", "abcd", self.container), "volumes": self.volumes()}}
        if self.chance():
            template["spec"]["tolerations"] = [{"key": key} for key in self.some("xy")]
        metadata = {"labels": {name: self.word() for name in self.some("abc")}, "finalizers": self.some("fghi")}
        return {"metadata": metadata, "spec": {"replicas": self._random.randrange(3), "template": template}}

    def container(self) -> Json:
        """Any container but for its name."""
        ports = self.keyed("containerPort", (80, 443, 53), lambda: {"name": self.word()})
        result: Json = {
            "image": self.word(),
            "env": self.keyed("name", "ABCD", lambda: {"value": self.word()}),
            "ports": ports,
        }
        return {key: result[key] for key in self.some(tuple(result))} | {"args": self.some("uvw")}

    def volumes(self) -> list[Json]:
        """Volumes of different kinds, which retain only the keys of their kind."""
        sources: list[Json] = [{"emptyDir": {}}, {"hostPath": {"path": "/"}}, {"secret": {"secretName": "s"}}]
        return self.keyed("name", "stu", lambda: self._random.choice(sources))

    def keyed(self, key: str, names: Any, make: Any) -> list[Json]:
        """A list of items with different keys."""
        return [{key: name, **make()} for name in self.some(names)]

    def mixed(self, one: Any, other: Any) -> Any:
        """Partly the one, partly the other."""
        if not (isinstance(one, dict) and isinstance(other, dict)):
            return one if self.chance() else other
        return {key: self.mixed(one.get(key, value), value) for key, value in {**one, **other}.items()}

    def word(self) -> str:
        """One of two words."""
        return self._random.choice(("x", "y"))

    def some(self, choices: Any) -> list[Any]:
        """About half of the choices, in any order."""
        chosen = [choice for choice in choices if self.chance()]
        self._random.shuffle(chosen)
        return chosen

    def chance(self) -> bool:
        """Yes or no."""
        return self._random.random() < 0.6


def all_cases() -> list[Json]:
    """Those made by hand and those made by chance."""
    return BY_HAND + [Dice(number).case(number) for number in range(RANDOM_CASES)]


if __name__ == "__main__":
    print("[\n" + ",\n".join(json.dumps(case) for case in all_cases()) + "\n]")
