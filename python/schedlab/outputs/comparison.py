"""What a comparison holds: bounds, simulations and real runs beside each other."""

# Not `from __future__ import annotations`: under it, Python 3.11 does not see `NotRequired`.

from typing import Annotated, NotRequired, TypedDict

from schedlab.outputs.results import CheckedDict, VerdictDict
from schedlab.outputs.runs import Findings
from schedlab.outputs.schedules import Drawing, OfTask, Totals
from schedlab.outputs.shapes import OR_EMPTY


class Histogram(TypedDict):
    """How many values are in each bin: an edge more than counts."""

    edges_ns: list[int]
    counts: list[int]


class OverBound(TypedDict):
    """A longest response above its proved bound, and why."""

    index: int
    job: str | None
    response_time_ns: int
    bound_ns: int
    explained: bool | None
    taken_ns: dict[str, int]


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


class BoundedTask(TypedDict):
    """What is proved of a task's jobs."""

    index: int
    response_time_bound_ns: int | None
    tardiness_bound_ns: int | None


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


class SchedulerOverLoad(TypedDict):
    """What a scheduler accrues by load; None where it cannot have the tasks."""

    name: str
    accrued_utility_ratios: list[float | None]
    deadline_satisfaction_ratios: list[float | None]


class UtilityOverLoad(TypedDict):
    """Simulations of the same tasks with all costs multiplied; by factor, in ascending order."""

    horizon_ns: int
    costs_times: list[float]
    utilizations: list[float]
    schedulers: list[SchedulerOverLoad]


class ComparisonDict(TypedDict):
    """A comparison, which `schedlab.compare` describes."""

    title: str
    schedlab_version: str
    scenario: str
    overheads: str
    overheads_source: str
    overheads_statistic: str
    overheads_unknown: list[str]
    overheads_not_simulated: list[str]
    modelled: NotRequired[Modelled]
    utility_over_load: NotRequired[UtilityOverLoad]
    processors: int
    utilization: Utilization
    seed: int | str
    horizon_ns: int
    drawn_until_ns: int
    tasks: list[ScenarioTask]
    schedulers: list[ComparedScheduler]
