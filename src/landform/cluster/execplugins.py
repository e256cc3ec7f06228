"""Credentials from a program that the kubeconfig names (client.authentication.k8s.io), as kubectl gets them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec

from landform.cluster.credentials import ClientCertificate, Credential
from landform.cluster.errors import ConfigurationError
from landform.kit.clocks import SystemClock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.kit.clocks import Clock

API_VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")

EARLY = timedelta(seconds=10)
"""How long before its end a credential is renewed, so that it does not end on the way."""


@dataclass(frozen=True)
class ExecPlugin:
    """A program that prints a credential."""

    command: str
    api_version: str
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Added to the environment of this process."""

    interactive_mode: str = "IfAvailable"
    """``Never``, ``IfAvailable`` or ``Always``: whether the program may ask the user."""

    cluster: Mapping[str, Any] | None = None
    """What the program is told of the cluster; None = nothing."""

    install_hint: str = ""
    """Told to the user when the program is not there."""

    source: str = "the kubeconfig"
    """Where this comes from, for messages."""


class ExecCredentials:
    """Runs the program when there is no credential, when it ends, and after a refusal; never twice at a time."""

    def __init__(self, plugin: ExecPlugin, *, clock: Clock | None = None) -> None:
        self._plugin = plugin
        self._clock = clock or SystemClock()
        self._running = asyncio.Lock()
        self._credential: Credential | None = None
        self._ends: datetime | None = None

    async def current(self) -> Credential:
        async with self._running:
            if self._credential is None or self._has_ended():
                self._credential, self._ends = _read(self._plugin, await _run(self._plugin))
            return self._credential

    def renew(self, refused: Credential) -> bool:
        if refused == self._credential:
            self._credential = None
        return True

    def _has_ended(self) -> bool:
        return self._ends is not None and self._clock.now() >= self._ends - EARLY


class _Status(msgspec.Struct, rename="camel"):
    token: str = ""
    client_certificate_data: str = ""
    client_key_data: str = ""
    expiration_timestamp: datetime | None = None


class _ExecCredential(msgspec.Struct, rename="camel"):
    api_version: str = ""
    kind: str = ""
    status: _Status | None = None


async def _run(plugin: ExecPlugin) -> bytes:
    """What the program prints. Its errors go to the terminal: they are written for the user."""
    interactive = _is_interactive(plugin)
    environment = {**os.environ, **plugin.environment, "KUBERNETES_EXEC_INFO": _question(plugin, interactive)}
    try:
        process = await asyncio.create_subprocess_exec(
            plugin.command,
            *plugin.arguments,
            stdin=None if interactive else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            env=environment,
        )
    except OSError as fault:
        hint = f". {plugin.install_hint.strip()}" if plugin.install_hint else ""
        message = f"{plugin.source}: cannot run {plugin.command!r} to get a credential: {fault}{hint}"
        raise ConfigurationError(message) from fault
    try:
        output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if process.returncode:
        raise ConfigurationError(f"{plugin.source}: {plugin.command!r} ended with {process.returncode}, no credential")
    return output


def _is_interactive(plugin: ExecPlugin) -> bool:
    if plugin.interactive_mode == "Never":
        return False
    terminal = sys.stdin is not None and sys.stdin.isatty()
    if plugin.interactive_mode == "Always" and not terminal:
        raise ConfigurationError(f"{plugin.source}: {plugin.command!r} must ask the user, but there is no terminal")
    return terminal


def _question(plugin: ExecPlugin, interactive: bool) -> str:
    spec: dict[str, Any] = {"interactive": interactive}
    if plugin.cluster is not None:
        spec["cluster"] = plugin.cluster
    question = {"apiVersion": plugin.api_version, "kind": "ExecCredential", "spec": spec}
    return msgspec.json.encode(question).decode()


def _read(plugin: ExecPlugin, output: bytes) -> tuple[Credential, datetime | None]:
    """The credential that the program printed, and when it ends."""
    problem = f"{plugin.source}: {plugin.command!r} printed no usable credential"
    try:
        answer = msgspec.json.decode(output, type=_ExecCredential)
    except msgspec.DecodeError as fault:
        raise ConfigurationError(f"{problem}: {fault}") from fault
    if answer.api_version != plugin.api_version or answer.kind != "ExecCredential":
        said = f"{answer.api_version} {answer.kind}"
        raise ConfigurationError(f"{problem}: expected {plugin.api_version} ExecCredential, got {said}")
    status = answer.status or _Status()
    if bool(status.client_certificate_data) != bool(status.client_key_data):
        raise ConfigurationError(f"{problem}: clientCertificateData and clientKeyData must come together")
    if not status.token and not status.client_certificate_data:
        raise ConfigurationError(f"{problem}: its status has neither a token nor a certificate")
    certificate = None
    if status.client_certificate_data:
        certificate = ClientCertificate(status.client_certificate_data.encode(), status.client_key_data.encode())
    return Credential(f"Bearer {status.token}" if status.token else "", certificate), status.expiration_timestamp
