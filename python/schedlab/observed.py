"""What the tasks of a schedule experienced, as a comparison says it: rows of plain values, and histograms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from schedlab.metrics import Metrics
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


def of_tasks(metrics: Metrics) -> list[dict[str, Any]]:
    """A row for each task; without its histogram."""
    return [{name: task[name] for name in _OF_TASK} for task in map(dict, metrics.to_dict()["tasks"])]


def totals(metrics: Metrics) -> dict[str, Any]:
    """Sums over all tasks."""
    return {name: getattr(metrics, name) for name in _OF_ALL}


def bounds(row: Mapping[str, Any], tasks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What is proved of each of `tasks` under the scheduler of `row`: nothing where that is not modelled."""
    nothing = {"response_time_bound_ns": None, "tardiness_bound_ns": None}
    return list(row["tasks"]) or [{"index": task["index"]} | nothing for task in tasks]


def edges(values: Sequence[int]) -> list[int]:
    """Bins of equal width, whole nanoseconds, that hold every value; none without values."""
    if not values:
        return []
    low, high = min(values), max(values)
    width = max(1, -(-(high - low + 1) // _BINS))
    bins = -(-(high - low + 1) // width)
    return [low + width * at for at in range(bins + 1)]


def histogram(values: Sequence[int], bounds: Sequence[int]) -> dict[str, list[int]]:
    """How many of the values are in each bin."""
    import numpy as np

    if not bounds:
        return {"edges_ns": [], "counts": []}
    counts, _ = np.histogram(np.asarray(values, dtype=np.int64), bins=np.asarray(bounds, dtype=np.int64))
    return {"edges_ns": list(bounds), "counts": [int(count) for count in counts]}
