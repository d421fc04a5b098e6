"""Comparisons as Python puts them together: bounds, simulations and real runs beside each other."""

# Not `from __future__ import annotations`: under it, Python 3.11 does not see `NotRequired`.

from typing import Annotated, NotRequired, TypedDict

from schedlab.outputs.answers import Supposed
from schedlab.outputs.results import (
    BesideCharged,
    CheckedDict,
    ComparedScenario,
    ComparedTask,
    Deadlock,
    Drawing,
    Findings,
    ObservedTask,
    OtherOccupants,
    OverBound,
    Totals,
    VerdictDict,
)
from schedlab.outputs.shapes import OR_EMPTY


class Real(TypedDict):
    """A real run beside its simulation; with an error there is nothing else but, after an interrupt, the `ending`."""

    #: The reason why this scheduler did not run for real.
    error: str | None
    #: "horizon" or "programs_completed"; if it is not whole "stopped", "crashed", "starved",
    #: "stood_still"; else "not_run".
    ending: NotRequired[str]
    #: Length of the run.
    until_ns: NotRequired[int]
    #: Observed tasks, in the form of the simulation's.
    tasks: NotRequired[list[ObservedTask]]
    totals: NotRequired[Totals]
    #: Jobs that waited for each other in a circle.
    deadlocks: NotRequired[list[Deadlock]]
    #: The tasks whose longest response was above its proved bound, and why.
    over_bound: NotRequired[list[OverBound]]
    #: Findings, in the form of `schedlab run --check --json`.
    findings: NotRequired[Findings]


class ComparedScheduler(TypedDict):
    """A scheduler in a comparison. Of one that could not be applied, `totals` and `schedule` are empty."""

    name: str
    description: str
    #: False under a class of Linux itself, which only runs for real.
    modelled: NotRequired[bool]
    #: The reason why this scheduler could not be applied, such as a task set that does not fit the partitions.
    error: str | None
    #: Kinds of overheads without a value for this scheduler, which are not charged.
    overheads_unknown: list[str]
    #: What answers under this scheduler leave out, such as places that it does not heed, and what they rest on.
    left_out: NotRequired[list[str]]
    rests_on: NotRequired[list[str]]
    #: The cluster of each task; None if global.
    placement: list[int] | None
    #: Tasks that fit nowhere and are placed best-effort.
    overflowed: NotRequired[list[str]]
    #: The partitioned scheduler that this one is, because its clusters have one processor each; else None.
    same_as_partitioned: NotRequired[str | None]
    #: Jobs that wait for each other in a circle in the simulated schedule.
    deadlocks: NotRequired[list[Deadlock]]
    #: The names of resources by their number in `schedule`.
    resources: NotRequired[list[str]]
    #: Verdicts of every test that speaks of this scheduler.
    verdicts: list[VerdictDict]
    #: Observations by task, with the smallest proved bounds.
    tasks: list[ComparedTask]
    totals: Annotated[Totals, OR_EMPTY]
    invariants: list[CheckedDict]
    #: The schedule up to `drawn_until_ns`.
    schedule: Annotated[Drawing, OR_EMPTY]
    #: The real run, after `compare(run=...)`.
    real: NotRequired[Real]


class Modelled(TypedDict):
    """An overheads file of `schedlab membus` beside the charged overheads."""

    #: The source that the file states.
    source: str
    cache_delays: list[BesideCharged]


class SchedulerOverLoad(TypedDict):
    """Utility and deadlines kept by load under a scheduler; None where it cannot have the tasks."""

    name: str
    accrued_utility_ratios: list[float | None]
    deadline_satisfaction_ratios: list[float | None]


class UtilityOverLoad(TypedDict):
    """Simulations of the same tasks with all costs multiplied; by factor, in ascending order."""

    #: Length of each of these simulations: shorter than the horizon if that is long.
    horizon_ns: int
    #: Factors of all costs; 1.0 is the scenario itself.
    costs_times: list[float]
    #: Utilizations of all tasks, by factor.
    utilizations: list[float]
    schedulers: list[SchedulerOverLoad]


class ComparisonDict(ComparedScenario):
    """The result of `schedlab.compare`: what is proved, what was simulated and, if asked for, what real runs did."""

    #: Kinds of overheads without a value for some compared scheduler, which are not charged.
    overheads_unknown: list[str]
    #: Kinds of overheads that analyses charge for locks, and simulations do not.
    overheads_not_simulated: list[str]
    #: What answers under some scheduler leave out although they could be too good without it, and the conditions on
    #: which they rest besides the scenario's own numbers; if there are any.
    left_out: NotRequired[list[str]]
    rests_on: NotRequired[list[str]]
    #: Fields that were set from outside, if any were.
    what_if: NotRequired[list[Supposed]]
    #: Present only with a file that `schedlab membus --out` wrote.
    modelled: NotRequired[Modelled]
    #: Present only where tasks state utilities.
    utility_over_load: NotRequired[UtilityOverLoad]
    #: End of the part of each schedule that is in `schedule`.
    drawn_until_ns: int
    #: The schedulers in the order asked for.
    schedulers: list[ComparedScheduler]


class OneOfTwo(TypedDict):
    """A scenario beside another one: what is proved, and what was simulated."""

    scheduler: str
    #: schedulable, unschedulable or unknown, and the tests that say so.
    answer: str
    tests: list[str]
    #: The reason why nothing was simulated, such as a task set that does not fit the partitions.
    error: str | None
    jobs: int | None
    misses: int | None
    #: Jobs that wait for each other in a circle in the simulated schedule.
    deadlocks: list[Deadlock]
    left_out: list[str]
    rests_on: list[str]


class StatedDifference(TypedDict):
    """A column of a task's row that differs: its value in each of two scenarios."""

    field: str
    values: list[int | str | None]


class TaskOfTwo(TypedDict):
    """A task that two scenarios have, and in which they differ; each list has a value for each scenario."""

    name: str
    differs: list[StatedDifference]
    #: The smallest proved bounds on the response time, and the largest simulated ones.
    bounds_ns: list[int | None]
    observed_ns: list[int | None]


class ComparedTwo(TypedDict):
    """Two scenarios beside each other under a scheduler, or each under its own."""

    scenarios: list[OneOfTwo]
    #: The tasks that only one of them has.
    only: list[list[str]]
    #: The tasks of both that differ in what they state, in a bound or in an observation.
    tasks: list[TaskOfTwo]
    #: True if both were simulated and have the same tasks: only then are the schedules compared.
    comparable: bool
    horizons_ns: list[int]
    #: The first difference of the simulated schedules; None if there is none, or if they are not compared.
    schedule: OtherOccupants | None
