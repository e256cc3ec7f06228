"""Kubeconfig files and the files that a pod finds: from them to a `Connection`.

A kubeconfig may name files to read and a program to run. People's own may; one that somebody else wrote (in a Target)
must not, or it could read our secrets and send them to a server of its choice: `parse` refuses both unless told.
"""

from __future__ import annotations

import base64
import binascii
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from landform.cluster import kubeconfigfiles
from landform.cluster.connections import Connection
from landform.cluster.credentials import (
    ClientCertificate,
    Credential,
    Credentials,
    FixedCredentials,
    TokenFileCredentials,
    basic,
    bearer,
)
from landform.cluster.errors import ConfigurationError
from landform.cluster.execplugins import API_VERSIONS, ExecCredentials, ExecPlugin

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from landform.cluster.kubeconfigfiles import Cluster, Context, Document, Entry, Exec, User
    from landform.kit.clocks import Clock

SERVICE_ACCOUNT_FOLDER = Path("/var/run/secrets/kubernetes.io/serviceaccount")
"""Where a pod finds its token, the cluster's authority and its namespace."""

T = TypeVar("T")

_CLUSTER_EXTENSION = "client.authentication.k8s.io/exec"


def load(
    path: Path | str | Sequence[Path] | None = None,
    context: str | None = None,
    *,
    exec_plugins: bool = False,
    clock: Clock | None = None,
) -> Connection:
    """The connection that a kubeconfig file describes; by default that of ``~/.kube/config``.

    Several files (the parts of KUBECONFIG) are merged as kubectl does: what an earlier one says counts, and those
    that are not there are left out. Reads files, so not for the event loop.
    """
    if isinstance(path, (str, Path)) or path is None:
        chosen = Path(path) if path is not None else Path.home() / ".kube" / "config"
        document = kubeconfigfiles.read(chosen)
    else:
        found = [each for each in path if each.exists()]
        if not found:
            raise ConfigurationError(f"none of these kubeconfigs is there: {', '.join(map(str, path))}")
        document = kubeconfigfiles.merged([kubeconfigfiles.read(each) for each in found])
    return _Resolver(document, may_run=exec_plugins, clock=clock).connection(context)


def parse(
    text: str | bytes,
    context: str | None = None,
    *,
    source: str = "the kubeconfig",
    clock: Clock | None = None,
) -> Connection:
    """The connection that the text of a kubeconfig describes, which may neither name files nor programs."""
    document = kubeconfigfiles.document(text, source, folder=None)
    return _Resolver(document, may_run=False, clock=clock).connection(context)


def in_cluster(
    environ: Mapping[str, str] | None = None,
    *,
    folder: Path = SERVICE_ACCOUNT_FOLDER,
    clock: Clock | None = None,
) -> Connection:
    """The connection that a pod has by its service account; ConfigurationError outside of a pod."""
    environ = os.environ if environ is None else environ
    host, port = environ.get("KUBERNETES_SERVICE_HOST", ""), environ.get("KUBERNETES_SERVICE_PORT", "")
    if not host or not port:
        raise ConfigurationError(
            "not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set; name a kubeconfig"
        )
    try:
        ca = (folder / "ca.crt").read_bytes()
        namespace = (folder / "namespace").read_text().strip()
    except OSError as fault:
        raise ConfigurationError(f"the pod has no usable service account: {fault}") from fault
    return Connection(
        server=f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}",
        credentials=TokenFileCredentials(folder / "token", clock=clock),
        ca=ca,
        namespace=namespace or "default",
        source="the pod's service account",
    )


