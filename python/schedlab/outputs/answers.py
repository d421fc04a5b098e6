"""Answers of commands: types of values that Python itself puts together from results."""

# Not `from __future__ import annotations`: under it, Python 3.11 does not see `NotRequired`.

from dataclasses import dataclass
from typing import TypedDict

from schedlab.outputs.results import (
    Advice,
    AnalysisOfScheduler,
    CheckedDict,
    Conclusion,
    DeployedProof,
    Lost,
    MetricsDict,
    Placed,
    RecordingResult,
    ResourceCost,
    TaskRow,
    WhyParts,
)


class AnalysisDict(AnalysisOfScheduler):
    """An `Analysis` as plain values."""

    #: The conclusion from all verdicts.
    conclusion: Conclusion


class MarginOfTask(TypedDict):
    """How far a task is from its deadline."""

    task: str
    #: By how much its cost alone may grow; None if the deadlines are not proved, or margins were not searched.
    margin_ns: int | None
    #: The least bound on its response time, and its relative deadline less the bound.
    bound_ns: int | None
    slack_ns: int | None


class AnalyzedDict(AnalysisDict):
    """The output of `analyze` for a scheduler."""

    #: Path of the scenario's file.
    file: str
    #: The answer about deadlines: schedulable, unschedulable or unknown.
    answer: str
    #: How much all costs may grow in percent, as `advise` ranks by it: 0 or more if the deadlines are proved, negative
    #: if costs must shrink, -100 if no smaller costs are proved. None if it was not searched: with --tests, or of many
    #: tasks.
    margin: float | None
    by_task: list[MarginOfTask]
    #: What each shared resource costs, the most important first; empty if margins were not searched.
    resources: list[ResourceCost]
    #: A placement that proves what the scenario's own does not, as `--placement` takes it; None where none is known.
    other_placement: str | None


class Advised(Advice):
    """The output of `advise`."""

    #: The reason why the scheduler or its protocol refuses the scenario as it is; None if neither does.
    refusal: str | None
    #: Tasks that fit nowhere as it is, and are placed best-effort.
    overflowed: list[str]


class Measures(TypedDict):
    """`schedlab.measures` of many task sets under a scheduler."""

    scheduler: str
    #: What answers about some of the sets leave out, rest on, and are not charged, each said once.
    left_out: list[str]
    rests_on: list[str]
    overheads_unknown: list[str]
    sets: int
    schedulable_sets: int
    weighted_schedulability: float | None
    #: Number of sets with bounds on the tardiness of all tasks; the mean is over these.
    bounded: int
    tardiness_mean_ns: float | None
    #: Number of sets for which some number of processors, up to ten times those given, is enough; the mean is over
    #: these.
    enough_processors: int
    required_processors_mean: float | None
    #: Number of sets that are schedulable with some larger or smaller costs; the mean is over these.
    broken: int
    breakdown_utilization_mean: float | None


class SplitTask(TypedDict):
    """A split task's response time: proved, and simulated."""

    task: str
    pieces: int
    bound_ns: int | None
    observed_ns: int | None


class PlacementDict(Placed):
    """The result of placement, split and rule for priorities."""

    split: list[SplitTask]


class Supposed(TypedDict):
    """A field that was set from outside: by --set, --scale or `Scenario.replace`."""

    #: Path of the field, such as `task.odom.wcet`; `scale` for the factor of all costs.
    path: str
    value: str
    #: The value that the scenario states itself; None if it states none.
    before: str | None


class ScenarioDict(TypedDict):
    """A `Scenario` as plain values; its seed is text from 2^63 on."""

    name: str
    processors: int
    scheduler: str
    protocol: str
    overheads: str
    seed: int | str
    horizon_ns: int
    left_out: list[str]
    #: Conditions on every promise about the scenario, besides its own numbers.
    rests_on: list[str]
    tasks: list[TaskRow]


class Observed(TypedDict):
    """What `schedlab-rt observe --file` finds in a kernel trace."""

    #: The scenario as text; None if no thread can be a task.
    scenario: str | None
    #: Remarks on the scenario, or on why there is none.
    notes: list[str]
    recording: RecordingResult
    #: Path of the trace of its threads, if one was asked for.
    trace: str | None


class RecordingDict(TypedDict):
    """The output of `observe --file`."""

    #: None if no thread can be a task.
    scenario: ScenarioDict | None
    #: Remarks on the scenario, or on why there is none.
    notes: list[str]
    #: All that the kernel trace says, thread by thread.
    recording: RecordingResult
    #: Path of the trace of its threads, if one was asked for.
    trace: str | None


class Exported(TypedDict):
    """A scenario in another format: `lost` is what that has no place for, or remarks on Linux that users must heed."""

    to: str
    text: str
    lost: list[str]
    #: For systemd, the text of each service by its file's name.
    services: dict[str, str]
    #: The proof, for settings of Linux's own schedulers.
    proof: DeployedProof | None


class Subtask(TypedDict):
    """The window of a Pfair task's subtask."""

    subtask: int
    eligible: int
    release: int
    deadline: int
    b_bit: bool
    group_deadline: int | None


class CrosscheckCount(TypedDict):
    """Numbers of agreements and disagreements of a test with other tools."""

    family: str
    test: str
    agree: int
    disagree: int
    theirs: int
    skipped: int


@dataclass(frozen=True)
class Disagreement:
    """A result of another tool that differs from ours."""

    id: str
    family: str
    test: str
    theirs: str
    ours: str
    #: The record's note about a dispute, if it has one.
    note: str
    #: The command that computes this one result again.
    replay: str


class Crosscheck(TypedDict):
    """Comparison of tests with those of other tools."""

    records: int
    tests: list[CrosscheckCount]
    disagreements: list[Disagreement]


class SimulationDict(MetricsDict):
    """The output of `simulate`."""

    overheads_charged: str
    #: Kinds of overheads without a value for the scheduler, which are not charged.
    overheads_unknown: list[str]
    #: Tasks that fit nowhere and are placed best-effort.
    overflowed: list[str]
    violated: list[CheckedDict]


class Why(WhyParts):
    """The parts of a job's response time, and what was lost if the run was real."""

    lost: Lost | None
