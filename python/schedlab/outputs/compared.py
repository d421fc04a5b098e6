"""What stands beside each other in a comparison: types of plain values, generated from structs of Rust.

`make renew` writes it anew.
"""

# Not `from __future__ import annotations`: under it, Python 3.11 does not see `NotRequired`.

from typing import Literal, TypedDict

from schedlab.outputs.results import CheckedDict
from schedlab.outputs.schedules import Drawing, OfTask, Totals


class Utilization(TypedDict):
    """Of the tasks that are there together."""

    #: As a fraction.
    exact: str
    #: The same, rounded.
    value: float


class ScenarioTask(TypedDict):
    """A task of the compared scenario."""

    index: int
    name: str
    wcet_ns: int
    period_ns: int
    relative_deadline_ns: int
    offset_ns: int
    utilization: float


class ComparedScenario(TypedDict):
    """The compared scenario."""

    title: str
    schedlab_version: str
    #: Canonical TOML that every number depends on.
    scenario: str
    #: The name of the overheads, "none" if none.
    overheads: str
    #: Where they were measured or published, and how noisy the machine was then.
    overheads_source: str
    #: Which of their values are charged: max, mean, p50 to p99_9.
    overheads_statistic: str
    processors: int
    utilization: Utilization
    #: A seed: text from 2^63 on, where integers of many readers end.
    seed: int | str
    #: How long each simulation ran.
    horizon_ns: int
    tasks: list[ScenarioTask]


class Histogram(TypedDict):
    """How many values are in each bin: an edge more than counts."""

    edges_ns: list[int]
    counts: list[int]


class ObservedTask(OfTask):
    """What a task experienced, and how its response times are spread."""

    histogram: Histogram


class ComparedTask(ObservedTask):
    """What a task experienced, beside what is proved."""

    response_time_bound_ns: int | None
    tardiness_bound_ns: int | None


class ComparedSchedule(TypedDict):
    """A simulation beside what is proved."""

    tasks: list[ComparedTask]
    totals: Totals
    invariants: list[CheckedDict]
    schedule: Drawing


class Observed(TypedDict):
    """What the tasks of a schedule experienced."""

    tasks: list[ObservedTask]
    totals: Totals


class OverBound(TypedDict):
    """A longest response above its proved bound, and why."""

    index: int
    job: str | None
    response_time_ns: int
    bound_ns: int
    #: Whether what was taken makes up for it; None if the kernel was not asked.
    explained: bool | None
    #: Since the task's processors were last idle: processor time, by who took it.
    taken_ns: dict[str, int]


class BesideCharged(TypedDict):
    """The longest that a working set takes to be loaded again; None where that is unknown."""

    scheduler: str
    kind: Literal["cache_related_preemption", "cache_related_migration"]
    working_set_bytes: int
    charged_ns: int | None
    modelled_ns: int | None
