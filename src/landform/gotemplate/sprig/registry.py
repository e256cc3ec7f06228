"""The whole set of sprig functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.gotemplate.sprig import (
    cases,
    constraints,
    defaults,
    dicts,
    encodings,
    json,
    lists,
    numeric,
    paths,
    regexes,
    strings,
    urls,
)
from landform.gotemplate.sprig.certificates import certificates
from landform.gotemplate.sprig.chance import chance
from landform.gotemplate.sprig.dates import dates
from landform.gotemplate.sprig.passwords import passwords
from landform.gotemplate.sprig.surroundings import Surroundings

if TYPE_CHECKING:
    from landform.gotemplate.functions import Function


def sprig_functions(surroundings: Surroundings | None = None) -> dict[str, Function]:
    """The functions by name, with real surroundings unless others are given."""
    around = surroundings or Surroundings()
    return {
        **cases.FUNCTIONS,
        **strings.FUNCTIONS,
        **numeric.FUNCTIONS,
        **lists.FUNCTIONS,
        **defaults.FUNCTIONS,
        **dicts.FUNCTIONS,
        **paths.FUNCTIONS,
        **encodings.FUNCTIONS,
        **json.FUNCTIONS,
        **constraints.FUNCTIONS,
        **regexes.FUNCTIONS,
        **urls.FUNCTIONS,
        **dates(around),
        **chance(around),
        **passwords(around),
        **certificates(around),
    }


SPRIG: dict[str, Function] = sprig_functions()
"""The functions with real surroundings."""
