"""Where scenarios are: in files and modules that people name, or in the usual folder."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from landform.kit.errors import LandformError
from landform.testing.simulation.scenarios import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

USUAL_PLACE = "tests/simulation/scenarios"
"""Folder, from where the command is run, whose files are looked at if none is named."""


class NoScenario(LandformError):
    """There is no scenario where one was looked for."""


def find(places: Iterable[str] = ()) -> dict[str, Scenario]:
    """The scenarios of all places, by name.

    A place is a file, a folder of files, a module, or ``PLACE:NAME`` for a single variable of it. Every variable of a
    module that is a Scenario, or a list of some, counts.
    """
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    found: dict[str, Scenario] = {}
    for place in tuple(places) or (USUAL_PLACE,):
        for scenario in _scenarios(place):
            if found.setdefault(scenario.name, scenario) is not scenario:
                raise NoScenario(f"two scenarios are called {scenario.name!r}; give one of them another name")
    return found


def _scenarios(place: str) -> list[Scenario]:
    where, _, name = place.partition(":")
    path = Path(where)
    if path.is_dir():
        modules = [_load(file) for file in sorted(path.glob("*.py")) if file.name != "__init__.py"]
    elif path.suffix == ".py":
        modules = [_load(path)]
    else:
        modules = [_import(where)]
    found = [
        scenario
        for module in modules
        for variable, value in vars(module).items()
        if name in ("", variable)
        for scenario in _within(value)
    ]
    if not found:
        raise NoScenario(f"{place} holds no Scenario; name a file, a folder, a module, or one of them with :VARIABLE")
    return list({id(scenario): scenario for scenario in found}.values())


def _within(value: object) -> list[Scenario]:
    """The scenarios that a variable holds."""
    values = value if isinstance(value, list | tuple) else (value,)
    return [scenario for scenario in values if isinstance(scenario, Scenario)]


def _load(path: Path) -> ModuleType:
    """A file as a module, under the name that an import from here would give it."""
    name = ".".join(path.with_suffix("").parts) if not path.is_absolute() else path.stem
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.exists():
        raise NoScenario(f"there is no file {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _import(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and not name.startswith(error.name):
            raise
        raise NoScenario(f"there is no file, folder or module {name}") from error
