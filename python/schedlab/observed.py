"""What the tasks of a schedule experienced, as a comparison says it: rows of plain values, and histograms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from schedlab.schedule import Metrics, Schedule

_BINS = 40

_OF_TASK = (
    "index",
    "jobs",
    "completed",
    "unfinished",
    "misses",
    "preemptions",
    "migrations",
    "response_time_ns",
    "tardiness_ns",
)

_OF_ALL = (
    "jobs",
    "misses",
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
    for job in schedule.jobs:
        if job["completion_ns"] is not None:
            found[job["task"]].append(job["completion_ns"] - job["arrival_ns"])
    return found


def of_tasks(metrics: Metrics) -> list[dict[str, Any]]:
    """A row for each task; without its histogram."""
    return [{name: task[name] for name in _OF_TASK} for task in metrics.tasks]


def totals(metrics: Metrics) -> dict[str, Any]:
    """Sums over all tasks."""
    return {name: getattr(metrics, name) for name in _OF_ALL}


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