@dataclass(frozen=True)
class _Resolver:
    """Follows the names in a kubeconfig from a context to a connection."""

    document: Document
    may_run: bool
    clock: Clock | None

    def connection(self, name: str | None) -> Connection:
        context = self._context(name)
        cluster = self._named(context, "cluster", context.value.cluster, self.document.clusters)
        user = self._named(context, "user", context.value.user, self.document.users) if context.value.user else None
        found, source = cluster.value, f'{cluster.source}, cluster "{cluster.name}"'
        if not found.server:
            raise ConfigurationError(f"{source}: it names no server")
        ca = _content(
            cluster, source, "certificate-authority", found.certificate_authority_data, found.certificate_authority
        )
        if ca and found.insecure_skip_tls_verify:
            raise ConfigurationError(f"{source}: certificate-authority makes no sense with insecure-skip-tls-verify")
        return Connection(
            server=found.server,
            credentials=self._credentials(user, cluster, ca) if user else FixedCredentials(),
            ca=ca,
            insecure=bool(found.insecure_skip_tls_verify),
            tls_server_name=found.tls_server_name or "",
            proxy_url=found.proxy_url or "",
            namespace=context.value.namespace or "default",
            headers=tuple(_impersonation(user.value)) if user else (),
            source=source,
        )

    def _context(self, name: str | None) -> Entry[Context]:
        chosen, known = name or self.document.current_context, self.document.contexts
        if chosen in known:
            return known[chosen]
        have = f"it has {_listed(known)}" if known else "it has no contexts"
        if not chosen:
            raise ConfigurationError(f"{self.document.source}: no context is named, by you or by the file; {have}")
        raise ConfigurationError(f'{self.document.source}: there is no context "{chosen}"; {have}')

    def _named(self, context: Entry[Context], kind: str, name: str | None, known: Mapping[str, Entry[T]]) -> Entry[T]:
        if not name:
            raise ConfigurationError(f'{context.source}: context "{context.name}" names no {kind}')
        if name not in known:
            message = f'{context.source}: context "{context.name}" names {kind} "{name}", which is not in the file'
            raise ConfigurationError(message)
        return known[name]

    def _credentials(self, entry: Entry[User], cluster: Entry[Cluster], ca: bytes | None) -> Credentials:
        """As kubectl chooses: a token before a token file, a password, a program; a certificate beside each."""
        user, source = entry.value, f'{entry.source}, user "{entry.name}"'
        certificate = _certificate(entry, source)
        if user.token_file and not user.token:
            path = _path(entry, source, "tokenFile", user.token_file)
            return TokenFileCredentials(path, certificate=certificate, clock=self.clock)
        if user.token:
            return FixedCredentials(bearer(user.token, certificate))
        if user.username or user.password:
            return FixedCredentials(basic(user.username or "", user.password or "", certificate))
        if user.exec is not None:
            return ExecCredentials(self._plugin(entry, user.exec, source, cluster, ca), clock=self.clock)
        if user.auth_provider is not None:
            raise ConfigurationError(f"{source}: auth-provider is no longer supported by Kubernetes; use exec")
        return FixedCredentials(Credential(certificate=certificate))

    def _plugin(
        self, entry: Entry[User], program: Exec, source: str, cluster: Entry[Cluster], ca: bytes | None
    ) -> ExecPlugin:
        if not self.may_run:
            message = f"{source}: its credentials come from the program {program.command!r}, which is not run here"
            raise ConfigurationError(f"{message}; use a token or a client certificate")
        if not program.command:
            raise ConfigurationError(f"{source}: exec names no command")
        if program.api_version not in API_VERSIONS:
            known = " and ".join(API_VERSIONS)
            raise ConfigurationError(f"{source}: exec has apiVersion {program.api_version!r}; known are {known}")
        mode = program.interactive_mode or "IfAvailable"
        if mode not in ("Never", "IfAvailable", "Always"):
            raise ConfigurationError(f"{source}: exec has the unknown interactiveMode {mode!r}")
        return ExecPlugin(
            command=_command(entry, program.command),
            api_version=program.api_version,
            arguments=tuple(program.args or ()),
            environment={variable.name: variable.value for variable in program.env or ()},
            interactive_mode=mode,
            cluster=_cluster_info(cluster.value, ca) if program.provide_cluster_info else None,
            install_hint=program.install_hint or "",
            source=source,
        )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _certificate(entry: Entry[User], source: str) -> ClientCertificate | None:
    user = entry.value
    certificate = _content(entry, source, "client-certificate", user.client_certificate_data, user.client_certificate)
    key = _content(entry, source, "client-key", user.client_key_data, user.client_key)
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise ConfigurationError(f"{source}: client-certificate and client-key must come together")
    return ClientCertificate(certificate, key)


def _content(entry: Entry[Any], source: str, field: str, data: str | None, path: str | None) -> bytes | None:
    """What a field holds, be it as data or in a file; the data counts if there are both."""
    if data:
        try:
            return base64.b64decode("".join(data.split()), validate=True)
        except (binascii.Error, ValueError) as fault:
            raise ConfigurationError(f"{source}: {field}-data is not base64: {fault}") from fault
    if not path:
        return None
    file = _path(entry, source, field, path)
    try:
        return file.read_bytes()
    except OSError as fault:
        raise ConfigurationError(f"{source}: {field} {file} cannot be read: {fault.strerror or fault}") from fault


def _path(entry: Entry[Any], source: str, field: str, path: str) -> Path:
    if entry.folder is None:
        raise ConfigurationError(
            f"{source}: {field} names a file, which is not read here; put its content in the kubeconfig"
        )
    return entry.folder / path


def _command(entry: Entry[User], command: str) -> str:
    """As kubectl: a bare name is looked for in PATH, a relative path starts at the kubeconfig."""
    return str(entry.folder / command) if entry.folder and os.sep in command else command


def _cluster_info(cluster: Cluster, ca: bytes | None) -> dict[str, Any]:
    """What a program is told of the cluster, in the words of ExecCredential."""
    config = next((each.extension for each in cluster.extensions or () if each.name == _CLUSTER_EXTENSION), None)
    info = {
        "server": cluster.server,
        "tls-server-name": cluster.tls_server_name,
        "insecure-skip-tls-verify": cluster.insecure_skip_tls_verify,
        "certificate-authority-data": base64.b64encode(ca).decode() if ca else None,
        "proxy-url": cluster.proxy_url,
        "config": config,
    }
    return {name: value for name, value in info.items() if value}


def _impersonation(user: User) -> Iterator[tuple[str, str]]:
    """The headers that ask the cluster to treat us as someone else."""
    if user.impersonate:
        yield "Impersonate-User", user.impersonate
    if user.impersonate_uid:
        yield "Impersonate-Uid", user.impersonate_uid
    for group in user.impersonate_groups or ():
        yield "Impersonate-Group", group
    for key, values in (user.impersonate_extra or {}).items():
        for value in values:
            yield f"Impersonate-Extra-{quote(key, safe='')}", value
