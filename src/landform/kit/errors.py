"""The root of all errors that are written for a user to read.

LandformError
├── ClusterError (landform.cluster.errors)          what a cluster refuses or cannot do, and its own tree below
├── BlueprintError (landform.blueprints.errors)      a blueprint, or what is given to it, is at fault; TemplatingError
│                                                   below it shows the place in the template
├── ComponentError (landform.components.errors)     what is wrong with component versions, and its own tree below
├── UnknownDeployer (landform.engine.deployers)     a deployer is asked for that does not come with Landform
├── SelectorError (landform.deployers.library.selectors), DeployerError (landform.cli.deployer)
├── ProgramDataError (landform.deployers.programs.contract.faults)  what a program left, or what was kept, is at fault
├── SettingsError (landform.deployers.programs.setup.settings)  a configuration of a deployer of programs makes no sense
├── EngineError, EngineGone (landform.deployers.programs.engines.api)  a container engine refuses, or is not there
├── FolderError (landform.embedded.folder)          the data folder cannot be used; FolderInUse below it
├── ListenError (landform.embedded.serving.server)  the address cannot be listened on
├── WebhookServerError (landform.runtime.webhooks)  the webhook server cannot be started
├── HealthServerError (landform.runtime.health)     the health server cannot be started
├── PartEnded (landform.runtime.manager)            a part of the process ended that should run for ever
└── Retry, Terminal, LeaseLost (landform.runtime.errors)  how a reconcile ends: again later, never, not ours any more

Whatever derives from it has a message that says what, where, why and what to do next; a command shows that message
and nothing else. Everything else that is raised is a bug and keeps its traceback.
"""

from __future__ import annotations


class LandformError(Exception):
    """Something that the user can understand and act on."""
