"""The functions of sprig v3.3.0, by family.

Each module gives a table of functions by name. What depends on time, chance or a zone takes it from `Surroundings`.
`env`, `expandenv` and `getHostByName` are left out: templates reach nothing outside.
"""

from __future__ import annotations

from landform.gotemplate.sprig.registry import SPRIG, sprig_functions
from landform.gotemplate.sprig.surroundings import Surroundings

__all__ = ["SPRIG", "Surroundings", "sprig_functions"]
