"""Outputs of commands with --json: the format of each, its version, and the JSON Schema of the rest.

A reader ignores keys that it does not know, because a version may get more of them. Any other change makes a new
version.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypedDict

from schedlab.errors import BadInput
from schedlab.outputs.answers import (
    Advised,
    AnalyzedDict,
    Crosscheck,
    Exported,
    Measures,
    PlacementDict,
    RecordingDict,
    ScenarioDict,
    SimulationDict,
    Subtask,
    Supposed,
    Why,
)
from schedlab.outputs.comparison import ComparedTwo, ComparisonDict
from schedlab.outputs.results import (
    CheckedDict,
    Difference,
    Doctor,
    ExploredJobs,
    Feasibility,
    Findings,
    LeastServers,
    LinuxAdvice,
    MemoryUse,
    MetricsDict,
)
from schedlab.outputs.shapes import shape_of
from schedlab.outputs.studies import (
    PaperClaims,
    StudyDict,
    StudyPlot,
    StudyRun,
    StudyShare,
    StudyShown,
    StudyState,
)

__all__ = ["OUTPUTS", "Output", "output_schema"]


@dataclass(frozen=True)
class Output:
    """The output of a command with --json."""

    format: str
    #: The type of the content after format and version: a `TypedDict`, or types by key.
    content: Any
    version: int = 1


class GlossaryEntry(TypedDict):
    """A paragraph of the glossary: the words that it explains, and the names that it gives in code."""

    section: str
    words: list[str]
    names: list[str]
    text: str


class TraceMetrics(MetricsDict):
    """The output of `trace`."""

    header: dict[str, str]


class TraceDifference(Difference):
    """The output of `diff`."""

    traces: tuple[str, str]
    page: str | None


#: Outputs by command; `measures` is that of `analyze --measures`, `recording` that of `observe --file`,
#: `advise linux` that of `advise --for linux`, and `compare two` that of `compare` with two scenarios.
OUTPUTS = {
    "analyze": Output(
        "schedlab-analysis",
        {"analyses": list[AnalyzedDict], "errors": dict[str, str], "page": str | None},
        version=2,
    ),
    "measures": Output("schedlab-measures", {"schedulers": list[Measures]}),
    "place": Output("schedlab-placement", {"placements": list[PlacementDict | Feasibility | LeastServers]}),
    "advise": Output("schedlab-advice", Advised, version=2),
    "advise linux": Output("schedlab-linux-advice", LinuxAdvice),
    "simulate": Output("schedlab-simulation", {"simulations": list[SimulationDict]}),
    "run": Output("schedlab-run", {"runs": list[Findings]}),
    "observe": Output("schedlab-observation", {"scenario": ScenarioDict, "notes": list[str]}),
    "recording": Output("schedlab-recording", RecordingDict),
    "compare": Output("schedlab-comparison", ComparisonDict),
    "compare two": Output("schedlab-two-scenarios", {"files": list[str], "pairs": list[ComparedTwo]}),
    "check": Output("schedlab-check", {"traces": dict[str, list[CheckedDict]]}),
    "why": Output("schedlab-why", Why),
    "view": Output("schedlab-view", {"page": str, "schedules": list[str], "overflowed": list[list[str]]}),
    "edit": Output("schedlab-bench", {"address": str, "file": str}),
    "diff": Output("schedlab-difference", TraceDifference),
    "trace": Output("schedlab-metrics", TraceMetrics),
    "windows": Output("schedlab-windows", {"weight": str, "subtasks": list[Subtask]}),
    "generate": Output("schedlab-task-sets", {"task_sets": list[ScenarioDict]}),
    "export": Output("schedlab-export", Exported),
    "study list": Output("schedlab-studies", {"studies": list[StudyDict]}),
    "study show": Output("schedlab-study", StudyShown),
    "study run": Output("schedlab-study-results", {"studies": list[StudyRun], "shares": list[StudyShare]}),
    "study plot": Output("schedlab-study-plots", {"studies": list[StudyPlot]}),
    "study gallery": Output("schedlab-study-gallery", {"page": str, "papers": list[PaperClaims]}),
    "study status": Output("schedlab-study-status", {"studies": list[StudyState]}),
    "measure": Output("schedlab-measurement", {"overheads": str, "measurements": str, "page": str}),
    "membus": Output("schedlab-memory", {"schedules": list[MemoryUse], "toml": str}),
    "jobs": Output("schedlab-job-set", ExploredJobs),
    "overheads": Output("schedlab-overheads", {"toml": str, "lost": list[str]}),
    "doctor": Output("schedlab-doctor", Doctor),
    "crosscheck": Output("schedlab-crosscheck", Crosscheck),
    "example": Output("schedlab-examples", {"examples": dict[str, str], "files": list[str]}),
    "new": Output("schedlab-new", {"folder": str, "files": list[str], "library": str}),
    "glossary": Output("schedlab-glossary", {"entries": list[GlossaryEntry]}),
    "schema": Output("schedlab-names", {"names": dict[str, list[str]]}),
}


def output_schema(command: str) -> dict[str, Any]:
    """Returns the JSON Schema of the output of a command such as "analyze" or "study list" with --json."""
    if command not in OUTPUTS:
        raise BadInput(f'there is no output of "{command}"; allowed: {", ".join(OUTPUTS)}')
    output, shape = OUTPUTS[command], shape_of(OUTPUTS[command].content)
    head = {"format": {"const": output.format}, "version": {"type": "integer", "const": output.version}}
    # Present only if fields were set from outside, if something is left out, or if answers rest on more than the
    # scenario's own numbers.
    lines = {"type": "array", "items": {"type": "string"}}
    caveats = {"what_if": shape_of(list[Supposed]), "left_out": lines, "rests_on": lines}
    title = f"What `schedlab {command} --json` prints"
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "type": "object",
        "properties": head | caveats | shape["properties"],
        "required": [*head, *shape["required"]],
    }
