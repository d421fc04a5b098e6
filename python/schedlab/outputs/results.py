"""What was proved, placed or explored: types of plain values, generated from structs of Rust.

`make renew` writes it anew.
"""

# Not `from __future__ import annotations`: under it, Python 3.11 does not see `NotRequired`.

from typing import Literal, NotRequired, TypedDict

Kind = Literal["hard", "soft"]

Answer = Literal["schedulable", "unschedulable", "unknown"]


class VerdictDict(TypedDict):
    """A `Verdict` as plain values."""

    test: str
    source: str
    kind: Kind
    answer: Answer
    reason: str
    assumptions: list[str]
    response_time_bounds_ns: list[int | None] | None
    tardiness_bounds_ns: list[int | None] | None


class Blocking(TypedDict):
    """How long each task's jobs are blocked, by task: `remote_ns` while others hold, `local_ns` on the processor."""

    method: str
    protocol: str
    source: str
    assumptions: list[str]
    #: False where the method proves nothing, with a `reason`: its terms are then no bounds.
    is_bound: bool
    reason: str | None
    remote_ns: list[int | None]
    local_ns: list[int | None]
    total_ns: list[int | None]


class ListedJob(TypedDict):
    """A job that arrives before a late one is late."""

    task: int
    job: int
    arrival_ns: int
    release_ns: int
    cost_ns: int


class LateJob(TypedDict):
    """A late job that the simulator found: evidence that a cluster is not schedulable."""

    cluster: int
    rule: str
    task: int
    name: str
    job: int
    absolute_deadline_ns: int
    #: None where that is not known.
    late_by_ns: int | None
    #: Those that arrive until then; empty if they are too many, or the scenario's own.
    jobs: list[ListedJob]


class BoundPart(TypedDict):
    """A part of a bound."""

    what: str
    length_ns: int


class ExplainedBound(TypedDict):
    """What a task's bound is made of."""

    task: int
    name: str
    bound_ns: int
    parts: list[BoundPart]


class DemandPart(TypedDict):
    """What a task demands in an interval."""

    task: int
    name: str
    demand_ns: int


class Demand(TypedDict):
    """The interval in which EDF has the least room on a processor."""

    cluster: int
    within_ns: int
    demand_ns: int
    exceeds: bool
    parts: list[DemandPart]


class Explanation(TypedDict):
    """What bounds are made of, and how far costs may grow."""

    #: To a hundredth; None where some tests alone were asked, since it is one of all tests. The search ends at 1600:
    #: the factor is then at least that.
    critical_scaling_percent: float | None
    #: By task, rounded down to a 65,536th of what lies between cost and relative deadline; None as above.
    slack_ns: list[int | None]
    bounds: list[ExplainedBound]
    demands: list[Demand]


class AnalysisOfScheduler(TypedDict):
    """An `Analysis` as plain values."""

    scheduler: str
    error: str | None
    placement: list[int] | None
    #: Tasks that fit nowhere and are placed best-effort: the verdicts are about that placement.
    overflowed: list[str]
    verdicts: list[VerdictDict]
    blocking: Blocking | None
    more_blocking: list[Blocking]
    evidence: list[LateJob]
    explanation: Explanation | None


class Strongest(TypedDict):
    """The strongest of several answers: a proof, else a refutation, else nothing."""

    answer: Answer
    #: Those that give it, each alone; or, where none does, those whose bounds on tasks give it together.
    tests: list[str]


class Conclusion(TypedDict):
    """What verdicts say together; None where no test speaks of it."""

    #: Are all deadlines met?
    hard: Strongest | None
    #: Is tardiness bounded?
    soft: Strongest | None


class SingleChange(TypedDict):
    """A change that alone would help, in words."""

    kind: str
    what: str
    #: Of what is proved then; None where nothing was looked for.
    margin_percent: float | None


class Mixes(TypedDict):
    """How mixes of schemes were looked for, where tasks request several objects."""

    #: How many objects tasks request.
    objects: int
    #: All combinations were tried; else another scheme of each object alone, which may miss the best.
    is_exhaustive: bool
    #: With how many schedulers and what goes with them.
    searches: int
    #: How many mixes were tried, in all searches.
    tried: int
    #: How many searches found a mix with a larger margin than anything else there: a way each.
    better: int


class UnknownCosts(TypedDict):
    """Objects whose operations have unknown costs under some schemes: there an operation counts as its section says,
    under each of these schemes alike."""

    #: Their names.
    objects: list[str]
    #: What they are; None where the scenario does not say it, so that no cost can be known.
    kind: str | None
    #: The schemes, or protocols where the scenario does not say a kind.
    schemes: list[str]


