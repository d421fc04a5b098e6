"""Schemas as files for editors, and the line by which a file names the one beside it."""

from __future__ import annotations

import json
from pathlib import Path

from schedlab import schemas
from schedlab.base.files import write_whole

#: Name of the scenario's schema beside files that were generated with it.
SCENARIO_SCHEMA = "scenario.schema.json"


def schema_line(name: str) -> str:
    """Returns the line with which a file begins whose schema is the file `name` beside it (Taplo reads it)."""
    return f"#:schema ./{name}"


def write_schema(format: str, path: Path) -> None:
    """Writes the schema of the `scenario` or `overheads` file to `path`."""
    write_whole(path, json.dumps(schemas.schema(format), indent=2, ensure_ascii=False) + "\n")
