"""A comparison as one typed value, from which the terminal, the page, the notebook and the JSON are made.

No number is invented: what the comparison lacks is None.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from schedlab.comparison.compare import Comparison
from schedlab.comparison.observed import bounds, closest, dispatch_ns
from schedlab.comparison.over_bound import NamedOverBound
from schedlab.comparison.real import how_it_ended, is_interrupted
from schedlab.core.conclusion import conclusion, deciding
from schedlab.core.scenario import supposed_in_words
from schedlab.outputs.comparison import ComparedScheduler, UtilityOverLoad
from schedlab.outputs.comparison import Real as RealDict
from schedlab.outputs.results import BesideCharged, CheckedDict, Deadlock, ScenarioTask, Totals, VerdictDict

#: Answers in words, by kind of guarantee.
_ANSWERS = {
    "hard": {"schedulable": "deadlines met", "unschedulable": "deadlines not met", "unknown": "deadlines unknown"},
    "soft": {
        "schedulable": "tardiness bounded",
        "unschedulable": "tardiness unbounded",
        "unknown": "tardiness unknown",
    },
}

#: Answers in the order in which verdicts are listed: those that decide come first.
_BY_WEIGHT = ("schedulable", "unschedulable", "unknown")


@dataclass(frozen=True)
class Answer:
    """The answer that tests give together, in words, and the tests that decide."""

    answer: str
    words: str
    test: str


@dataclass(frozen=True)
class SaidVerdict:
    """The verdict of one test, with its answer in words."""

    test: str
    source: str
    answer: str
    words: str
    reason: str
    assumptions: list[str]


@dataclass(frozen=True)
class RealRun:
    """The real run of a scheduler; if it did not run, only `error` is set."""

    error: str | None
    #: The end of the run, in words.
    ending: str = ""
    until_ns: int = 0
    #: False if the run ended before its horizon and before its programs.
    whole: bool = False
    totals: Totals | None = None
    #: The largest observed response time as a share of its bound.
    closest: float | None = None
    #: Time within which 99.9% of the decisions to run came true.
    dispatch_ns: int | None = None
    #: True if every check holds; and whether a replay of the events gives the same decisions.
    holds: bool = False
    replay_is_exact: bool | None = None
    #: True if Linux itself decided.
    by_kernel: bool = False
    warning: str | None = None
    #: The reasons of missed deadlines, in words; empty if there were none.
    why_missed: str = ""
    over_bound: tuple[NamedOverBound, ...] = ()
    #: Circles of jobs that waited for each other.
    deadlocks: tuple[Deadlock, ...] = ()


@dataclass(frozen=True)
class SchedulerSummary:
    """Proofs about a scheduler beside observations; with an `error` there is no more than its answers."""

    name: str
    description: str
    #: False under a class of Linux itself, which only runs for real.
    modelled: bool
    error: str | None
    #: None if no test speaks of deadlines, or of tardiness.
    hard: Answer | None
    soft: Answer | None = None
    #: None if real runs were not asked for.
    real: RealRun | None = None
    #: Tasks that fit nowhere and are placed best-effort.
    overflowed: tuple[str, ...] = ()
    #: The names of the tasks in each cluster; empty if the scheduler is global.
    placement: tuple[tuple[int, list[str]], ...] = ()
    verdicts: tuple[SaidVerdict, ...] = ()
    totals: Totals | None = None
    #: The largest observed response time as a share of its bound.
    closest: float | None = None
    #: Observations that exceed what a test proved.
    exceeded: tuple[str, ...] = ()
    #: The partitioned scheduler that this one is, because its clusters have one processor each.
    same_as_partitioned: str | None = None
    #: Circles of jobs that wait for each other in the simulation.
    deadlocks: tuple[Deadlock, ...] = ()
    invariants: tuple[CheckedDict, ...] = ()

    @property
    def broken(self) -> list[str]:
        """The names of the invariants that the simulation violates."""
        return [invariant["name"] for invariant in self.invariants if not invariant["holds"]]

    @property
    def is_proved(self) -> bool:
        """True if it is proved that no deadline is missed, and the scheduler can be applied."""
        if self.error and self.modelled:
            return False
        return self.hard is not None and self.hard.answer == "schedulable"

    @property
    def misses(self) -> int:
        """Number of deadlines that were missed in the simulation."""
        return self.totals["misses"] if self.totals else 0

    @property
    def answer(self) -> str:
        """The answer of proofs, simulation and real run together: schedulable, unschedulable or unknown.

        Unschedulable if a deadline was missed, simulated or for real, or if jobs deadlock.
        """
        ran = self.real.totals if self.real else None
        deadlocks = [*self.deadlocks, *(self.real.deadlocks if self.real else ())]
        is_refuted = self.hard is not None and self.hard.answer == "unschedulable"
        if is_refuted or self.misses or deadlocks or (ran and ran["misses"]):
            return "unschedulable"
        return "schedulable" if self.is_proved and not self.error else "unknown"


@dataclass(frozen=True)
class ModelledDelays:
    """Modelled cache-related delays that are known, beside those that are charged."""

    source: str
    rows: tuple[BesideCharged, ...]


@dataclass(frozen=True)
class Summary:
    """A comparison as its readers see it; `comparison` holds the plain values, as JSON has them."""

    comparison: Comparison
    title: str
    #: Number of tasks, and of processors.
    tasks: int
    processors: int
    utilization: float
    horizon_ns: int
    drawn_until_ns: int
    seed: int | str
    version: str
    scenario: str
    #: What was set from outside, a line each in words.
    what_if: tuple[str, ...]
    left_out: tuple[str, ...]
    rests_on: tuple[str, ...]
    overheads: str
    overheads_source: str
    overheads_statistic: str
    #: Kinds of overheads in words: those not charged for want of a value, and those that only analyses charge.
    overheads_unknown: tuple[str, ...]
    overheads_not_simulated: tuple[str, ...]
    modelled: ModelledDelays | None
    utility_over_load: UtilityOverLoad | None
    schedulers: tuple[SchedulerSummary, ...]
    #: True if a task or a scheduler speaks of utility.
    has_utility: bool
    #: True if an attempt on a lock-free object failed, simulated or for real.
    has_retries: bool
    #: True if real runs were asked for; and whether an interrupt ended or prevented one.
    has_real: bool
    is_interrupted: bool


def summary(result: Comparison) -> Summary:
    """Summarizes `result`: guarantees, observations and warnings."""
    rows = result["schedulers"]
    return Summary(
        comparison=result,
        title=result["title"],
        tasks=len(result["tasks"]),
        processors=result["processors"],
        utilization=result["utilization"]["value"],
        horizon_ns=result["horizon_ns"],
        drawn_until_ns=result["drawn_until_ns"],
        seed=result["seed"],
        version=result["schedlab_version"],
        scenario=result["scenario"],
        what_if=tuple(supposed_in_words(one) for one in result.get("what_if", ())),
        left_out=tuple(result.get("left_out", ())),
        rests_on=tuple(result.get("rests_on", ())),
        overheads=result["overheads"],
        overheads_source=result.get("overheads_source", ""),
        overheads_statistic=result.get("overheads_statistic", ""),
        overheads_unknown=tuple(_overheads_unknown(result)),
        overheads_not_simulated=tuple(kind.replace("_", " ") for kind in result.get("overheads_not_simulated", ())),
        modelled=_modelled(result),
        utility_over_load=result.get("utility_over_load"),
        schedulers=tuple(_scheduler(row, result["tasks"]) for row in rows),
        has_utility=any(row.get("totals", {}).get("accrued_utility") is not None for row in rows),
        has_retries=_has_retries(result),
        has_real=any("real" in row for row in rows),
        is_interrupted=any(map(is_interrupted, rows)),
    )


def _overheads_unknown(result: Comparison) -> list[str]:
    """Lists the kinds of overhead that are not charged for want of a value, with the schedulers if not all lack it."""
    rows = [row for row in result["schedulers"] if "overheads_unknown" in row]
    said = []
    for kind in result.get("overheads_unknown", []):
        lacking = [row["name"] for row in rows if kind in row["overheads_unknown"]]
        of_some = 0 < len(lacking) < len(rows)
        said.append(kind.replace("_", " ") + (f" (under {', '.join(lacking)})" if of_some else ""))
    return said


def _has_retries(result: Comparison) -> bool:
    runs: list[Any] = [*result["schedulers"], *(row.get("real") for row in result["schedulers"])]
    return any((run or {}).get("totals", {}).get("retries") for run in runs)


def _modelled(result: Comparison) -> ModelledDelays | None:
    """Returns the modelled delays that are known; None if no file of them was given."""
    if "modelled" not in result:
        return None
    found = result["modelled"]
    known = tuple(row for row in found["cache_delays"] if row["modelled_ns"] is not None)
    return ModelledDelays(source=found["source"], rows=known)


def _scheduler(row: ComparedScheduler, tasks: list[ScenarioTask]) -> SchedulerSummary:
    common: dict[str, Any] = {
        "name": row["name"],
        "description": row.get("description", ""),
        "modelled": row.get("modelled", True),
        "error": row["error"],
        "real": real_run(row, tasks),
        "hard": strongest(row.get("verdicts", []), "hard"),
    }
    if row["error"]:
        return SchedulerSummary(**common)
    return SchedulerSummary(
        **common,
        soft=tardiness_answer(row["verdicts"]),
        overflowed=tuple(row.get("overflowed", ())),
        same_as_partitioned=row.get("same_as_partitioned"),
        deadlocks=tuple(row.get("deadlocks", ())),
        placement=tuple(_placement(row.get("placement"), tasks)),
        verdicts=tuple(
            _said(verdict) for verdict in sorted(row["verdicts"], key=lambda one: _BY_WEIGHT.index(one["answer"]))
        ),
        totals=row["totals"],
        closest=closest(row["tasks"], bounds(row, row["tasks"])),
        exceeded=tuple(exceeded_bounds(row, tasks)),
        invariants=tuple(row["invariants"]),
    )


def _said(verdict: VerdictDict) -> SaidVerdict:
    return SaidVerdict(
        test=verdict["test"],
        source=verdict["source"],
        answer=verdict["answer"],
        words=_ANSWERS[verdict["kind"]][verdict["answer"]],
        reason=verdict["reason"],
        assumptions=verdict["assumptions"],
    )


def real_run(row: ComparedScheduler, tasks: list[ScenarioTask]) -> RealRun | None:
    """Returns the real run of a scheduler, or why there is none; None if it was not asked for."""
    real: RealDict | None = row.get("real")
    if real is None or real["error"]:
        return None if real is None else RealRun(error=real["error"])
    findings = real["findings"]
    return RealRun(
        error=None,
        ending=how_it_ended(findings),
        until_ns=real["until_ns"],
        whole=findings["whole"],
        totals=real["totals"],
        closest=closest(real["tasks"], bounds(row, real["tasks"])),
        dispatch_ns=dispatch_ns(findings),
        holds=findings["holds"],
        replay_is_exact=findings["replay_is_exact"],
        by_kernel=findings.get("decided_by") == "kernel",
        warning=findings["warning"],
        why_missed=findings["misses"]["words"] if findings["misses"] else "",
        deadlocks=tuple(real.get("deadlocks", ())),
        over_bound=tuple({**found, "name": tasks[found["index"]]["name"]} for found in real.get("over_bound", ())),
    )


def strongest(verdicts: list[VerdictDict], kind: Literal["hard", "soft"]) -> Answer | None:
    """Returns the answer that tests of a kind give together, and the deciding tests; None if no test speaks of it."""
    found = conclusion(verdicts)[kind]
    if found is None:
        return None
    answer = found["answer"]
    words = _ANSWERS[kind][answer].split(maxsplit=1)[1]
    return Answer(answer, words, ", ".join(deciding(kind, verdicts)))


def tardiness_answer(verdicts: list[VerdictDict]) -> Answer | None:
    """Returns the answer about tardiness; if deadlines are proved to be met, there is none."""
    hard = strongest(verdicts, "hard")
    if hard and hard.answer == "schedulable":
        return Answer(hard.answer, "none", hard.test)
    return strongest(verdicts, "soft")


def exceeded_bounds(row: ComparedScheduler, tasks: list[ScenarioTask]) -> list[str]:
    """Lists where the simulation exceeded what a test proved: a defect, or an assumption that does not hold here."""
    found = []
    for observed in row["tasks"]:
        name = tasks[observed["index"]]["name"]
        for word, times, bound in (
            ("response time", observed["response_time_ns"], observed["response_time_bound_ns"]),
            ("tardiness", observed["tardiness_ns"], observed["tardiness_bound_ns"]),
        ):
            if times is not None and bound is not None and times["max"] > bound:
                found.append(f"{word} of {name}")
    hard = strongest(row["verdicts"], "hard")
    if hard and hard.answer == "schedulable" and row["totals"]["misses"]:
        found.append("missed deadlines of a set called schedulable")
    return found


def _placement(placement: list[int] | None, tasks: list[ScenarioTask]) -> list[tuple[int, list[str]]]:
    """Returns the names of the tasks in each cluster; empty if the scheduler is global."""
    if placement is None:
        return []
    clusters: dict[int, list[str]] = {}
    for task, cluster in zip(tasks, placement, strict=True):
        clusters.setdefault(cluster, []).append(task["name"])
    return sorted(clusters.items())
