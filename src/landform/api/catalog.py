"""The table of all kinds: what they are called, where they live, and how they are listed."""

from __future__ import annotations

from dataclasses import dataclass

from landform.api.bookkeeping import CriticalProblems, LsHealthCheck, SyncObject
from landform.api.contexts import Context
from landform.api.dataobjects import DataObject
from landform.api.deployitems import DeployItem
from landform.api.environments import DeployerRegistration, Environment
from landform.api.executions import Execution
from landform.api.installations import Installation
from landform.api.names import Label
from landform.api.overwrites import ComponentVersionOverwrites
from landform.api.structs import API_VERSION, GROUP, VERSION, Kind
from landform.api.targets import Target
from landform.api.targetsyncs import TargetSync


@dataclass(frozen=True)
class Column:
    """One column of `kubectl get`."""

    name: str
    """Heading."""

    json_path: str
    """Where the value stands in the object."""

    type: str = "string"
    """``string``, ``date``, ``integer``, ``boolean`` or ``number``."""


@dataclass(frozen=True)
class KindInfo:
    """One kind: its struct, its names and its face in lists."""

    struct: type[Kind]
    """What its objects are decoded to."""

    plural: str
    """Name in URLs."""

    short_names: tuple[str, ...]
    """Names for people in a hurry."""

    columns: tuple[Column, ...] = ()
    """Columns of `kubectl get`, after the name."""

    namespaced: bool = True
    """Whether objects live in namespaces."""

    status_subresource: bool = False
    """Whether the status is written apart from the rest."""

    singular_name: str = ""
    """Name for one object, where it is not just the kind in lower case."""

    group: str = GROUP
    version: str = VERSION

    @property
    def kind(self) -> str:
        """Name of the kind, such as ``DeployItem``."""
        return self.struct.__name__

    @property
    def singular(self) -> str:
        """Name for one object, such as ``deployitem``."""
        return self.singular_name or self.kind.lower()


def _label(label: Label) -> str:
    """The path of a label's value; the API server's JSONPath wants dots and slashes escaped."""
    return ".metadata.labels['" + label.replace(".", "\\.").replace("/", "\\/") + "']"


_AGE = Column("Age", ".metadata.creationTimestamp", "date")
_PHASE = Column("Phase", ".status.phase")
_EXPORT_REF = Column("ExportRef", ".status.exportRef.name")
_DATA_CONTEXT = Column("Context", _label(Label.DATA_CONTEXT))
_DATA_KEY = Column("Key", _label(Label.DATA_KEY))

KINDS: tuple[KindInfo, ...] = (
    KindInfo(
        Installation,
        "installations",
        ("inst",),
        (_PHASE, Column("Execution", ".status.executionRef.name"), _AGE),
        status_subresource=True,
    ),
    KindInfo(Execution, "executions", ("exec",), (_PHASE, _EXPORT_REF, _AGE), status_subresource=True),
    KindInfo(
        DeployItem,
        "deployitems",
        ("di",),
        (Column("Type", ".spec.type"), _PHASE, _EXPORT_REF, _AGE),
        status_subresource=True,
    ),
    KindInfo(DataObject, "dataobjects", ("dobj", "do"), (_DATA_CONTEXT, _DATA_KEY, _AGE)),
    KindInfo(
        Target,
        "targets",
        ("tgt", "tg"),
        (
            Column("Type", ".spec.type"),
            _DATA_CONTEXT,
            _DATA_KEY,
            Column("Idx", _label(Label.DATA_INDEX)),
            Column("TMKey", _label(Label.DATA_TARGET_MAP_KEY)),
            _AGE,
        ),
    ),
    KindInfo(TargetSync, "targetsyncs", ("tgs",), status_subresource=True),
    KindInfo(Context, "contexts", ("ctx",), (_AGE,)),
    KindInfo(
        ComponentVersionOverwrites,
        "componentversionoverwrites",
        ("compveroverwrite", "cvo"),
        singular_name="componentversionoverwrite",
    ),
    KindInfo(
        LsHealthCheck,
        "lshealthchecks",
        ("lshc",),
        (Column("Status", ".status"), Column("LastUpdateTime", ".lastUpdateTime", "date")),
    ),
    KindInfo(
        SyncObject,
        "syncobjects",
        ("so",),
        (Column("PodName", ".spec.podName"), Column("Kind", ".spec.kind"), Column("Name", ".spec.name")),
        status_subresource=True,
    ),
    KindInfo(CriticalProblems, "criticalproblems", ("cps",), status_subresource=True),
    KindInfo(Environment, "environments", ("env",), (_AGE,), namespaced=False),
    KindInfo(
        DeployerRegistration,
        "deployerregistrations",
        ("deployreg", "deployerreg", "dreg"),
        (_AGE,),
        namespaced=False,
        status_subresource=True,
    ),
)
"""Every kind, those that people meet first in front."""

_BY_KIND = {info.kind: info for info in KINDS}


def find(api_version: str, kind: str) -> KindInfo | None:
    """The kind of that name in Landform's group and version, or None."""
    return _BY_KIND.get(kind) if api_version == API_VERSION else None
