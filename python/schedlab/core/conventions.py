"""What the letters of a test's computation mean where they are not the numbers of the scenario."""

from __future__ import annotations

import re
import tomllib

from schedlab.core.analysis import Analysis, Verdict
from schedlab.core.scenario import Scenario

#: Tests in whose costs self-suspension and jitter count as execution.
_PENDING = frozenset({"liu_layland", "hyperbolic", "edf_utilization", "baker", "bcl"})

#: Tests in whose costs self-suspension counts as execution.
_OBLIVIOUS = frozenset({"qpa", "gfb", "response_time", "response_time_any_tie"})

#: Tests whose deadlines are shorter by the jitter.
_SHORTER = frozenset({"qpa", "gfb"})


def conventions(verdict: Verdict, analysis: Analysis, scenario: Scenario) -> list[str]:
    """Returns a line for each letter of the test's computation that is not a number of the scenario."""
    steps = verdict.steps
    if steps is None or not any(steps[kind] for kind in ("sums", "works", "blocking", "responses", "demands")):
        return []
    ticks = _ticks(scenario)
    bounds = [bounds for bounds in (analysis.blocking, *analysis.more_blocking) if bounds is not None]
    if steps["blocking"] or verdict.test in {found["method"] for found in bounds}:
        if ticks is None:
            return []
        told = f"releases are at ticks: T is the period rounded down to whole ticks of {ticks}"
        told += f", D the deadline less {ticks}"
        return [told + (f"; from the arrival, the bound is R + {ticks}" if steps["responses"] else "")]
    suspends = any(task["suspension_ns"] for task in scenario.tasks)
    jitter = any(task["jitter_ns"] for task in scenario.tasks) or ticks is not None
    lines = []
    pending = [*(["jitter"] if jitter else []), *(["suspension"] if suspends else [])]
    if verdict.test in _PENDING and pending:
        lines.append(f"C contains {' and '.join(pending)}")
    if verdict.test in _OBLIVIOUS and suspends:
        lines.append("C contains suspension")
    if verdict.test in _SHORTER and jitter:
        lines.append("D is the deadline less the jitter")
    if ticks is not None and (verdict.test in _PENDING or verdict.test in _OBLIVIOUS):
        lines.append(f"releases are at ticks: the jitter of each task contains {ticks}")
    return lines


def _ticks(scenario: Scenario) -> str | None:
    """Returns the length between ticks as text, if releases are at ticks."""
    platform = tomllib.loads(scenario.to_toml())["platform"]
    return re.sub(r"(?<=\d)(?=[a-z])", " ", platform["quantum"]) if platform.get("releases") == "tick" else None
