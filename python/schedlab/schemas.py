"""File formats as JSON Schemas, and the names that this installation knows."""

from __future__ import annotations

import json
from typing import Any

from schedlab import _native
from schedlab.core import plugins


def schema(format: str) -> dict[str, Any]:
    """Returns the JSON Schema of a `scenario` or `overheads` file (TOML, read as its JSON counterpart)."""
    found: dict[str, Any] = json.loads(_native.schema(format))
    return found


def names() -> dict[str, list[str]]:
    """Returns the known names by kind: schedulers, protocols, tests, overheads, invariants, parts of generators."""
    known: dict[str, list[str]] = _native.names()
    known["schedulers"] += sorted(plugins.installed("scheduler"))
    known["protocols"] += sorted(plugins.installed("locking protocol"))
    known["tests"] += sorted(plugins.installed("test"))
    return known
