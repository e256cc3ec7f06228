"""What can be wrong with a blueprint or with what is given to it.

::

    BlueprintError
    ├── FileError            a file of the blueprint is missing, is a folder, or lies outside
    ├── DefinitionError      blueprint.yaml, or a file that it names, cannot be read
    ├── SchemaError          a JSON schema cannot be resolved or compiled
    ├── ImportNotFound       a required import has no value
    ├── InvalidValue         a value breaks its schema, or a Target is of another type
    │   └── InvalidDefault       the value is the blueprint's own default
    ├── MappingError         a data mapping cannot be evaluated
    ├── TemplateError        a sub-installation template breaks the rules
    ├── ItemError            a rendered deploy item breaks the rules
    ├── ExportError          an export is missing or has the wrong shape
    └── GraphError           installations export the same name, or depend on each other in a circle

No message shows a value that was imported or rendered: it may be a secret.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from landform.kit.errors import LandformError

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong: where, and in words."""

    path: str
    """Where it is, such as ``imports[2].schema``; empty for the whole."""

    message: str
    """What is wrong there."""

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class BlueprintError(LandformError):
    """The root of everything that can be wrong with a blueprint or with what is given to it."""

    reason: ClassVar[str] = "InvalidBlueprint"
    """One word for a status."""


class FileError(BlueprintError):
    """A file of the blueprint that cannot be had."""

    reason = "FileNotReadable"

    def __init__(self, path: str, problem: str, wanted_by: str = "") -> None:
        asker = f" (wanted by {wanted_by})" if wanted_by else ""
        super().__init__(f"file {path!r} of the blueprint {problem}{asker}")
        self.path = path


class DefinitionError(BlueprintError):
    """A file of the blueprint that cannot be read as what it should be."""

    def __init__(self, file: str, problem: str) -> None:
        super().__init__(f"{file}: {problem}")
        self.file = file


class FaultyError(BlueprintError):
    """Something with faults, each of which is listed."""

    def __init__(self, subject: str, faults: Sequence[Fault]) -> None:
        texts = [str(fault) for fault in faults]
        listing = f": {texts[0]}" if len(texts) == 1 else "".join(f"\n- {text}" for text in texts)
        super().__init__(f"{subject}{listing}")
        self.faults = tuple(faults)


class SchemaError(BlueprintError):
    """A JSON schema that cannot be resolved or compiled."""

    reason = "SchemaValidationFailed"


class ImportNotFound(BlueprintError):
    """A required import without a value."""

    reason = "ImportNotFound"


class InvalidValue(FaultyError):
    """A value that breaks its schema, or a Target of another type."""

    reason = "SchemaValidationFailed"


class InvalidDefault(InvalidValue):
    """A default value of the blueprint that breaks its own schema."""

    reason = "InvalidDefaultValue"


class MappingError(BlueprintError):
    """A data mapping that cannot be evaluated."""

    reason = "DataMappingFailed"


class TemplateError(FaultyError):
    """A sub-installation template that breaks the rules."""

    reason = "InvalidSubinstallationTemplate"


class ItemError(FaultyError):
    """A rendered deploy item that breaks the rules."""

    reason = "InvalidDeployItem"


class ExportError(FaultyError):
    """Exports that are missing or have the wrong shape."""

    reason = "InvalidExport"


class GraphError(BlueprintError):
    """Installations that export the same name, or that depend on each other in a circle."""

    reason = "InvalidDataFlow"
