"""Margins: how much all costs may grow, and each cost alone."""

from __future__ import annotations

from schedlab.base.durations import duration
from schedlab.cli.shared.options import count
from schedlab.core import analysis as core
from schedlab.core.analysis import Analysis
from schedlab.core.placement import executed
from schedlab.core.scenario import Scenario
from schedlab.core.tables import Table
from schedlab.outputs.answers import MarginOfTask
from schedlab.outputs.results import TaskRow

#: Largest number of tasks whose margins are searched without being asked for: each takes tens of analyses.
MOST_TASKS = 100


def is_searched(scenario: Scenario) -> bool:
    """Returns whether margins are searched without --explain."""
    return len(scenario.tasks) <= MOST_TASKS


def margin_of(analysis: Analysis) -> float | None:
    """Returns the largest factor for all costs, in percent; None if it was not searched."""
    return None if analysis.explanation is None else analysis.explanation["critical_scaling_percent"]


def by_task(analysis: Analysis, scenario: Scenario) -> list[MarginOfTask]:
    """Returns the margin of each task that has bounds, beside its least bound and what that leaves."""
    if analysis.error:
        return []
    found: list[MarginOfTask] = []
    margins = [] if analysis.explanation is None else analysis.explanation["slack_ns"]
    for index, task in enumerate(tasks_of(analysis, scenario)):
        bound = analysis.response_time_bound_ns(index)
        found.append(
            {
                "task": task["name"],
                "margin_ns": margins[index] if index < len(margins) else None,
                "bound_ns": bound,
                "slack_ns": None if bound is None else task["relative_deadline_ns"] - bound,
            }
        )
    return found


def tasks_of(analysis: Analysis, scenario: Scenario) -> Table[TaskRow]:
    """Returns the tasks that have bounds: the pieces of a split one are tasks of their own."""
    placed = len(scenario.tasks) if analysis.placement is None else len(analysis.placement)
    return executed(scenario, placed)


def margin_in_words(analysis: Analysis, scenario: Scenario) -> str | None:
    """Returns a sentence: how much all costs may grow, and the one that may grow least alone."""
    if analysis.explanation is None:
        skipped = len(scenario.tasks) > MOST_TASKS
        return f"margin: not searched for {count(len(scenario.tasks), 'task')}; --explain does" if skipped else None
    percent = margin_of(analysis)
    if percent is None:
        return None
    if percent == 0:
        return "margin none: smaller costs are not proved, either"
    told = f"margin {core.margin_in_words(percent)}"
    if percent < 100:
        return f"{told}: costs would have to shrink to that"
    margins = [(row["margin_ns"], row["task"]) for row in by_task(analysis, scenario) if row["margin_ns"] is not None]
    alone = ""
    if margins:
        least, name = min(margins, key=lambda one: one[0])
        alone = f"; alone, the cost of {name} may grow by {duration(least)}, the least"
    return f"{told}: all costs may grow to that{alone}"
