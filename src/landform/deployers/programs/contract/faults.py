"""What can be wrong with the data of a program, split by who can do something about it.

ProgramDataError     everything below; itself a LandformError (landform.kit.errors)
├── Refused          the program left something that cannot be kept: change the program
├── TooLarge         it left more than can be kept: change the program
├── Damaged          what was kept cannot be read any more: restore it, or remove it to begin anew
└── Unparsable       its exports are no JSON or YAML object: change the program

The messages name files and places in them, and never a value.
"""

from __future__ import annotations

from landform.kit.errors import LandformError


class ProgramDataError(LandformError):
    """The root of everything that can be wrong with the data of a program."""


class Refused(ProgramDataError):
    """Something that a program left and that cannot be kept."""


class TooLarge(ProgramDataError):
    """More than can be kept."""


class Damaged(ProgramDataError):
    """Something that was kept and cannot be read any more."""


class Unparsable(ProgramDataError):
    """Exports that are no JSON or YAML object."""
