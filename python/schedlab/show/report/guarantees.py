"""What is proved of scenarios as one HTML file: verdict, margins, bounds against deadlines, resources, reasons.

The page needs no script and no network. It is a pure function of the analyses. Their plain values are in the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from schedlab._native import __version__
from schedlab.base.durations import at_least, at_most, deadline, duration
from schedlab.base.files import write_whole
from schedlab.base.glossary import paragraph
from schedlab.core.analysis import Analysis, Verdict
from schedlab.core.conventions import conventions
from schedlab.core.margins import (
    by_task,
    deadlines_by,
    margin_in_words,
    margin_of,
    percent_in_words,
    resource_in_words,
    resources_of,
    tasks_of,
)
from schedlab.core.mutexes import locks_in_words
from schedlab.core.scenario import Scenario, supposed_in_words
from schedlab.core.steps import computations
from schedlab.show.report.page import glossary_of, part, rendered

#: Where a bar reaches the deadline, and how far it may reach, in percent of its width.
DEADLINE, FULL = 80.0, 100.0

#: Columns of the page, and the words under which the glossary explains them.
COLUMNS = {
    "bound": "bound", "slack": "slack", "margin": "margin", "tardiness": "lateness", "deadline": "relative deadline",
    "cost": "wcet", "period": "period",
}  # fmt: skip

#: Order of answers: those that say something come first.
_ANSWERS = ("unschedulable", "schedulable", "unknown")


@dataclass(frozen=True)
class Guarantee:
    """An analysis with its scenario, and what is said of it first."""

    #: Name of the scenario's file.
    file: str
    scenario: Scenario
    analysis: Analysis
    #: The answer in a sentence.
    sentence: str
    #: Lines that follow the sentence, such as the late job that refutes.
    lines: Sequence[str] = ()


def write_guarantees(found: Sequence[Guarantee], path: Path | str) -> Path:
    """Writes the page of analyses to `path`, whole or not at all, and returns the path."""
    path = Path(path)
    write_whole(path, render_guarantees(found))
    return path


def render_guarantees(found: Sequence[Guarantee]) -> str:
    """Returns the page of analyses as text."""
    found = _shortly_named(found)
    files = list(dict.fromkeys(one.file for one in found))
    model = {
        "title": ", ".join(files) if len(files) <= 3 else f"{files[0]} and {len(files) - 1} other scenarios",
        "version": __version__,
        "answers": [_told(one, several=len(files) > 1) for one in found],
        "deadline": DEADLINE,
    }
    data = [one.analysis.to_dict() | {"by_task": by_task(one.analysis, one.scenario)} for one in found]
    words = glossary_of({head: paragraph(word) for head, word in COLUMNS.items()})
    return rendered("guarantees.html.j2", model, data, (), **words)


def render_parts(one: Guarantee, id: str) -> tuple[str, str]:
    """Returns the two parts of an answer as HTML for a page of other things: the verdict, and what proves it.

    Elements have ids that begin with `id`.
    """
    told = {"one": _told(one, several=False), "id": id, "page": {"deadline": DEADLINE}}
    verdict, proofs = (part(name).render(told) for name in ("verdict.html.j2", "proofs.html.j2"))
    return verdict, proofs


def _shortly_named(found: Sequence[Guarantee]) -> list[Guarantee]:
    """Returns the analyses with the names of their files alone, if these differ."""
    files = {one.file for one in found}
    if len({Path(file).name for file in files}) < len(files):
        return list(found)
    return [replace(one, file=Path(one.file).name) for one in found]


def _told(one: Guarantee, *, several: bool) -> dict[str, Any]:
    """Returns what the page says of an analysis."""
    analysis, scenario = one.analysis, one.scenario
    under = f"under {analysis.scheduler}"
    margin = margin_of(analysis)
    return {
        "name": f"{one.file} {under}" if several else f"Under {analysis.scheduler}",
        "facts": [
            ("tasks", len(scenario.tasks)),
            ("processors", scenario.processors),
            ("utilization", f"{float(scenario.utilization):.3f}"),
            ("locks", locks_in_words(scenario)),
            ("overheads", scenario.overheads),
        ],
        "answer": "unknown" if analysis.error else analysis.answer,
        "chip": "not applied" if analysis.error else analysis.answer,
        # The answer stands before the sentence already.
        "sentence": one.sentence.removeprefix(analysis.answer).lstrip(),
        "lines": one.lines,
        "margin": None if analysis.error else margin_in_words(analysis, scenario),
        "short_margin": "-" if margin is None else percent_in_words(margin),
        "warnings": [
            *(f"what if: {supposed_in_words(line)}" for line in scenario.what_if),
            *(f"left out of {line}" for line in analysis.left_out),
            *(f"rests on: {line}" for line in analysis.rests_on),
            *(f"unknown overheads, not charged: {kind.replace('_', ' ')}" for kind in analysis.overheads_unknown),
        ],
        "tasks": [] if analysis.error else _tasks(analysis, scenario),
        "resources": [
            resource_in_words(cost, proved=analysis.schedulable, deadlines_by=deadlines_by(analysis, scenario))
            for cost in resources_of(analysis)
        ],
        "tests": sorted(
            (_test(one, analysis) for one in analysis.verdicts),
            key=lambda test: _ANSWERS.index(test["answer"]),
        ),
        "scenario": scenario.to_toml(),
    }


def _tasks(analysis: Analysis, scenario: Scenario) -> list[dict[str, Any]]:
    rows = []
    late = not analysis.schedulable
    for index, (task, row) in enumerate(zip(tasks_of(analysis, scenario), by_task(analysis, scenario), strict=True)):
        bound, due, cost = row["bound_ns"], task["relative_deadline_ns"], task["wcet_ns"]
        rows.append(
            {
                "name": task["name"],
                "cost": duration(cost),
                "period": duration(task["period_ns"]),
                "deadline": deadline(due),
                "bound": at_most(bound),
                "slack": at_least(row["slack_ns"]),
                "margin": at_least(row["margin_ns"]),
                "tardiness": at_most(analysis.tardiness_bound_ns(index)) if late else "-",
                "is_late": bound is not None and bound > due,
                "bar": None if bound is None else _bar(cost, bound, due),
            }
        )
    return rows


def _bar(cost: int, bound: int, due: int) -> dict[str, Any]:
    """Returns the ends of a bar's parts in percent of its width: own work, and all that the bound has."""
    share = [min(length / max(due, 1) * DEADLINE, FULL) for length in (min(cost, bound), bound)]
    own, whole = (round(one, 2) for one in share)
    told = f"own work {duration(min(cost, bound))}, bound {at_most(bound)}, deadline {duration(due)}"
    return {"own": own, "whole": whole, "is_cut": bound / max(due, 1) * DEADLINE > FULL, "told": told}


def _test(verdict: Verdict, analysis: Analysis) -> dict[str, Any]:
    is_soft = (verdict.kind, verdict.answer) == ("soft", "schedulable")
    return {
        "name": verdict.test,
        "answer": verdict.answer,
        "words": "tardiness bounded" if is_soft else verdict.answer,
        "reason": verdict.reason,
        "source": verdict.source,
        "assumptions": verdict.assumptions,
        "conventions": conventions(verdict),
        "steps": [] if verdict.steps is None else computations(verdict.steps, by_cluster=analysis.has_clusters),
        "is_cut": verdict.steps is not None and verdict.steps["is_cut"],
    }
