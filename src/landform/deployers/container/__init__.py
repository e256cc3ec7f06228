"""The container deployer: runs a program that comes as an image. What it shares with scripts is in `programs`.

| Room          | What is in it                              |
|---------------|--------------------------------------------|
| configuration | what a container item says of itself; pure |
| deployer      | `ContainerDeployer`                        |
"""

from landform.deployers.container.deployer import ContainerDeployer

__all__ = ["ContainerDeployer"]
