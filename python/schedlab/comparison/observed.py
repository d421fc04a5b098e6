"""What the tasks of a schedule experienced beside what is proved, as the table and the page of a comparison say it."""

from __future__ import annotations

from collections.abc import Sequence

from schedlab.outputs.comparison import ComparedScheduler
from schedlab.outputs.results import Findings, OfTask


def bounds(row: ComparedScheduler, tasks: Sequence[OfTask]) -> list[int | None]:
    """The bounds on response times of `tasks` under the scheduler of `row`: none where that is not modelled."""
    return [task["response_time_bound_ns"] for task in row["tasks"]] or [None] * len(tasks)


def closest(seen: Sequence[OfTask], bounds: Sequence[int | None]) -> float | None:
    """The largest observed response time as a share of its bound."""
    shares = [
        task["response_time_ns"]["max"] / bound
        for task, bound in zip(seen, bounds, strict=True)
        if task["response_time_ns"] and bound
    ]
    return max(shares, default=None)


def dispatch_ns(findings: Findings) -> int | None:
    """Within which time 99.9% of a real run's decisions to run were true; None where the kernel was not asked."""
    starts = findings["witness"] and findings["witness"]["starts"]
    return starts["p999_ns"] if starts else None
