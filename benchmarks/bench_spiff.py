"""How long a mapping document takes: `python benchmarks/bench_spiff.py` prints the times and the share of the target.

The document is what blueprints are made of: about 300 lines of literals, references, texts put together, conditions,
defaults, a few lambdas and mappings, with imports bound from outside and one stub.
"""

from __future__ import annotations

import time
from typing import Any

from landform.spiff import evaluate
from landform.spiff.grammar import parser

TARGET_MS = 20.0
ROUNDS = 30
SERVICES = 18

HEAD = """\
lib:
  <<: (( &temporary ))
  label: (( |name|->{ "app" = name, "stage" = imports.stage } ))
  host: (( |name|->name "." imports.domain ))
defaults:
  <<: (( &temporary ))
  replicas: 1
  image: (( imports.registry "/base:" imports.version ))
"""

SERVICE = """\
service{n}:
  name: (( imports.prefix "-service-{n}" ))
  namespace: (( imports.namespace ))
  replicas: (( imports.sizes.service{n} || defaults.replicas ))
  labels: (( lib.label(name) ))
  image:
    repository: (( defaults.image ))
    tag: (( imports.version ))
    pullPolicy: IfNotPresent
  ingress:
    enabled: (( imports.public ? true :false ))
    host: (( lib.host(name) ))
    tls: (( defined(imports.tls) ? imports.tls :"none" ))
  ports: (( map[imports.ports|p|->{{ "port" = p, "name" = "port-" p }}] ))
  env: (( map[imports.env|k,v|->k "=" v] ))
"""

STUB = "service3:\n  image:\n    pullPolicy: Always\n"

VALUES: dict[str, Any] = {
    "imports": {
        "prefix": "shop",
        "namespace": "shop",
        "stage": "dev",
        "domain": "dev.example.org",
        "registry": "reg.example.org",
        "version": "1.4.0",
        "public": True,
        "ports": [80, 443, 8080],
        "env": {"LOG": "info", "REGION": "eu", "MODE": "fast"},
        "sizes": {f"service{n}": n for n in range(0, SERVICES, 2)},
    }
}


def document() -> str:
    """The mapping document."""
    return HEAD + "".join(SERVICE.format(n=n) for n in range(SERVICES))


def milliseconds(text: str, *, forget: bool) -> float:
    """The best time of an evaluation; `forget`: expressions are parsed anew in every round."""
    times = []
    for _ in range(ROUNDS):
        if forget:
            parser._parse_anywhere.cache_clear()
            parser._parse_at.cache_clear()
        start = time.perf_counter()
        outcome = evaluate(text, VALUES, stubs=[STUB])
        times.append(time.perf_counter() - start)
    assert outcome.result["service3"]["image"]["pullPolicy"] == "Always"
    return min(times) * 1000


def main() -> None:
    """Prints the times."""
    text = document()
    first, again = milliseconds(text, forget=True), milliseconds(text, forget=False)
    print(f"mapping document of {text.count(chr(10))} lines, target {TARGET_MS:g} ms")
    print(f"  for the first time: {first:6.1f} ms ({first / TARGET_MS:.0%} of the target)")
    print(f"  once parsed:        {again:6.1f} ms ({again / TARGET_MS:.0%} of the target)")


if __name__ == "__main__":
    main()
