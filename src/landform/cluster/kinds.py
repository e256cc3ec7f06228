"""The resources of Landform's own kinds."""

from __future__ import annotations

from typing import TypeVar

from landform.api.bookkeeping import CriticalProblems, LsHealthCheck, SyncObject
from landform.api.catalog import KINDS
from landform.api.contexts import Context
from landform.api.dataobjects import DataObject
from landform.api.deployitems import DeployItem
from landform.api.environments import DeployerRegistration, Environment
from landform.api.executions import Execution
from landform.api.installations import Installation
from landform.api.overwrites import ComponentVersionOverwrites
from landform.api.structs import Kind
from landform.api.targets import Target
from landform.api.targetsyncs import TargetSync
from landform.cluster.resources import Resource

K = TypeVar("K", bound=Kind)


def _resource(struct: type[K]) -> Resource[K]:
    [info] = [info for info in KINDS if info.struct is struct]
    return Resource(info.group, info.version, info.kind, info.plural, info.namespaced, struct)


INSTALLATIONS = _resource(Installation)
EXECUTIONS = _resource(Execution)
DEPLOY_ITEMS = _resource(DeployItem)
TARGETS = _resource(Target)
DATA_OBJECTS = _resource(DataObject)
CONTEXTS = _resource(Context)
COMPONENT_VERSION_OVERWRITES = _resource(ComponentVersionOverwrites)
TARGET_SYNCS = _resource(TargetSync)
LS_HEALTH_CHECKS = _resource(LsHealthCheck)
SYNC_OBJECTS = _resource(SyncObject)
CRITICAL_PROBLEMS = _resource(CriticalProblems)
ENVIRONMENTS = _resource(Environment)
DEPLOYER_REGISTRATIONS = _resource(DeployerRegistration)
