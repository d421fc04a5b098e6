"""Contents of the bench's form: fields of the scenario and of each task, with their paths."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

from schedlab import schemas
from schedlab.edit.document import Edited, Row, task_rows

#: The fields of a task in the form, in their order: name in the file, word, column of the scenario's task.
TIMES = (
    ("wcet", "cost", "wcet_ns"),
    ("period", "period", "period_ns"),
    ("deadline", "deadline", "relative_deadline_ns"),
    ("offset", "offset", "offset_ns"),
)

#: The field that says what a cost is the sum of.
_PROGRAM = "program"


def form(edited: Edited) -> dict[str, Any]:
    """Returns the form of a scenario: plain values, for JSON."""
    scenario, document = edited.scenario, tomllib.loads(edited.text)
    tasks = list(scenario.tasks)
    return {
        "title": scenario.name,
        "processors": scenario.processors,
        "scheduler": scenario.scheduler,
        "protocol": scenario.protocol,
        "deadlines": str(document.get("deadlines", choices()["deadlines"][0])),
        "rows": [_row(row, tasks[row.tasks[0]]) for row in task_rows(document, scenario)],
        "text": edited.text,
        "notice": edited.notice,
    }


@cache
def choices() -> dict[str, list[str]]:
    """Returns the names that fields take: schedulers, protocols and rules for deadlines, the default first."""
    known, rules = schemas.names(), schemas.schema("scenario")["properties"]["deadlines"]["enum"]
    return {"schedulers": known["schedulers"], "protocols": known["protocols"], "deadlines": rules}


def _row(row: Row, first: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields of a table of the file, of which `first` is the first task."""
    has_program = _PROGRAM in row.fields
    priority = row.fields.get("priority")
    return {
        "name": row.name,
        "path": row.path,
        "tasks": list(row.tasks),
        "first": first["name"],
        "fields": {
            name: {
                "path": f"{row.path}.{name}",
                "word": word,
                "text": str(row.fields[name]) if name in row.fields else "",
                "ns": first[column],
                "fixed": has_program and name == "wcet",
            }
            for name, word, column in TIMES
        },
        "priority": None if priority is None else str(priority),
    }
