"""How long templates take to render, against the gotpl package and real Go. Prints the times and their ratios.

Run: python benchmarks/bench_gotemplate.py
gotpl is only a yardstick: install it beside Landform to see that column. Go is used when it is on the PATH.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import shutil
import subprocess
import timeit
from pathlib import Path
from typing import TYPE_CHECKING, Any

from landform.gotemplate import SPRIG, Template

if TYPE_CHECKING:
    from collections.abc import Callable

FASTER_THAN_GOTPL = 5
"""How many times as fast as gotpl a render must be."""

SLOWER_THAN_GO = 20
"""How many times the time of real Go a render may take."""

ROUNDS = 5
_HERE = Path(__file__).parent
_GOLDEN = _HERE.parent / "tests" / "golden" / "gotemplate"
_LOOP = "{{ range $i, $e := .items }}{{ if $i }}, {{ end }}{{ $e.name }}={{ $e.value }}{{ end }}\n"


def _loop_data() -> dict[str, Any]:
    return {"items": [{"name": f"item-{number}", "value": number} for number in range(50)]}


def _rules(kind: str) -> dict[str, Any]:
    return {
        "rules": [
            {"name": f"{kind}{number}", "enabled": number % 2 == 0, "targets": ["a", "b"][: number % 3], "path": "/x"}
            for number in range(3)
        ]
    }


def _execution_data() -> dict[str, Any]:
    services = [
        {
            "name": f"service-{number}",
            "image": "shop/web",
            "tag": "1.4.2",
            "replicas": number % 3,
            "ports": [{"name": "http", "port": 8080}, {"name": "metrics", "port": 9090}],
            "env": {"mode": "live", "log_level": "info", "region": "eu"},
            "probe": "/healthz",
            "tier": ("gold", "silver", "bronze")[number % 3],
            "serviceAccount": "runner",
        }
        for number in range(5)
    ]
    return {
        "imports": {
            "namespace": "shop",
            "registry": "registry.example.com",
            "labels": {"team": "a", "stage": "live"},
            "settings": {"retries": 3, "timeout": "30s", "ratio": 0.5},
            "domain": "Shop.Example.Com",
            "tls": True,
            "services": services,
            **{kind: _rules(kind) for kind in ("ingress", "backup", "monitoring")},
        }
    }


def best(render: Callable[[], object]) -> float:
    """Seconds of one render, the best of some rounds."""
    timer = timeit.Timer(render)
    repeats, _ = timer.autorange()
    return min(timer.repeat(ROUNDS, repeats)) / repeats


def gotpl_seconds(text: str, data: Any) -> float | None:
    """Seconds of one render by gotpl, when it is installed; it borrows our functions, having none of sprig's."""
    if importlib.util.find_spec("gotpl") is None:
        return None
    functions = {name: function.call for name, function in SPRIG.items()}
    template = importlib.import_module("gotpl").Template(text, functions=functions)
    return best(lambda: template.render(data))


def go_seconds(text: str, data: Any) -> float | None:
    """Seconds of one render by real Go, when it is on the PATH."""
    if shutil.which("go") is None:
        return None
    case = json.dumps({"text": text, "data": data})
    run = subprocess.run(
        ["go", "run", ".", "measure"], cwd=_GOLDEN, input=case, capture_output=True, text=True, check=True
    )
    return int(run.stdout) / 1e9


def main() -> None:
    """Measures both templates and prints a line for each."""
    pages = {
        "50 items": (_LOOP, _loop_data()),
        "execution": ((_HERE / "gotemplate" / "execution.tmpl").read_text(), _execution_data()),
    }
    for name, (text, data) in pages.items():
        template = Template(text)
        ours = best(lambda template=template, data=data: template.render(data))  # type: ignore[misc]
        line = f"{name:10} {ours * 1e6:8.1f} µs"
        gotpl = gotpl_seconds(text, data)
        if gotpl is not None:
            line += f"   gotpl {gotpl * 1e6:9.1f} µs, {gotpl / ours:5.1f} times ours (target {FASTER_THAN_GOTPL})"
        go = go_seconds(text, data)
        if go is not None:
            line += f"   Go {go * 1e6:7.1f} µs, ours {ours / go:5.1f} times that (limit {SLOWER_THAN_GO})"
        print(line)
        parse = best(lambda text=text: Template(text))  # type: ignore[misc]
        print(f"{'':10} {parse * 1e6:8.1f} µs to parse and compile")


if __name__ == "__main__":
    main()
