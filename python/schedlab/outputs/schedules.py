"""What jobs experienced, simulated or real: types of plain values, generated from structs of Rust.

`make renew` writes it anew.
"""

# Not `from __future__ import annotations`: under it, Python 3.11 does not see `NotRequired`.

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from schedlab.outputs.results import CheckedDict
from schedlab.outputs.shapes import Cells


class Totals(TypedDict):
    """Sums over all tasks and processors."""

    jobs: int
    misses: int
    preemptions: int
    migrations: int
    #: Attempts on lock-free objects that failed.
    retries: int
    max_tardiness_ns: int
    overhead_ns: int
    wasted_ns: int
    #: The share of processor time that was busy.
    load: float
    #: Jobs that were given up.
    aborts: int
    #: Jobs in time over those that were in time or missed (DSR); None without any.
    deadline_satisfaction_ratio: float | None
    #: What completions were worth; None where neither a task nor the scheduler speaks of utility.
    accrued_utility: float | None
    #: The same over what the jobs would have been worth at their arrivals (AUR).
    accrued_utility_ratio: float | None


class ResponseTimes(TypedDict):
    """Response times of a task's complete jobs."""

    max: int
    mean: float
    p50: int
    p95: int
    p99: int


class Tardiness(TypedDict):
    """Tardiness of a task's jobs."""

    max: int
    #: None where no job is complete.
    mean: float | None


class OfTask(TypedDict):
    """What a task experienced."""

    index: int
    jobs: int
    completed: int
    unfinished: int
    misses: int
    preemptions: int
    migrations: int
    #: Jobs that were given up.
    aborts: int
    #: Jobs in time over those that were in time or missed (DSR); None without any.
    deadline_satisfaction_ratio: float | None
    #: What completions were worth; None where neither a task nor the scheduler speaks of utility.
    accrued_utility: float | None
    #: The same over what the jobs would have been worth at their arrivals (AUR).
    accrued_utility_ratio: float | None
    response_time_ns: ResponseTimes | None
    tardiness_ns: Tardiness | None


class DeadlockLink(TypedDict):
    """A job in a deadlock, in words."""

    job: str
    holds: str
    wants: str


class Deadlock(TypedDict):
    """Jobs that wait for each other in a circle."""

    at_ns: int
    circle: list[DeadlockLink]
    text: str


class TaskMetricsDict(OfTask):
    """The same, in metrics."""

    name: str
    suspensions: int
    #: Attempts on lock-free objects that failed.
    retries: int
    task_migrations: int


class MetricsDict(Totals):
    """`Metrics` as plain values."""

    scheduler: str
    horizon_ns: int
    wasted_by_processor_ns: list[int]
    deadlocks: list[Deadlock]
    tasks: list[TaskMetricsDict]


class Measured(TypedDict):
    """What a simulation without a trace gives: metrics, and what `check` would say of its trace."""

    #: Of jobs and processors.
    metrics: MetricsDict
    #: None are there if invariants were not checked.
    checks: list[CheckedDict]


class SimulationRow(TypedDict):
    """One simulation of many. Without a schedule, `error` says why, and what was observed is None or empty."""

    scheduler: str
    #: Why the scheduler or the protocol cannot have the tasks, such as a task set that does not fit its partitions.
    error: str | None
    horizon_ns: int | None
    jobs: int | None
    misses: int | None
    aborts: int | None
    deadline_satisfaction_ratio: float | None
    accrued_utility_ratio: float | None
    preemptions: int | None
    migrations: int | None
    max_tardiness_ns: int | None
    overhead_ns: int | None
    wasted_ns: int | None
    load: float | None
    deadlocks: int | None
    #: The invariants that the schedule violates, of those that were checked.
    violated: list[str]
    #: Tasks that fit nowhere and were placed best-effort.
    overflowed: list[str]
    #: By task: the longest response time of its complete jobs; None if none is complete.
    max_response_times_ns: list[int | None]