class Way(TypedDict):
    """A way to schedule a scenario. What is None is as in the scenario, or not needed."""

    scheduler: str
    placement: str | None
    priorities: str | None
    protocol: str
    #: Other schemes of objects: that of each object which tasks request.
    schemes: dict[str, str] | None
    #: How many of these differ from the scenario.
    changes: int
    schedulable: bool
    #: The critical scaling factor to a hundredth: 100 or more if proved, 0 if smaller costs do not help. The search
    #: ends at 1600: the factor is then at least that.
    margin_percent: float
    #: With the smallest of the overheads that were measured of the same code; else the same.
    margin_at_best_percent: float
    #: From 1 on; margins that differ by less than is known of them share one.
    rank: int
    #: The one that decides, if one does.
    test: str | None
    reason: str
    #: Jobs that were late in a simulation until the horizon, where no test knows the scheduler; else None.
    missed: int | None
    #: Under Pfair, where weights leave no time to lose: what cures that; else None.
    in_a_real_run: str | None


class Advice(TypedDict):
    """What `advise` finds."""

    #: The scenario itself is proved.
    as_it_is: bool
    #: With each of them the scenario's own way would be proved, the best of a kind first; empty if none is needed.
    single_changes: list[SingleChange]
    #: How mixes of schemes were looked for; None where tasks request fewer than two objects.
    mixes: Mixes | None
    #: Objects whose operations count as their sections say: the overheads do not say what they cost.
    unknown_costs: list[UnknownCosts]
    #: The best first.
    ways: list[Way]


class Piece(TypedDict):
    """A task as it was placed, or a piece of a split one."""

    name: str
    of: str
    piece: int
    pieces: int
    #: After the job's arrival.
    offset_ns: int
    wcet_ns: int
    period_ns: int
    relative_deadline_ns: int
    cluster: int
    processors: list[int]
    priority: int | None
    overflowed: bool


class Placed(TypedDict):
    """Where the tasks are placed."""

    scheduler: str
    #: Why nothing can be placed.
    error: str | None
    only_analysis: str | None
    tasks: list[Piece]


class DeployedProof(TypedDict):
    """What is known of the tasks under the settings that are written."""

    #: All deadlines are proved to be met.
    proved: bool
    #: What was found, in a line.
    verdict: str
    #: What the proof rests on; empty without one.
    assumptions: list[str]


class Server(TypedDict):
    """A server of RUN's reduction."""

    name: str
    rate: str
    clients: list[str]


class Share(TypedDict):
    """A share of a processor."""

    processor: int
    share: str


class TaskShares(TypedDict):
    """Where a task executes within its affinity."""

    name: str
    shares: list[Share]


class Feasibility(TypedDict):
    """Whether any scheduler keeps all deadlines: `levels` by RUN's reduction, `tasks` within affinities."""

    feasible: bool
    levels: NotRequired[list[list[Server]]]
    preemptions_per_job: NotRequired[int]
    processors: NotRequired[list[int]]
    reason: NotRequired[str]
    reductions: NotRequired[int]
    tasks: NotRequired[list[TaskShares | str]]


class Supertask(TypedDict):
    """A supertask that a Pfair scheduler knows; `doubt` says why its components' deadlines are not guaranteed."""

    name: str
    order: str
    scheduling: str
    weight: str
    components: list[str]
    doubt: str | None


class ExploredJob(TypedDict):
    """When a job of a job set may complete, over all schedules; None where the budget ended before all were
    explored."""

    task: int
    job: int
    best_completion: int | None
    worst_completion: int | None
    best_response: int | None
    worst_response: int | None


class ExploredJobs(TypedDict):
    """What a non-preemptive scheduler may do with a job set."""

    answer: Answer
    reason: str
    #: False where the budget ended before all schedules were explored: when jobs complete is then not known.
    complete: bool
    states: int
    dispatches: int
    jobs: list[ExploredJob]


class TaskRow(TypedDict):
    """A row of a task set. A terminal shows the columns that come first."""

    index: int
    name: str
    wcet_ns: int
    period_ns: int
    relative_deadline_ns: int
    utilization: float
    offset_ns: int
    jitter_ns: int
    suspension_ns: int
    working_set_bytes: int
    fixed_priority: int | None
    priority_point_ns: int | None
    #: A time/utility function as in a scenario file, such as `{ linear = 10, last = 2 }`.
    utility: str | None
    #: An abort handler as in a scenario file, such as `{ cost = "1 ms", utility = 2 }`.
    abort_handler: str | None
    processor: int | None
    cluster: int | None


class CheckedDict(TypedDict):
    """An [`InvariantCheck`] as plain values."""

    #: Of what ought to hold.
    name: str
    #: Whether it does.
    holds: bool
    #: Why not, or what there is to know.
    detail: str | None
