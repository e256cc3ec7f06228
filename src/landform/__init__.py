"""Landform installs whole landscapes of software in the right order, with data flowing between the parts."""

__version__ = "0.1.0"
