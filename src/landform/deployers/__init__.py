"""Deployers: the library that owns the protocol between Landform and them, and the ones that come with Landform.

A deployer uses `library` and nothing that third parties may not use too. Deployers are unaware of each other.
"""
