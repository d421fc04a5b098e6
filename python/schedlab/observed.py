"""What the tasks of a schedule experienced, as a comparison says it: rows of plain values, and histograms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from schedlab.metrics import Metrics
from schedlab.outputs.comparison import BoundedTask, ComparedScheduler, Histogram
from schedlab.outputs.runs import Findings
from schedlab.outputs.schedules import OfTask, Totals
from schedlab.schedule import Schedule

_BINS = 40

_OF_TASK = (
    "index",
    "jobs",
    "completed",
    "unfinished",
    "misses",
    "aborts",
    "deadline_satisfaction_ratio",
    "accrued_utility",
    "accrued_utility_ratio",
    "preemptions",
    "migrations",
    "response_time_ns",
    "tardiness_ns",
)

_OF_ALL = (
    "jobs",
    "misses",
    "aborts",
    "deadline_satisfaction_ratio",
    "accrued_utility",
    "accrued_utility_ratio",
    "preemptions",
    "migrations",
    "max_tardiness_ns",
    "overhead_ns",
    "wasted_ns",
    "load",
)


def responses(schedule: Schedule, tasks: int) -> list[list[int]]:
    """The response times of the completed jobs, by task."""
    found: list[list[int]] = [[] for _ in range(tasks)]
    jobs = schedule.jobs
    for task, response in zip(jobs["task"], jobs["response_time_ns"], strict=True):
        if response is not None:
            found[task].append(response)
    return found


def of_tasks(metrics: Metrics) -> list[OfTask]:
    """A row for each task; without its histogram."""
    return [cast("OfTask", {name: task[name] for name in _OF_TASK}) for task in map(dict, metrics.to_dict()["tasks"])]


def totals(metrics: Metrics) -> Totals:
    """Sums over all tasks."""
    return cast("Totals", {name: getattr(metrics, name) for name in _OF_ALL})


def bounds(row: ComparedScheduler, tasks: Sequence[OfTask]) -> Sequence[BoundedTask]:
    """What is proved of each of `tasks` under the scheduler of `row`: nothing where that is not modelled."""
    nothing: list[BoundedTask] = [
        {"index": task["index"], "response_time_bound_ns": None, "tardiness_bound_ns": None} for task in tasks
    ]
    return row["tasks"] or nothing


def closest(seen: Sequence[OfTask], bounds: Sequence[BoundedTask]) -> float | None:
    """The largest observed response time as a share of its bound."""
    shares = [
        task["response_time_ns"]["max"] / bound["response_time_bound_ns"]
        for task, bound in zip(seen, bounds, strict=True)
        if task["response_time_ns"] and bound["response_time_bound_ns"]
    ]
    return max(shares, default=None)


def dispatch_ns(findings: Findings) -> int | None:
    """Within which time 99.9% of a real run's decisions to run were true; None where the kernel was not asked."""
    starts = findings["witness"] and findings["witness"]["starts"]
    return starts["p999_ns"] if starts else None


def edges(values: Sequence[int]) -> list[int]:
    """Bins of equal width, whole nanoseconds, that hold every value; none without values."""
    if not values:
        return []
    low, high = min(values), max(values)
    width = max(1, -(-(high - low + 1) // _BINS))
    bins = -(-(high - low + 1) // width)
    return [low + width * at for at in range(bins + 1)]


def histogram(values: Sequence[int], bounds: Sequence[int]) -> Histogram:
    """How many of the values are in each bin."""
    import numpy as np

    if not bounds:
        return {"edges_ns": [], "counts": []}
    counts, _ = np.histogram(np.asarray(values, dtype=np.int64), bins=np.asarray(bounds, dtype=np.int64))
    return {"edges_ns": list(bounds), "counts": [int(count) for count in counts]}
