"""Go's text/template with the sprig functions, a library of its own.

It parses a template as Go does, compiles it once into Python functions and renders it as often as needed, byte for byte
as Go would, errors included. It knows nothing of Landform; nothing in a template reaches Python, files, processes or
the environment, and every render has budgets.
"""

from landform.gotemplate.budgets import Budgets
from landform.gotemplate.documents.json_reading import decode as from_json
from landform.gotemplate.errors import BudgetError, ExecError, GoError, ParseError, TemplateError
from landform.gotemplate.functions import Function, function
from landform.gotemplate.sprig import SPRIG, Surroundings, sprig_functions
from landform.gotemplate.template import Template
from landform.gotemplate.yamls import YAML

__all__ = [
    "SPRIG",
    "YAML",
    "BudgetError",
    "Budgets",
    "ExecError",
    "Function",
    "GoError",
    "ParseError",
    "Surroundings",
    "Template",
    "TemplateError",
    "from_json",
    "function",
    "sprig_functions",
]
