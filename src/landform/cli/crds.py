"""``landform crds``: the CustomResourceDefinitions of Landform's kinds."""

from __future__ import annotations

import click

from landform.api import crds as definitions
from landform.kit import yamls


@click.command()
def crds() -> None:
    """Print the CustomResourceDefinitions, ready for `kubectl apply -f -`.

    The embedded home has them already; a Kubernetes cluster needs them once.
    """
    click.echo("---\n".join(yamls.dump(crd) for crd in definitions.crds()), nl=False)
