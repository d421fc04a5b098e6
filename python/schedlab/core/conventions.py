"""What the letters of a test's computation mean where they are not the numbers of the scenario, and where it ended."""

from __future__ import annotations

from schedlab.base.durations import duration
from schedlab.core.analysis import Verdict
from schedlab.outputs.results import TestSteps

#: Causes of a longer cost, by what it then contains. Jitter comes first, as releases at ticks have some.
_CONTAINED = {
    "jitter": ("jitter", "ticks"),
    "suspension": ("suspension",),
    "waiting": ("waiting",),
}

#: The letter of each time of a task.
_LETTERS = {"cost": "C", "period": "T", "relative_deadline": "D", "jitter": "J"}


def conventions(verdict: Verdict) -> list[str]:
    """Returns a line for each letter of the test's computation that is not a number of the scenario, and one for each
    task with which the test ended."""
    steps = verdict.steps
    if steps is None:
        return []
    return [*_ended(steps), *_changed(steps)]


def _ended(steps: TestSteps) -> list[str]:
    names = dict.fromkeys(one["name"] for one in steps["ended_with"])
    return [f"the test ends with the first task that fails, {name}: it looks at none after it" for name in names]


def _changed(steps: TestSteps) -> list[str]:
    changed, ticks = steps["changed"], duration(steps["release_delay_ns"])
    by_time = {time: {cause for one in changed if one["time"] == time for cause in one["because"]} for time in _LETTERS}
    of_cost = by_time["cost"]
    contained = [name for name, causes in _CONTAINED.items() if of_cost.intersection(causes)]
    lines = [f"C contains {' and '.join(contained)}"] if contained else []
    if steps["is_from_release"]:
        if by_time["relative_deadline"] or by_time["period"]:
            told = f"releases are at ticks: T is the period rounded down to whole ticks of {ticks}"
            told += f", D the deadline less {ticks}"
            bounds = f"; from the arrival, the bound is R + {ticks}" if steps["responses"] else ""
            lines.append(told + bounds)
    else:
        if by_time["relative_deadline"].intersection(("jitter", "ticks")):
            lines.append("D is the deadline less the jitter")
        if any("ticks" in causes for causes in by_time.values()):
            lines.append(f"releases are at ticks: the jitter of each task contains {ticks}")
    accounted = [letter for time, letter in _LETTERS.items() if "accounting" in by_time[time]]
    if accounted:
        verb = "are those" if len(accounted) > 1 else "is the one"
        lines.append(f"{' and '.join(accounted)} {verb} after accounting for overheads and retries")
    return lines
