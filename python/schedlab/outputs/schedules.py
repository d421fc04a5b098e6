"""What jobs experienced, simulated or real: types of plain values, and of the rows of tables."""

# Not `from __future__ import annotations`: under it, Python 3.11 does not see `NotRequired`.

from typing import Annotated, Any, NotRequired, TypedDict

from schedlab.outputs.results import CheckedDict, VerdictDict
from schedlab.outputs.runs import Findings, OverBound
from schedlab.outputs.shapes import OR_EMPTY, Cells

Two = Annotated[list[int], Cells(*[int] * 2)]
Three = Annotated[list[int], Cells(*[int] * 3)]
Four = Annotated[list[int], Cells(*[int] * 4)]
Five = Annotated[list[int], Cells(*[int] * 5)]
Six = Annotated[list[int], Cells(*[int] * 6)]


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
    #: Completion less absolute deadline: negative of a job that was early.
    lateness_ns: int | None
    #: Whether it was late, complete or not.
    missed: bool
    absolute_deadline_ns: int
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


class _Utility(TypedDict):
    #: Jobs that were given up.
    aborts: int
    #: Jobs in time over those that were in time or missed (DSR); None without any.
    deadline_satisfaction_ratio: float | None
    #: What completions were worth; None where neither a task nor the scheduler speaks of utility.
    accrued_utility: float | None
    #: The same over what the jobs would have been worth at their arrivals (AUR).
    accrued_utility_ratio: float | None


class _Counts(_Utility):
    index: int
    jobs: int
    completed: int
    unfinished: int
    misses: int
    preemptions: int
    migrations: int


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
    mean: float


class OfTask(_Counts):
    """What a task experienced."""

    response_time_ns: ResponseTimes | None
    tardiness_ns: Tardiness | None


class TaskMetricsDict(OfTask):
    """The same, in metrics."""

    name: str
    suspensions: int
    #: Attempts on lock-free objects that failed.
    retries: int
    task_migrations: int


class Totals(_Utility):
    """Sums over all tasks and processors."""

    jobs: int
    misses: int
    preemptions: int
    migrations: int
    max_tardiness_ns: int
    overhead_ns: int
    wasted_ns: int
    load: float


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


class MetricsDict(Totals):
    """`Metrics` as plain values."""

    scheduler: str
    horizon_ns: int
    wasted_by_processor_ns: list[int]
    deadlocks: list[Deadlock]
    tasks: list[TaskMetricsDict]


class SimulationDict(MetricsDict):
    """What `simulate` prints."""

    overheads_charged: str
    #: Kinds without a value for the scheduler: not charged.
    overheads_unknown: list[str]
    violated: list[CheckedDict]


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
    #: By task: the longest response time of its complete jobs; None if none is complete.
    max_response_times_ns: list[int | None]


class _Line(TypedDict):
    #: The line's number, from 1, and the record's own id: its text, or JSON. Without one, the line's number.
    line: int
    id: str


class SimulatedLine(_Line, SimulationRow):
    """The same of a task set that stood in a line of a file."""


class _Cause(TypedDict):
    cause: str
    #: What only some causes have.
    jobs: NotRequired[list[str]]
    behind: NotRequired[list[str]]
    resource: NotRequired[str]
    resources: NotRequired[list[str]]
    kind: NotRequired[str]


class WhyInterval(_Cause):
    """Why a job did not go on, or that it did, in an interval."""

    start_ns: int
    end_ns: int


class WhyPart(_Cause):
    """How long that was in all."""

    length_ns: int


class Lost(TypedDict):
    """What was taken from a job of a real run since its processors were last idle, and why it missed its deadline."""

    busy_since_ns: int
    lost_ns: int
    lost_to_ns: dict[str, int]
    missed_by: str | None


class WhyParts(TypedDict):
    """A job's response time as parts that sum to it exactly."""

    job: str
    arrival_ns: int
    absolute_deadline_ns: int
    end_ns: int
    ending: str
    response_time_ns: int
    intervals: list[WhyInterval]
    parts: list[WhyPart]


