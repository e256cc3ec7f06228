"""What can go wrong: one class for callers, one for work that was stopped.

::

    SpiffError
    └── Overspent    a document needed more time, text or depth than it may have
"""

from __future__ import annotations


class SpiffError(Exception):
    """A document cannot be evaluated; the text names every node that has no value, its expression and the reason."""


class Overspent(SpiffError):
    """A document needed more than its budget: it loops for ever, nests too deep or grows without bound."""

    located = False
    """Whether the message already names the node and its expression."""
