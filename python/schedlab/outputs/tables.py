"""Rows of tables. A terminal shows the first columns."""

from typing import TypedDict

from schedlab.outputs.results import SimulationRow


class JobRow(TypedDict):
    """A row of `Schedule.jobs`. A terminal shows the first columns."""

    #: The task's index and name.
    task: int
    name: str
    #: The job's number: counted from 0, by task.
    job: int
    arrival_ns: int
    #: Completion - arrival; None if the job is not complete.
    response_time_ns: int | None
    #: Completion - absolute deadline: negative if the job was early, None if it has no deadline.
    lateness_ns: int | None
    #: True if the job was late, complete or not.
    missed: bool
    #: None if the job has no deadline, such as a server's.
    absolute_deadline_ns: int | None
    completion_ns: int | None
    #: Execution time that the job needed; None where it is unknown, as in real runs.
    cost_ns: int | None
    #: Time at which the job began to execute.
    start_ns: int | None
    aborted: bool
    preemptions: int
    migrations: int


class SegmentRow(TypedDict):
    """A row of `Schedule.segments`: an interval in which a job occupied a processor."""

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
    #: Number of failed attempts on lock-free objects.
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
    #: The line's number, from 1, and the record's own id as text or JSON, else the line's number. The ids `0` and `"0"`
    #: look alike, but lines with them differ in their numbers.
    line: int
    id: str


class SimulatedLine(_Line, SimulationRow):
    """The simulation of a task set from a line of a file."""
