"""A control plane that runs: etcd, kube-apiserver and kube-controller-manager on free loopback ports."""

from __future__ import annotations

import json
import os
import secrets
import ssl
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Self

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from tests.cluster.controlplane import build, parts, watchdog

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

PORT_ATTEMPTS = 5

AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [{"level": "Metadata"}],
}


class KubectlError(Exception):
    """kubectl said no; the text is what it wrote to its standard error."""


class ControlPlane:
    """A Kubernetes control plane of its own, from `with ControlPlane() as plane` to the end of the block.

    Everything it writes lies in one temporary folder. When the block ends, or the process that runs it ends in any
    way, its processes are killed and the folder is removed. Several can run at the same time. Linux only: the
    watchdog finds the processes in /proc.
    """

    folder: Path
    """Holds the logs, the certificates and etcd's data."""

    url: str
    """Where the API server listens, such as ``https://127.0.0.1:40123``."""

    def __init__(self, *, durable: bool = False, audit: bool = False) -> None:
        """`durable`: etcd syncs every write to disk, as in production. `audit`: log every request to `audit_log`."""
        self._durable = durable
        self._audit = audit
        self._parts: list[parts.Part] = []
        self._watchdog: subprocess.Popen[bytes] | None = None
        self.token = secrets.token_hex(16)
        """Bearer token of ``admin``, who is in system:masters."""
        self.alice_token = secrets.token_hex(16)
        """Bearer token of ``alice``, an ordinary user without any rights of her own."""

    def __enter__(self) -> Self:
        self._binaries = build.binaries()
        self.folder = Path(tempfile.mkdtemp(prefix="landform-controlplane-"))
        self._watchdog = subprocess.Popen(
            [sys.executable, watchdog.__file__, str(self.folder)], stdin=subprocess.PIPE, process_group=0
        )
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def kubeconfig(self) -> Path:
        """Path of the administrator's kubeconfig."""
        return self.folder / "admin.kubeconfig"

    @property
    def alice_kubeconfig(self) -> Path:
        """Path of alice's kubeconfig."""
        return self.folder / "alice.kubeconfig"

    @property
    def ca(self) -> Path:
        """Path of the certificate that vouches for the API server, PEM."""
        return self.folder / "certificates" / "apiserver.crt"

    @property
    def audit_log(self) -> Path:
        """Path of the log with one JSON object per answered request; exists with `audit` only."""
        return self.folder / "audit.log"

    def kubectl(self, *arguments: str, input: str | None = None) -> str:
        """What kubectl prints, run as the administrator."""
        command = [str(self._binaries / "kubectl"), f"--kubeconfig={self.kubeconfig}", *arguments]
        # HOME is where kubectl caches discovery; the user's own must not mix with ours.
        environment = {**os.environ, "HOME": str(self.folder)}
        done = subprocess.run(command, input=input, capture_output=True, text=True, check=False, env=environment)
        if done.returncode:
            raise KubectlError(done.stderr.strip())
        return done.stdout

    def stop(self) -> None:
        """End all processes and remove the folder. Idempotent."""
        if self._watchdog is None:
            return
        self._watchdog.communicate()  # closes the pipe: the watchdog kills, removes, and ends
        for part in self._parts:
            part.process.wait()
        self._watchdog = None

    def _start(self) -> None:
        self._write_credentials()
        etcd = self._on_free_ports(self._start_etcd)
        self.url = self._on_free_ports(lambda: self._start_apiserver(etcd))
        self._write_kubeconfig(self.kubeconfig, "admin", self.token)
        self._write_kubeconfig(self.alice_kubeconfig, "alice", self.alice_token)
        self._start_controller_manager()

    def _on_free_ports(self, start: Callable[[], str]) -> str:
        """Start a part that listens, again on other ports when somebody else was faster to take one."""
        for _ in range(PORT_ATTEMPTS - 1):
            try:
                return start()
            except parts.PortTaken:
                continue
        return start()

    def _launch(self, name: str, *flags: str) -> parts.Part:
        part = parts.Part(self._binaries / name, flags, folder=self.folder)
        self._parts.append(part)
        return part

    def _start_etcd(self) -> str:
        client, peer = (f"http://127.0.0.1:{parts.free_port()}" for _ in range(2))
        part = self._launch(
            "etcd",
            f"--data-dir={tempfile.mkdtemp(prefix='etcd-', dir=self.folder)}",
            f"--listen-client-urls={client}",
            f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=default={peer}",
            *([] if self._durable else ["--unsafe-no-fsync"]),
        )
        part.wait_until(lambda: self._answers(f"{client}/readyz"))
        return client

    def _start_apiserver(self, etcd: str) -> str:
        port = parts.free_port()
        part = self._launch(
            "kube-apiserver",
            f"--etcd-servers={etcd}",
            f"--secure-port={port}",
            "--bind-address=0.0.0.0",  # a node's pods come from outside of loopback
            "--advertise-address=127.0.0.1",  # so that the certificate names it
            f"--cert-dir={self.ca.parent}",
            f"--service-account-key-file={self._signing_key}",
            f"--service-account-signing-key-file={self._signing_key}",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--token-auth-file={self._token_file}",
            "--authorization-mode=RBAC,Node",
            "--service-cluster-ip-range=10.96.0.0/16",
            "--allow-privileged=true",
            "--endpoint-reconciler-type=none",
            "--kubelet-preferred-address-types=InternalIP",  # nobody resolves a node's name
            *self._audit_flags(),
        )
        url = f"https://127.0.0.1:{port}"
        part.wait_until(lambda: self._answers(f"{url}/readyz"))
        return url

    def _start_controller_manager(self) -> None:
        part = self._launch(
            "kube-controller-manager",
            f"--kubeconfig={self.kubeconfig}",
            f"--service-account-private-key-file={self._signing_key}",
            f"--root-ca-file={self.ca}",
            "--leader-elect=false",
            "--controllers=*,-nodeipam,-route,-service",
            "--kube-api-qps=300",
            "--kube-api-burst=300",
            "--secure-port=0",  # nobody asks it anything, and two planes must not share a port
        )
        part.wait_until(lambda: self._answers(f"{self.url}/api/v1/namespaces/default/serviceaccounts/default"))

    def _audit_flags(self) -> list[str]:
        if not self._audit:
            return []
        policy = self.folder / "audit-policy.json"
        policy.write_text(json.dumps(AUDIT_POLICY))
        return [f"--audit-policy-file={policy}", f"--audit-log-path={self.audit_log}"]

    def _answers(self, url: str) -> bool:
        """Whether a GET as the administrator succeeds."""
        request = urllib.request.Request(url, headers={"Authorization": f"Bearer {self.token}"})
        handlers: list[urllib.request.BaseHandler] = [urllib.request.ProxyHandler({})]  # loopback needs no proxy
        try:
            if url.startswith("https:"):
                handlers.append(urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=self.ca)))
            with urllib.request.build_opener(*handlers).open(request, timeout=5):
                return True
        except OSError:  # refused, timed out, no certificate yet, or an HTTP status that says not yet
            return False

    @property
    def _signing_key(self) -> Path:
        return self.folder / "service-accounts.key"

    @property
    def _token_file(self) -> Path:
        return self.folder / "tokens.csv"

    def _write_credentials(self) -> None:
        self._token_file.write_text(
            f'{self.token},admin,admin-uid,"system:masters"\n{self.alice_token},alice,alice-uid\n'
        )
        self._signing_key.write_bytes(
            rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )

    def _write_kubeconfig(self, path: Path, user: str, token: str) -> None:
        """A kubeconfig as JSON, which every reader of YAML takes."""
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "test", "cluster": {"server": self.url, "certificate-authority": str(self.ca)}}],
            "users": [{"name": user, "user": {"token": token}}],
            "contexts": [{"name": user, "context": {"cluster": "test", "user": user}}],
            "current-context": user,
        }
        path.write_text(json.dumps(document, indent=2))
        path.chmod(0o600)