class Why(WhyParts):
    """The same, and what was lost if the run was real."""

    lost: Lost | None


class Histogram(TypedDict):
    """How many values are in each bin: an edge more than counts."""

    edges_ns: list[int]
    counts: list[int]


class Occupant(TypedDict):
    """What is on a processor: a job, or an overhead."""

    task: NotRequired[int]
    job: NotRequired[int]
    overhead: NotRequired[str]


class OtherOccupants(TypedDict):
    """What a processor does in two schedules."""

    at_ns: int
    cpu: int
    occupants: Annotated[list[Occupant | None], Cells(Occupant | None, Occupant | None)]


class OtherRecord(TypedDict):
    """The first record that is not in both traces."""

    number: int
    lines: Annotated[list[str | None], Cells(str | None, str | None)]


class Difference(TypedDict):
    """Where two traces differ first; None where they do not."""

    schedule: OtherOccupants | None
    record: OtherRecord | None


class Drawing(TypedDict):
    """What a picture needs; `schedlab.compare` says what each row holds."""

    window: Two
    segments: list[Five]
    spinning: list[Five]
    critical_sections: list[Five]
    overheads: list[Annotated[list[Any], Cells(int, str, int, int)]]
    waits: list[Annotated[list[Any], Cells(int, int, str, int, int)]]
    blockings: list[Six]
    arrivals: list[Three]
    deadlines: list[Three]
    completions: list[Three]
    aborts: list[Three]
    misses: list[Three]
    budgets: list[Three]
    wastes: list[Three]
    subtasks: list[Four]


class RealTask(OfTask):
    """What a task experienced in a real run."""

    histogram: Histogram


class Real(TypedDict):
    """A real run beside its simulation; with an error there is nothing else."""

    error: str | None
    ending: NotRequired[str]
    until_ns: NotRequired[int]
    tasks: NotRequired[list[RealTask]]
    totals: NotRequired[Totals]
    over_bound: NotRequired[list[OverBound]]
    findings: NotRequired[Findings]


class ComparedTask(RealTask):
    """What a task experienced, beside what is proved."""

    response_time_bound_ns: int | None
    tardiness_bound_ns: int | None


class ComparedScheduler(TypedDict):
    """A scheduler in a comparison. Of one that could not be applied, `totals` and `schedule` are empty."""

    name: str
    description: str
    modelled: NotRequired[bool]
    error: str | None
    overheads_unknown: list[str]
    placement: list[int] | None
    verdicts: list[VerdictDict]
    tasks: list[ComparedTask]
    totals: Annotated[Totals, OR_EMPTY]
    invariants: list[CheckedDict]
    schedule: Annotated[Drawing, OR_EMPTY]
    real: NotRequired[Real]


class Utilization(TypedDict):
    """Of the tasks that are there together."""

    exact: str
    value: float


class ScenarioTask(TypedDict):
    """A task of the compared scenario."""

    index: int
    wcet_ns: int
    period_ns: int
    relative_deadline_ns: int
    offset_ns: int
    name: str
    utilization: float


class BesideCharged(TypedDict):
    """The longest that a working set takes to be loaded again; None where that is unknown."""

    scheduler: str
    kind: str
    working_set_bytes: int
    charged_ns: int | None
    modelled_ns: int | None


class Modelled(TypedDict):
    """An overheads file of `schedlab membus` beside the charged overheads."""

    source: str
    cache_delays: list[BesideCharged]


class ComparisonDict(TypedDict):
    """A comparison, which `schedlab.compare` describes."""

    title: str
    schedlab_version: str
    scenario: str
    overheads: str
    overheads_source: str
    overheads_statistic: str
    overheads_unknown: list[str]
    modelled: NotRequired[Modelled]
    processors: int
    utilization: Utilization
    seed: int | str
    horizon_ns: int
    drawn_until_ns: int
    tasks: list[ScenarioTask]
    schedulers: list[ComparedScheduler]
