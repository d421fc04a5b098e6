"""Observed response times beside proved bounds, for the table and the page of a comparison."""

from __future__ import annotations

from collections.abc import Sequence

from schedlab.outputs.comparison import ComparedScheduler
from schedlab.outputs.results import Findings, OfTask


def bounds(row: ComparedScheduler, tasks: Sequence[OfTask]) -> list[int | None]:
    """Returns the bounds on response times of `tasks` under the scheduler of `row`; None where it is not modelled."""
    return [task["response_time_bound_ns"] for task in row["tasks"]] or [None] * len(tasks)


def closest(seen: Sequence[OfTask], bounds: Sequence[int | None]) -> float | None:
    """Returns the largest observed response time as a share of its bound; None if there is none."""
    shares = [
        task["response_time_ns"]["max"] / bound
        for task, bound in zip(seen, bounds, strict=True)
        if task["response_time_ns"] and bound
    ]
    return max(shares, default=None)


def dispatch_ns(findings: Findings) -> int | None:
    """Returns the time within which 99.9% of a real run's decisions to run came true; None without kernel records."""
    starts = findings["witness"] and findings["witness"]["starts"]
    return starts["p999_ns"] if starts else None
