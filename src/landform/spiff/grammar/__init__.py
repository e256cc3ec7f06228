"""The grammar of expressions: one of ordered choices, without going back into what was accepted."""

from landform.spiff.grammar.parser import parse

__all__ = ["parse"]
