"""The mock deployer: deploys nothing and ends as its configuration says. For tests, demos and first drafts."""

from landform.deployers.mock.deployer import MockDeployer

__all__ = ["MockDeployer"]
