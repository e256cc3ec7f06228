"""Go's regular expressions (RE2 syntax): searched in time that grows with the text only linearly.

Simple patterns run on Python's own engine, where they cannot backtrack far; all others on an automaton of ours.

    >>> from landform.kit.regex.expressions import compile_expression
    >>> compile_expression("a(b+)").search("xabbc", groups=True)
    (1, 4, 2, 4)
"""
