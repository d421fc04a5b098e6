"""The command line: each command is one file or folder here, a thin layer over the Python API."""

from __future__ import annotations

from schedlab.cli.main import cli, main

__all__ = ["cli", "main"]
