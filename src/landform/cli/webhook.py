"""``landform webhook``: the validating webhook for Landform's kinds on Kubernetes."""

from __future__ import annotations

import logging
from pathlib import Path

import click

from landform.cli import signals
from landform.cli.loops import run
from landform.runtime.webhooks import WebhookServer


@click.command()
@click.option("--host", default="0.0.0.0", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=9443, show_default=True, help="Port to listen on.")
@click.option(
    "--certificate",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    required=True,
    help="TLS certificate in PEM form; read again when it changes.",
)
@click.option(
    "--key",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    required=True,
    help="Private key of the certificate in PEM form.",
)
def webhook(host: str, port: int, certificate: Path, key: Path) -> None:
    """Serve the validating webhook: the rules that the embedded home enforces itself, for a Kubernetes cluster."""
    logging.basicConfig(level="INFO", format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    run(_serve(host, port, certificate, key))


async def _serve(host: str, port: int, certificate: Path, key: Path) -> None:
    stop = signals.stop_signal()
    async with WebhookServer(host, port, certificate, key) as server:
        click.echo(f"The webhook listens on {host}:{server.port}.")
        await stop.wait()
