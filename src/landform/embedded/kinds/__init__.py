"""Kubernetes' own kinds: their names, schemas and selectable fields, as data.

`library` reads what ``tools/extract_schemas.py`` took from Kubernetes; `builtin_types` makes resource types of it.
Nothing here acts: what a Namespace or a ServiceAccount means is decided elsewhere.
"""

from landform.embedded.kinds.types import builtin_types

__all__ = ["builtin_types"]
