"""The template language of spiff (dynaml), a library of its own.

YAML documents with expressions such as `(( imports.name "-db" ))` are evaluated, merged with stubs and turned into
plain data. Nothing here knows of Landform, and nothing an expression does leaves the process: no command, no network,
no environment, no file but those that are given. Every evaluation has a budget.
"""

from landform.spiff.budgets import Budgets
from landform.spiff.errors import Overspent, SpiffError
from landform.spiff.evaluation import Outcome, evaluate

__all__ = ["Budgets", "Outcome", "Overspent", "SpiffError", "evaluate"]
