"""Runs whose files lie on this machine."""
