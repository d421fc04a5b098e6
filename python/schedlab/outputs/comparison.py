"""How Python puts a comparison together: bounds, simulations and real runs beside each other."""

# Not `from __future__ import annotations`: under it, Python 3.11 does not see `NotRequired`.

from typing import Annotated, NotRequired, TypedDict

from schedlab.outputs.compared import (
    BesideCharged,
    ComparedScenario,
    ComparedTask,
    ObservedTask,
    OverBound,
    SchedulerOverLoad,
)
from schedlab.outputs.results import CheckedDict, VerdictDict
from schedlab.outputs.runs import Findings
from schedlab.outputs.schedules import Drawing, Totals
from schedlab.outputs.shapes import OR_EMPTY


class Real(TypedDict):
    """A real run beside its simulation; with an error there is nothing else."""

    error: str | None
    ending: NotRequired[str]
    until_ns: NotRequired[int]
    tasks: NotRequired[list[ObservedTask]]
    totals: NotRequired[Totals]
    over_bound: NotRequired[list[OverBound]]
    findings: NotRequired[Findings]


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


class Modelled(TypedDict):
    """An overheads file of `schedlab membus` beside the charged overheads."""

    source: str
    cache_delays: list[BesideCharged]


class UtilityOverLoad(TypedDict):
    """Simulations of the same tasks with all costs multiplied; by factor, in ascending order."""

    horizon_ns: int
    costs_times: list[float]
    utilizations: list[float]
    schedulers: list[SchedulerOverLoad]


class ComparisonDict(ComparedScenario):
    """A comparison, which `schedlab.compare` describes."""

    overheads_unknown: list[str]
    overheads_not_simulated: list[str]
    modelled: NotRequired[Modelled]
    utility_over_load: NotRequired[UtilityOverLoad]
    drawn_until_ns: int
    schedulers: list[ComparedScheduler]
