"""Options of commands that read components: where repositories in files lie, credentials, limits, verification."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import click

from landform.components.httpclients import HttpSettings, proxies_of_environment
from landform.components.limits import DEFAULT, Limits
from landform.components.settings import Repositories
from landform.components.verification import Policy

F = TypeVar("F", bound=Callable[..., Any])

CACHE = "components"
"""The folder of a data folder in which content is kept."""

_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_SIZE = re.compile(r"(\d+)(|Ki|Mi|Gi)")
_UNITS = {"": 1, "Ki": 1024, "Mi": 1024**2, "Gi": 1024**3}
_CACHE_LIMIT = "cache"


def _limits(_context: click.Context, _parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, int]:
    """Numbers by name, of words such as ``content=1Gi``."""
    names = [_CACHE_LIMIT, *(field.name for field in fields(Limits))]
    found = {}
    for word in given:
        name, _, text = word.partition("=")
        size = _SIZE.fullmatch(text)
        if name not in names or size is None:
            raise click.BadParameter(f"{word} is no limit; give NAME=NUMBER with one of {', '.join(names)}")
        found[name] = int(size[1]) * _UNITS[size[2]]
    return found


@dataclass(frozen=True)
class Access:
    """What was chosen about component repositories."""

    root: Path | None = None
    docker_configs: tuple[Path, ...] = ()
    registry_ca: Path | None = None
    limits: dict[str, int] | None = None
    policy: Policy = Policy.DO_NOT_ENFORCE

    @property
    def is_default(self) -> bool:
        """Whether nothing was chosen."""
        return self == Access(limits={}) or self == Access()

    def repositories(self, cache: Path) -> Repositories:
        """The settings, with a folder for content."""
        given = dict(self.limits or {})
        made = Repositories(
            cache,
            root=self.root,
            docker_configs=self.docker_configs,
            http=HttpSettings(ca_file=self.registry_ca, proxies=proxies_of_environment()),
            policy=self.policy,
        )
        limit = given.pop(_CACHE_LIMIT, made.cache_limit)
        return replace(made, cache_limit=limit, limits=replace(DEFAULT, **given))


def user_cache() -> Path:
    """Where content is kept by commands without a data folder."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "landform" / CACHE


def cache_choice(function: F) -> F:
    """The option ``--component-cache`` of commands without a data folder; the command gets `component_cache`."""
    return click.option(
        "--component-cache",
        type=click.Path(path_type=Path, file_okay=False),
        default=user_cache,
        show_default="~/.cache/landform/components",
        help="Folder in which content of components is kept; processes may share it.",
    )(function)


def registry_choice(function: Any) -> Any:
    """Options for reading from registries; the command gets `access`."""

    @functools.wraps(function)
    def wrapped(
        *args: Any,
        docker_configs: tuple[Path, ...],
        registry_ca: Path | None,
        component_limits: dict[str, int],
        **rest: Any,
    ) -> Any:
        access = Access(docker_configs=docker_configs, registry_ca=registry_ca, limits=component_limits)
        return function(*args, access=access, **rest)

    for option in (
        click.option(
            "--component-limit",
            "component_limits",
            metavar="NAME=NUMBER",
            multiple=True,
            callback=_limits,
            help="Read no more of a component than this, such as content=1Gi. May be repeated.",
        ),
        click.option("--registry-ca", type=_FILE, help="File with further certificate authorities for registries."),
        click.option(
            "--docker-config",
            "docker_configs",
            type=_FILE,
            multiple=True,
            help="Docker configuration file with credentials for registries. May be repeated.",
        ),
    ):
        wrapped = option(wrapped)
    return wrapped


def repository_choice(function: Any) -> Any:
    """All options about component repositories of commands that run controllers; the command gets `access`."""

    @functools.wraps(function)
    def wrapped(*args: Any, access: Access, component_root: Path | None, verification: str, **rest: Any) -> Any:
        root = component_root.absolute() if component_root is not None else None
        return function(*args, access=replace(access, root=root, policy=Policy(verification)), **rest)

    return click.option(
        "--component-root",
        type=_FOLDER,
        help="Folder that component repositories in files lie in; nothing outside of it is read.",
    )(
        click.option(
            "--verification",
            type=click.Choice([str(policy) for policy in Policy]),
            default=str(Policy.DO_NOT_ENFORCE),
            show_default=True,
            help="Which Installations must have a signed component: those that ask, all, or none.",
        )(registry_choice(wrapped))
    )
