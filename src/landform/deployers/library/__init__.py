"""The deployer library: everything a deployer need not care for, and the face that it shows to deployers.

A deployer subclasses `Deployer` and says how to deploy an `Item` and how to take it away. The library owns the
protocol: which items it is responsible for, jobs, phases, errors and their history, deadlines, interruption, retries,
the finalizer, exports, targets and clients for them, hooks, and scheduled passes. Knows no deployer.

| Room           | What is in it                                                                           |
|----------------|-----------------------------------------------------------------------------------------|
| deployers      | `Deployer`: what a deployer is                                                          |
| items          | `Item`: what it is given                                                                |
| controllers    | `DeployerController`: looks at items, starts and stops runs, writes every status        |
| runs           | `Run`: the work on one item under one job, with its tries and its deadline              |
| desks          | `Desk`: what belongs to no job is done here                                              |
| plans          | `Plan`: what a deployer would do; pure                                                  |
| records        | `Record`: what a run has to say                                                         |
| statuses       | from a record to the item's status; pure                                                |
| endings        | `Ending`: why the work on an item was cut off; pure                                     |
| decisions      | what is next for an item that no run works on; pure                                     |
| failures       | which errors pass and which are final; pure                                             |
| hooks          | `Hooks`, `HookType`, `HookResult`, and how answers become one; pure                     |
| continuous     | scheduled passes as a hook                                                              |
| responsibility | whose item it is; pure                                                                  |
| selectors      | target selectors; pure                                                                  |
| targets        | Targets with their access data; pure                                                    |
| access         | how to get to a Kubernetes cluster, and which ways are refused; pure                    |
| clusters       | clients for targets, shared by all items                                                |
| tokens         | tokens of ServiceAccounts for targets without a kubeconfig                              |
| exports        | the Secret with an item's exported values                                               |
| reading        | the caches                                                                              |
| workplaces     | what all the work of one deployer shares                                                |
| serving        | a deployer as a process of its own                                                      |
"""

from landform.api.conditions import ConditionStatus
from landform.api.deployitems import DeployItem
from landform.api.errors import ErrorCode, OperationFailed
from landform.api.waiting import WaitReason
from landform.deployers.library.clusters import Clusters
from landform.deployers.library.controllers import DeployerController, deployer_controller
from landform.deployers.library.deployers import Deployer
from landform.deployers.library.desks import Desk
from landform.deployers.library.endings import Ending
from landform.deployers.library.exports import Exported
from landform.deployers.library.failures import AccessGone, NoAccess
from landform.deployers.library.hooks import HookCall, HookResult, Hooks, HookType
from landform.deployers.library.items import Item
from landform.deployers.library.plans import Action, Change, FieldChange, Plan
from landform.deployers.library.selectors import Selectors
from landform.deployers.library.targets import ResolvedTarget
from landform.runtime.errors import Retry, Terminal
from landform.runtime.recorders import EventType

__all__ = [
    "AccessGone",
    "Action",
    "Change",
    "Clusters",
    "ConditionStatus",
    "DeployItem",
    "Deployer",
    "DeployerController",
    "Desk",
    "Ending",
    "ErrorCode",
    "EventType",
    "Exported",
    "FieldChange",
    "HookCall",
    "HookResult",
    "HookType",
    "Hooks",
    "Item",
    "NoAccess",
    "OperationFailed",
    "Plan",
    "ResolvedTarget",
    "Retry",
    "Selectors",
    "Terminal",
    "WaitReason",
    "deployer_controller",
]
