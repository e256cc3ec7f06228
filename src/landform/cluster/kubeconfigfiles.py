"""The text of kubeconfig files: its format, and how several files become one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec
import yaml

from landform.cluster.errors import ConfigurationError
from landform.kit import yamls

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

T = TypeVar("T")


class Extension(msgspec.Struct):
    """Data that a tool keeps in a kubeconfig."""

    name: str = ""
    extension: Any = None


class Cluster(msgspec.Struct, rename="kebab"):
    """Where a cluster is and how it proves itself."""

    server: str | None = None
    certificate_authority: str | None = None
    certificate_authority_data: str | None = None
    insecure_skip_tls_verify: bool | None = None
    tls_server_name: str | None = None
    proxy_url: str | None = None
    extensions: list[Extension] | None = None


class Variable(msgspec.Struct):
    """One environment variable of a program."""

    name: str
    value: str


class Exec(msgspec.Struct, rename="camel"):
    """A program that gives credentials."""

    command: str = ""
    api_version: str = ""
    args: list[str] | None = None
    env: list[Variable] | None = None
    interactive_mode: str | None = None
    provide_cluster_info: bool | None = None
    install_hint: str | None = None


class User(msgspec.Struct, rename="kebab"):
    """Who we are."""

    token: str | None = None
    token_file: str | None = msgspec.field(default=None, name="tokenFile")
    client_certificate: str | None = None
    client_certificate_data: str | None = None
    client_key: str | None = None
    client_key_data: str | None = None
    username: str | None = None
    password: str | None = None
    exec: Exec | None = None
    auth_provider: Any = None
    impersonate: str | None = msgspec.field(default=None, name="as")
    impersonate_uid: str | None = msgspec.field(default=None, name="as-uid")
    impersonate_groups: list[str] | None = msgspec.field(default=None, name="as-groups")
    impersonate_extra: dict[str, list[str]] | None = msgspec.field(default=None, name="as-user-extra")


class Context(msgspec.Struct):
    """A cluster, a user and a namespace under one name."""

    cluster: str | None = None
    user: str | None = None
    namespace: str | None = None


class _NamedCluster(msgspec.Struct):
    name: str
    cluster: Cluster | None = None


class _NamedUser(msgspec.Struct):
    name: str
    user: User | None = None


class _NamedContext(msgspec.Struct):
    name: str
    context: Context | None = None


class _File(msgspec.Struct, rename="kebab"):
    current_context: str | None = None
    clusters: list[_NamedCluster] | None = None
    users: list[_NamedUser] | None = None
    contexts: list[_NamedContext] | None = None


@dataclass(frozen=True)
class Entry(Generic[T]):
    """One named part of a kubeconfig, and where it stands."""

    name: str
    value: T
    source: str
    """How to name the file in messages."""

    folder: Path | None
    """What relative paths in it start from; None if it may not name files at all."""


@dataclass(frozen=True)
class Document:
    """A kubeconfig, from one file or several."""

    source: str
    current_context: str
    clusters: Mapping[str, Entry[Cluster]]
    users: Mapping[str, Entry[User]]
    contexts: Mapping[str, Entry[Context]]


def read(path: Path) -> Document:
    """What the file holds."""
    source = f"kubeconfig {path}"
    try:
        text = path.read_bytes()
    except OSError as fault:
        raise ConfigurationError(f"{source} cannot be read: {fault.strerror or fault}") from fault
    return document(text, source, path.absolute().parent)


def document(text: str | bytes, source: str, folder: Path | None) -> Document:
    """What the text holds; ConfigurationError names the field that is wrong."""
    try:
        content = msgspec.convert(yamls.load(text if isinstance(text, str) else text.decode()) or {}, _File)
    except yaml.YAMLError as fault:
        where = fault.problem_mark if isinstance(fault, yaml.MarkedYAMLError) else None
        place = f" (line {where.line + 1}, column {where.column + 1})" if where is not None else ""
        raise ConfigurationError(f"{source} is not YAML{place}") from fault
    except (msgspec.ValidationError, ValueError, RecursionError) as fault:
        raise ConfigurationError(f"{source} is not a kubeconfig: {fault}") from fault

    def entries(kind: str, found: Iterable[tuple[str, T | None]], empty: type[T]) -> dict[str, Entry[T]]:
        result: dict[str, Entry[T]] = {}
        for name, value in found:
            if name in result:
                raise ConfigurationError(f'{source}: {kind} "{name}" is there twice')
            result[name] = Entry(name, value if value is not None else empty(), source, folder)
        return result

    return Document(
        source=source,
        current_context=content.current_context or "",
        clusters=entries("cluster", ((each.name, each.cluster) for each in content.clusters or ()), Cluster),
        users=entries("user", ((each.name, each.user) for each in content.users or ()), User),
        contexts=entries("context", ((each.name, each.context) for each in content.contexts or ()), Context),
    )


def merged(documents: Sequence[Document]) -> Document:
    """All of them as one; what an earlier one says counts."""
    clusters: dict[str, Entry[Cluster]] = {}
    users: dict[str, Entry[User]] = {}
    contexts: dict[str, Entry[Context]] = {}
    for each in reversed(documents):
        clusters |= each.clusters
        users |= each.users
        contexts |= each.contexts
    return Document(
        source=", ".join(each.source for each in documents),
        current_context=next(filter(None, (each.current_context for each in documents)), ""),
        clusters=clusters,
        users=users,
        contexts=contexts,
    )
