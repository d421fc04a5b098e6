"""Files of measurements: one JSON object a line, of which the first describes the machine and the extent."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from schedlab.errors import BadInput


@dataclass(frozen=True)
class Measurements:
    """The measurements of one machine."""

    #: The machine: ``model``, ``processors``, ``is_virtual``, ``kernel``, ``mitigations``.
    machine: dict[str, Any]
    #: The extent of the measurement.
    extent: dict[str, Any]
    #: A row for each quantity under its conditions; conditions that do not matter are missing values. Times are in
    #: nanoseconds: ``max_ns`` and ``mean_ns`` without the largest hundredth; of all values ``worst_ns``,
    #: ``percentiles_ns`` (``p50`` to ``p99_9``) and ``bins``: lower bounds and counts.
    rows: pd.DataFrame


def read_measurements(path: Path | str) -> Measurements:
    """Reads ``path``; raises `BadInput` if it is no file of measurements."""
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        head = json.loads(lines[0])
        machine, extent = head["machine"], head["extent"]
    except (OSError, IndexError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path}: not a file of measurements: {error}") from error
    found: list[dict[str, Any]] = []
    for number, line in enumerate(lines[1:], start=2):
        try:
            found += json.loads(line)["rows"]
        except (ValueError, KeyError, TypeError) as error:
            raise BadInput(f"{path}:{number}: not a step that was measured: {error}") from error
    columns = ["what", "scheduler", "protocol", "tasks", "set", "waiters", "bytes", "access", "alignment", "path",
               "count", "max_ns", "mean_ns", "worst_ns", "percentiles_ns", "bins"]  # fmt: skip
    return Measurements(machine, extent, pd.DataFrame(found, columns=columns))
