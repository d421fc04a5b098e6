"""What each command prints for --json: its format, its version, and the JSON Schema of the rest.

A reader ignores keys that it does not know: a version only ever gets more of them. Whatever else changes is a new
version.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from schedlab.errors import BadInput
from schedlab.outputs.results import (
    ADVICE,
    ANALYSIS,
    CROSSCHECK,
    JOB_SET,
    MEASURES,
    PLACEMENT,
    STUDY,
    STUDY_PLOT,
    STUDY_RUN,
    SUBTASK,
    TASK_SET,
)
from schedlab.outputs.schedules import COMPARISON, DIFFERENCE, DOCTOR, FINDINGS, INVARIANT, METRICS, WHY
from schedlab.outputs.shapes import TEXT, WHOLE, Shape, by_name, cells, maybe, record, some

__all__ = ["OUTPUTS", "Output", "output_schema"]


@dataclass(frozen=True)
class Output:
    """What a command prints for --json."""

    format: str
    content: dict[str, Shape]
    version: int = 1


#: By command; `measures` is what `analyze --measures` prints.
OUTPUTS = {
    "analyze": Output("schedlab-analysis", {"analyses": some(ANALYSIS)}),
    "measures": Output("schedlab-measures", {"schedulers": some(MEASURES)}),
    "place": Output("schedlab-placement", {"placements": some(PLACEMENT)}),
    "advise": Output("schedlab-advice", ADVICE),
    "simulate": Output(
        "schedlab-simulation",
        {"simulations": some(record(**METRICS, overheads_charged=TEXT, violated=some(INVARIANT)))},
    ),
    "run": Output("schedlab-run", {"runs": some(FINDINGS)}),
    "observe": Output("schedlab-observation", {"scenario": TASK_SET}),
    "compare": Output("schedlab-comparison", COMPARISON),
    "check": Output("schedlab-check", {"traces": by_name(some(INVARIANT))}),
    "why": Output("schedlab-why", WHY),
    "view": Output("schedlab-view", {"page": TEXT, "schedules": some(TEXT)}),
    "diff": Output("schedlab-difference", {"traces": cells(TEXT, TEXT), "page": maybe(TEXT), **DIFFERENCE}),
    "trace": Output("schedlab-metrics", {"header": by_name(TEXT), **METRICS}),
    "windows": Output("schedlab-windows", {"weight": TEXT, "subtasks": some(SUBTASK)}),
    "generate": Output("schedlab-task-sets", {"task_sets": some(TASK_SET)}),
    "export": Output("schedlab-export", {"to": TEXT, "text": TEXT, "lost": some(TEXT)}),
    "study list": Output("schedlab-studies", {"studies": some(STUDY)}),
    "study run": Output("schedlab-study-results", {"studies": some(STUDY_RUN)}),
    "study plot": Output("schedlab-study-plots", {"studies": some(STUDY_PLOT)}),
    "measure": Output("schedlab-measurement", {"overheads": TEXT, "measurements": TEXT, "page": TEXT}),
    "jobs": Output("schedlab-job-set", JOB_SET),
    "overheads": Output("schedlab-overheads", {"toml": TEXT, "lost": some(TEXT)}),
    "doctor": Output("schedlab-doctor", DOCTOR),
    "crosscheck": Output("schedlab-crosscheck", CROSSCHECK),
    "new": Output("schedlab-new", {"folder": TEXT, "files": some(TEXT)}),
    "schema": Output("schedlab-names", {"names": by_name(some(TEXT))}),
}


def output_schema(command: str) -> dict[str, Any]:
    """The JSON Schema of what a command such as "analyze" or "study list" prints for --json."""
    if command not in OUTPUTS:
        raise BadInput(f'there is no output of "{command}"; allowed: {", ".join(OUTPUTS)}')
    output = OUTPUTS[command]
    head: dict[str, Shape] = {"format": {"const": output.format}, "version": {**WHOLE, "const": output.version}}
    title = f"What `schedlab {command} --json` prints"
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title} | record(
        **head, **output.content
    )
