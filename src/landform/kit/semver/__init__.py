"""Semantic versions and constraints on them, as the Go library `Masterminds/semver` v3 reads, orders and judges them.

Both template languages have them, from two releases of that library which differ in words and in where prereleases are
allowed; what differs stays with the languages.

    >>> from landform.kit.semver import constraints, versions
    >>> constraints.refusal(constraints.parse("~1.2")[0][0], versions.parse("1.3.0"))
    '1.3.0 does not have same major and minor version as 1.2'
"""
