"""Margins: how much all costs may grow, and each cost alone; and what shared resources cost."""

from __future__ import annotations

from schedlab import _native
from schedlab.base.durations import NO_DEADLINE_NS, at_least, at_most, duration
from schedlab.core.analysis import Analysis
from schedlab.core.placement import executed
from schedlab.core.scenario import Scenario
from schedlab.core.tables import Table
from schedlab.outputs.answers import MarginOfTask
from schedlab.outputs.results import ResourceCost, TaskRow

#: Largest number of tasks whose margins are searched without being asked for: each takes tens of analyses.
MOST_TASKS = 100

#: The margin where no costs are proved, however small.
NONE_PROVED = -100.0


def is_searched(scenario: Scenario) -> bool:
    """Returns whether margins are searched without --explain."""
    return len(scenario.tasks) <= MOST_TASKS


def margin_of(analysis: Analysis) -> float | None:
    """Returns how much all costs may grow, in percent; None if it was not searched."""
    return None if analysis.explanation is None else analysis.explanation["margin_percent"]


def resources_of(analysis: Analysis) -> list[ResourceCost]:
    """Returns what each shared resource costs, the most important first; empty if margins were not searched."""
    return [] if analysis.explanation is None else analysis.explanation["resources"]


def by_task(analysis: Analysis, scenario: Scenario) -> list[MarginOfTask]:
    """Returns the margin of each task that has bounds, beside its least bound and what that leaves."""
    if analysis.error:
        return []
    found: list[MarginOfTask] = []
    margins = [] if analysis.explanation is None else analysis.explanation["margins_ns"]
    for index, task in enumerate(tasks_of(analysis, scenario)):
        bound, due = analysis.response_time_bound_ns(index), task["relative_deadline_ns"]
        found.append(
            {
                "task": task["name"],
                "margin_ns": margins[index] if index < len(margins) and due < NO_DEADLINE_NS else None,
                "bound_ns": bound,
                "slack_ns": None if bound is None or due >= NO_DEADLINE_NS else due - bound,
            }
        )
    return found


def tasks_of(analysis: Analysis, scenario: Scenario) -> Table[TaskRow]:
    """Returns the tasks that have bounds: the pieces of a split one are tasks of their own."""
    placed = len(scenario.tasks) if analysis.placement is None else len(analysis.placement)
    return executed(scenario, placed)


def percent_in_words(percent: float) -> str:
    """Returns a margin as text, such as `10%`, with "at least" for the largest that a search tries."""
    if percent <= NONE_PROVED:
        return "none"
    least = "at least " if percent >= _native.LARGEST_MARGIN_PERCENT else ""
    return f"{least}{percent:.2f}".removesuffix(".00") + "%"


def margin_in_words(analysis: Analysis, scenario: Scenario) -> str | None:
    """Returns a sentence: how much all costs may grow, and the one that may grow least alone."""
    if analysis.explanation is None:
        skipped = len(scenario.tasks) > MOST_TASKS
        return f"margin: not searched for {len(scenario.tasks)} tasks; --explain does" if skipped else None
    percent = margin_of(analysis)
    if percent is None:
        return None
    told = f"margin {percent_in_words(percent)}"
    if percent <= NONE_PROVED:
        return f"{told}: smaller costs are not proved, either"
    if percent < 0:
        return f"{told}: all costs would have to shrink by that"
    margins = [(row["margin_ns"], row["task"]) for row in by_task(analysis, scenario) if row["margin_ns"] is not None]
    alone = ""
    if margins:
        least, name = min(margins, key=lambda one: one[0])
        alone = f"; alone, the cost of {name} may grow by {at_least(least)}, the least"
    return f"{told}: all costs may grow by that{alone}"


def resource_in_words(one: ResourceCost, *, proved: bool, deadlines_by: str | None = None, most: int = 3) -> str:
    """Returns a sentence: whose bounds a resource lengthens, and which shorter sections would do if none is `proved`.

    `most` tasks are named. By the test `deadlines_by`, if any, bounds are the deadlines themselves.
    """
    name = one["resource"]
    known = [f"{task['task']} {duration(task['by_ns'])}" for task in one["lengthens"] if task["by_ns"] is not None]
    lost = [task["task"] for task in one["lengthens"] if task["by_ns"] is None]
    more = [f"and {len(known) - most} more"] if len(known) > most else []
    parts = [f"{name} costs {', '.join([*known[:most], *more])}"] if known else []
    if lost:
        without = f"without {name if not known else 'it'}, bounds would be known of {', '.join(lost[:most])}"
        parts.append(without + (f" and {len(lost) - most} more" if len(lost) > most else ""))
    elif not known and deadlines_by and one["all_known"]:
        parts = [f"{name} lengthens no bound: those by {deadlines_by} are the deadlines themselves"]
    elif not known:
        parts = [f"{name} lengthens no bound" if one["all_known"] else f"{name}: unknown, because tasks have no bound"]
    if not proved:
        parts.append(_shorter(one))
    return "; ".join(parts)


def deadlines_by(analysis: Analysis, scenario: Scenario) -> str | None:
    """Returns the locking protocol's test if its bounds are the deadlines, as where it compares demand."""
    method = None if analysis.blocking is None else analysis.blocking["method"]
    due = tuple(task["relative_deadline_ns"] for task in tasks_of(analysis, scenario))
    found = (one for one in analysis.verdicts if one.test == method and one.response_time_bounds_ns == due)
    return method if next(found, None) is not None else None


def _shorter(one: ResourceCost) -> str:
    enough, longest = one["enough_ns"], one["longest_ns"]
    if enough is None:
        return "no shorter section of it alone is proved to do"
    of = f"sections of at most {at_least(enough)}, the longest is {one['longest_of']}'s"
    return f"{at_most(longest - enough)} less would do ({of} {duration(longest)})"
