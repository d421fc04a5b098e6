"""Rows of tables. A terminal shows the columns that come first."""

from typing import TypedDict

from schedlab.outputs.results import SimulationRow


class JobRow(TypedDict):
    """A row of `Schedule.jobs`. A terminal shows the columns that come first."""

    #: The task's index, and its name.
    task: int
    name: str
    #: The job's number: counted from 0, by task.
    job: int
    arrival_ns: int
    #: Completion less arrival; None of a job that is not complete.
    response_time_ns: int | None
    #: Completion less absolute deadline: negative of a job that was early, None of one that has no deadline.
    lateness_ns: int | None
    #: Whether it was late, complete or not.
    missed: bool
    #: None of a job that has none, such as a server's.
    absolute_deadline_ns: int | None
    completion_ns: int | None
    #: What it needed; None where that is unknown, as in real runs.
    cost_ns: int | None
    #: When it began to execute.
    start_ns: int | None
    aborted: bool
    preemptions: int
    migrations: int


class SegmentRow(TypedDict):
    """A row of `Schedule.segments`: a job occupied a processor."""

    cpu: int
    task: int
    job: int
    start_ns: int
    end_ns: int


class TaskMetricsRow(TypedDict):
    """A row of `Metrics.tasks`. Times are None where no job has one."""

    index: int
    name: str
    jobs: int
    misses: int
    max_response_time_ns: int | None
    max_tardiness_ns: int | None
    completed: int
    unfinished: int
    preemptions: int
    migrations: int
    task_migrations: int
    suspensions: int
    #: Attempts on lock-free objects that failed.
    retries: int
    mean_response_time_ns: float | None
    p50_response_time_ns: int | None
    p95_response_time_ns: int | None
    p99_response_time_ns: int | None
    mean_tardiness_ns: float | None
    aborts: int
    deadline_satisfaction_ratio: float | None
    accrued_utility: float | None
    accrued_utility_ratio: float | None


class _Line(TypedDict):
    #: The line's number, from 1, and the record's own id: its text, or JSON. Without one, the line's number. The ids
    #: `0` and `"0"` look alike: the number tells such lines apart.
    line: int
    id: str


class SimulatedLine(_Line, SimulationRow):
    """The same of a task set that stood in a line of a file."""
