"""Metrics of the jobs of a schedule, and the results of checking invariants."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

from schedlab.core import display
from schedlab.core.tables import Table
from schedlab.outputs.results import CheckedDict, Deadlock, MetricsDict, TaskMetricsDict
from schedlab.outputs.tables import TaskMetricsRow


@dataclass(frozen=True)
class Checked:
    """An invariant, and whether a trace respects it."""

    name: str
    holds: bool
    #: The first violation, if there is one; for missed deadlines, the reason.
    detail: str | None

    def to_dict(self) -> CheckedDict:
        """Returns plain values, for JSON."""
        return {"name": self.name, "holds": self.holds, "detail": self.detail}


@dataclass(frozen=True)
class Metrics:
    """Metrics of the jobs of a trace, in all and by task."""

    scheduler: str
    horizon_ns: int
    jobs: int
    misses: int
    #: Number of jobs that were given up.
    aborts: int
    #: Jobs in time over those that were in time or missed (DSR); None without any.
    deadline_satisfaction_ratio: float | None
    #: Utility of all completions; None where neither a task nor the scheduler speaks of utility.
    accrued_utility: float | None
    #: Accrued utility over what the jobs would have been worth at their arrivals (AUR).
    accrued_utility_ratio: float | None
    preemptions: int
    migrations: int
    #: Number of failed attempts on lock-free objects.
    retries: int
    max_tardiness_ns: int
    overhead_ns: int
    #: Time that tasks were charged for and no job used: the rests of quanta, in all and by processor.
    wasted_ns: int
    wasted_by_processor_ns: list[int]
    #: Share of processor time that was busy, from 0 to 1.
    load: float
    #: Jobs that wait for each other in a circle.
    deadlocks: list[Deadlock]
    #: One row per task.
    tasks: Table[TaskMetricsRow]
    #: The metrics as plain values.
    _given: MetricsDict = field(repr=False, compare=False)

    def __repr__(self) -> str:
        moved = f"{self.preemptions} preemptions, {self.migrations} migrations"
        return f"<Metrics under {self.scheduler}: {self.jobs} jobs, {self.misses} deadlines missed, {moved}>"

    @classmethod
    def of(cls, found: MetricsDict) -> Metrics:
        """Makes metrics from plain values."""
        tasks = Table((_row(task) for task in found["tasks"]), TaskMetricsRow)
        rest: dict[str, Any] = {name: value for name, value in found.items() if name != "tasks"}
        return cls(**rest, tasks=tasks, _given=found)

    def to_dict(self) -> MetricsDict:
        """Returns plain values, for JSON, in which response times and tardiness of each task are objects."""
        return self._given.copy()

    def _repr_html_(self) -> str:
        return display.html(self)


def _row(task: TaskMetricsDict) -> TaskMetricsRow:
    """Returns a task's metrics with a column for each number."""
    numbers: dict[str, Any] = {**task}
    for name in ("response_time_ns", "tardiness_ns"):
        numbers |= {f"{statistic}_{name}": value for statistic, value in (numbers[name] or {}).items()}
    return cast("TaskMetricsRow", {column: numbers.get(column) for column in TaskMetricsRow.__annotations__})
