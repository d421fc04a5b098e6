"""What the letters of a test's computation mean where they are not the numbers of the scenario."""

from __future__ import annotations

import re
import tomllib

from schedlab.base.defaults import NO_OVERHEADS
from schedlab.core.analysis import Analysis, Verdict
from schedlab.core.scenario import Scenario
from schedlab.outputs.results import TestSteps

#: Sums in whose costs jitter counts as execution beside self-suspension, and those whose deadlines it shortens instead.
_WITH_JITTER, _SHORTER = ("successors", "loads"), ("densities",)


def conventions(verdict: Verdict, analysis: Analysis, scenario: Scenario) -> list[str]:
    """Returns a line for each letter of the test's computation that is not a number of the scenario."""
    steps = verdict.steps
    if steps is None:
        return []
    if not any((steps["sums"], steps["works"], steps["blocking"], steps["responses"], steps["demands"])):
        return []
    ticks = _ticks(scenario)
    methods = {found["method"] for found in (analysis.blocking, *analysis.more_blocking) if found is not None}
    if steps["blocking"] or verdict.test in methods:
        if ticks is None:
            return []
        told = f"releases are at ticks: T is the period rounded down to whole ticks of {ticks}"
        told += f", D the deadline less {ticks}"
        return [told + (f"; from the arrival, the bound is R + {ticks}" if steps["responses"] else "")]
    suspends = any(task["suspension_ns"] for task in scenario.tasks)
    has_jitter = any(task["jitter_ns"] for task in scenario.tasks) or ticks is not None
    contained = [
        *(["jitter"] if has_jitter and _counts_jitter(steps, scenario) else []),
        *(["suspension"] if suspends else []),
    ]
    lines = [f"C contains {' and '.join(contained)}"] if contained else []
    if has_jitter and (steps["demands"] or any(found["kind"] in _SHORTER for found in steps["sums"])):
        lines.append("D is the deadline less the jitter")
    return [*lines, *([f"releases are at ticks: the jitter of each task contains {ticks}"] if ticks else [])]


def _counts_jitter(steps: TestSteps, scenario: Scenario) -> bool:
    """Returns whether jitter counts as execution: tests that compare utilizations differ, and their costs tell it."""
    if steps["works"] or any(found["kind"] in _WITH_JITTER for found in steps["sums"]):
        return True
    # Only those of fixed priorities have a bound below a whole processor.
    if any(found["kind"] == "utilizations" and found["bound"] < 1 for found in steps["sums"]):
        return True
    own = {task["name"]: task["wcet_ns"] + task["suspension_ns"] for task in scenario.tasks}
    terms = [term for found in steps["sums"] if found["kind"] == "utilizations" for term in found["terms"]]
    # What is charged for overheads makes costs longer, too.
    is_charged = scenario.overheads != NO_OVERHEADS
    known = ((term["cost_ns"], own.get(term["name"])) for term in terms)
    return not is_charged and any(cost is not None and least is not None and cost > least for cost, least in known)


def _ticks(scenario: Scenario) -> str | None:
    """Returns the length between ticks as text, if releases are at ticks."""
    platform = tomllib.loads(scenario.to_toml())["platform"]
    return re.sub(r"(?<=\d)(?=[a-z])", " ", platform["quantum"]) if platform.get("releases") == "tick" else None