class WhyInterval(TypedDict):
    """Why a job did not go on, or that it did, in an interval."""

    cause: str
    start_ns: int
    end_ns: int
    behind: NotRequired[list[str]]
    jobs: NotRequired[list[str]]
    kind: NotRequired[str]
    resource: NotRequired[str]
    resources: NotRequired[list[str]]


class WhyPart(TypedDict):
    """How long that was in all."""

    cause: str
    length_ns: int
    behind: NotRequired[list[str]]
    jobs: NotRequired[list[str]]
    kind: NotRequired[str]
    resource: NotRequired[str]
    resources: NotRequired[list[str]]


class WhyParts(TypedDict):
    """A job's response time as parts that sum to it exactly."""

    job: str
    arrival_ns: int
    #: None of a job that has none, such as a server's.
    absolute_deadline_ns: int | None
    end_ns: int
    #: When its abort handler began.
    handler_ns: int | None
    ending: Literal["completed", "aborted", "unfinished"]
    response_time_ns: int
    #: What its end is worth; None where neither a task nor the scheduler speaks of utility, or it has not ended.
    accrued_utility: float | None
    #: What a completion at its arrival would have been worth.
    largest_utility: float | None
    intervals: list[WhyInterval]
    parts: list[WhyPart]


class Occupant(TypedDict):
    """What is on a processor: a job, or an overhead."""

    job: NotRequired[int]
    overhead: NotRequired[str]
    task: NotRequired[int]


class OtherOccupants(TypedDict):
    """What a processor does in two schedules."""

    at_ns: int
    cpu: int
    occupants: Annotated[list[Occupant | None], Cells(Occupant | None, Occupant | None)]


class OtherRecord(TypedDict):
    """The first record that is not in both traces."""

    #: From 0.
    number: int
    #: None of a trace that has ended.
    lines: Annotated[list[str | None], Cells(str | None, str | None)]


class Difference(TypedDict):
    """Where two traces differ first; None where they do not."""

    #: What a processor does.
    schedule: OtherOccupants | None
    #: What is recorded.
    record: OtherRecord | None


class Drawing(TypedDict):
    """What a picture needs: rows of numbers, jobs counted from 0. A mark is a task, its job, and when."""

    aborts: list[Annotated[list[int], Cells(int, int, int)]]
    arrivals: list[Annotated[list[int], Cells(int, int, int)]]
    #: Task and job, those of the holder, begin, end.
    blockings: list[Annotated[list[int], Cells(int, int, int, int, int, int)]]
    #: Those that were used up.
    budgets: list[Annotated[list[int], Cells(int, int, int)]]
    completions: list[Annotated[list[int], Cells(int, int, int)]]
    #: Task, job, resource, begin, end.
    critical_sections: list[Annotated[list[int], Cells(int, int, int, int, int)]]
    deadlines: list[Annotated[list[int], Cells(int, int, int)]]
    #: When abort handlers began.
    handlers: list[Annotated[list[int], Cells(int, int, int)]]
    #: At the deadlines that passed.
    misses: list[Annotated[list[int], Cells(int, int, int)]]
    #: Processor, kind by its word in the glossary, begin, end.
    overheads: list[Annotated[list[Any], Cells(int, str, int, int)]]
    #: Processor, task, job, begin, end.
    segments: list[Annotated[list[int], Cells(int, int, int, int, int)]]
    #: Those of the segments that spin.
    spinning: list[Annotated[list[int], Cells(int, int, int, int, int)]]
    #: Windows of granted quanta (Pfair): task, job, release, deadline.
    subtasks: list[Annotated[list[int], Cells(int, int, int, int)]]
    #: Task, job, reason, begin, end.
    waits: list[Annotated[list[Any], Cells(int, int, str, int, int)]]
    #: Rests of quanta (Pfair): processor, begin, end.
    wastes: list[Annotated[list[int], Cells(int, int, int)]]
    window: Annotated[list[int], Cells(int, int)]
