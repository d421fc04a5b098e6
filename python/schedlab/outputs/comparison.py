"""How Python puts a comparison together: bounds, simulations and real runs beside each other."""

# Not `from __future__ import annotations`: under it, Python 3.11 does not see `NotRequired`.

from typing import Annotated, NotRequired, TypedDict

from schedlab.outputs.results import (
    BesideCharged,
    CheckedDict,
    ComparedScenario,
    ComparedTask,
    Drawing,
    Findings,
    ObservedTask,
    OverBound,
    Totals,
    VerdictDict,
)
from schedlab.outputs.shapes import OR_EMPTY


class Real(TypedDict):
    """A real run beside its simulation; with an error there is nothing else but, after an interrupt, the `ending`."""

    #: Why this scheduler did not run for real.
    error: str | None
    #: "horizon" or "programs_completed"; if it is not whole "stopped", "crashed", "starved"; else "not_run".
    ending: NotRequired[str]
    #: How long it ran.
    until_ns: NotRequired[int]
    #: As those of the simulation.
    tasks: NotRequired[list[ObservedTask]]
    totals: NotRequired[Totals]
    #: The tasks whose longest response was above its proved bound, and why.
    over_bound: NotRequired[list[OverBound]]
    #: As `schedlab run --check --json` prints them.
    findings: NotRequired[Findings]


class ComparedScheduler(TypedDict):
    """A scheduler in a comparison. Of one that could not be applied, `totals` and `schedule` are empty."""

    name: str
    description: str
    #: False under a class of Linux itself, which only runs for real.
    modelled: NotRequired[bool]
    #: Why this scheduler could not be applied, such as a task set that does not fit the partitions.
    error: str | None
    #: Kinds without a value for this scheduler: not charged.
    overheads_unknown: list[str]
    #: The cluster of each task; None if global.
    placement: list[int] | None
    #: Tasks that fit nowhere and are placed best-effort.
    overflowed: NotRequired[list[str]]
    #: Of every test that speaks of this scheduler.
    verdicts: list[VerdictDict]
    #: What was observed, and the smallest proved bounds.
    tasks: list[ComparedTask]
    totals: Annotated[Totals, OR_EMPTY]
    invariants: list[CheckedDict]
    #: Up to `drawn_until_ns`.
    schedule: Annotated[Drawing, OR_EMPTY]
    #: The same for real, after `compare(run=...)`.
    real: NotRequired[Real]


class Modelled(TypedDict):
    """An overheads file of `schedlab membus` beside the charged overheads."""

    #: What the file says of itself.
    source: str
    cache_delays: list[BesideCharged]


class SchedulerOverLoad(TypedDict):
    """What a scheduler accrues by load; None where it cannot have the tasks."""

    name: str
    accrued_utility_ratios: list[float | None]
    deadline_satisfaction_ratios: list[float | None]


class UtilityOverLoad(TypedDict):
    """Simulations of the same tasks with all costs multiplied; by factor, in ascending order."""

    #: How long each of these simulations ran: shorter where the horizon is long.
    horizon_ns: int
    #: By what all costs were multiplied; 1.0 is the scenario itself.
    costs_times: list[float]
    #: Of all tasks, by factor.
    utilizations: list[float]
    schedulers: list[SchedulerOverLoad]


class ComparisonDict(ComparedScenario):
    """What `schedlab.compare` returns: what is proved beside what was simulated and, if asked for, really happened."""

    #: Kinds without a value for some scheduler compared: not charged.
    overheads_unknown: list[str]
    #: Kinds that analyses charge for locks, and simulations do not.
    overheads_not_simulated: list[str]
    #: What another tool's file said that was ignored although answers could be too good without it; if there is any.
    left_out: NotRequired[list[str]]
    #: Only with a file that `schedlab membus --out` wrote.
    modelled: NotRequired[Modelled]
    #: Only where tasks state utilities.
    utility_over_load: NotRequired[UtilityOverLoad]
    #: How much of each schedule is in `schedule`.
    drawn_until_ns: int
    #: In the order asked for.
    schedulers: list[ComparedScheduler]
