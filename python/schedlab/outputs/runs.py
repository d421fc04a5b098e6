"""What real runs found, and what this machine can run: types of plain values, generated from structs of Rust.

`make renew` writes it anew.
"""

# Not `from __future__ import annotations`: under it, Python 3.11 does not see `NotRequired`.

from typing import Literal, TypedDict

from schedlab.outputs.results import CheckedDict


class Distribution(TypedDict):
    """Of times."""

    count: int
    largest_ns: int
    median_ns: int
    p999_ns: int
    p99_ns: int


class Witness(TypedDict):
    """What the kernel says that ran."""

    lost: int
    never_ran: int
    on_two_processors: int
    untrue: int
    clipped_ns: int | None
    holds: bool
    invariants_hold: bool | None
    starts: Distribution | None
    stops: Distribution | None


class OrdinaryOverRealTime(TypedDict):
    """Ordinary threads that ran over ready real-time ones."""

    count: int
    total_ns: int


class LostTime(TypedDict):
    """Processor time that tasks lost."""

    on_the_way_ns: int
    to_others_ns: int
    ordinary_over_real_time: OrdinaryOverRealTime


class Stolen(TypedDict):
    """What the host of a virtual machine took."""

    total_ns: int
    share: float
    by_processor_ns: dict[str, int]


class Standstill(TypedDict):
    """No thread of the run executed."""

    from_ns: int
    to_ns: int


class FromOutside(TypedDict):
    """What came from outside the machine, or stopped the run."""

    stolen: Stolen | None
    stood_still: list[Standstill]


class UnexplainedMiss(TypedDict):
    """A missed deadline without an explanation."""

    job: str
    tardiness_ns: int
    lost_ns: int


class Misses(TypedDict):
    """Why deadlines were missed."""

    of_schedule: int
    of_lost_time: int
    of_shifted_decisions: int
    lost_mostly_to: dict[str, int]
    shifted_mostly_by: dict[str, int]
    unexplained: list[UnexplainedMiss]
    words: str


class LongestResponse(TypedDict):
    """A task's longest response, and what of it was lost time."""

    job: str
    response_ns: int
    #: What was taken since its processors were last idle.
    lost_ns: int
    lost_to_ns: dict[str, int]
    #: Of all responses, each less what was lost: none is longer than that and its own loss.
    longest_less_lost_ns: int
    #: Of all responses in a simulation without overheads.
    longest_in_schedule_ns: int
    #: Of this job in a simulation where what was lost is part of the costs.
    reconstructed_ns: int


class Accounted(TypedDict):
    """What a trace says of a real run. What is None needs the kernel's context switches."""

    witness: Witness | None
    lost_time: LostTime | None
    from_outside: FromOutside
    misses: Misses | None
    longest_responses: list[LongestResponse | None] | None
    invariants_hold: bool | None
    holders_preempted_in_overlong_sections: int | None


class Account(Accounted):
    """The same, as text, and with what was judged."""

    judgements: list[CheckedDict]
    text: str


class Lost(TypedDict):
    """What was taken from a job of a real run since its processors were last idle, and why it missed its deadline."""

    busy_since_ns: int
    lost_ns: int
    lost_to_ns: dict[str, int]
    missed_by: str | None


class RunJobs(TypedDict):
    """Jobs of a real run."""

    arrived: int
    completed: int
    missed: int


class Programs(TypedDict):
    """Programs whose executions are tasks."""

    #: How many programs there are.
    count: int
    #: By task: none without a program, or where it was not completed.
    completed_ns: list[int | None]
    #: The mean; none if no program was completed.
    mean_ns: float | None
    #: The standard deviation.
    deviation_ns: float | None


class Findings(Accounted):
    """What a real run found."""

    holds: bool
    #: How a run ended.
    ending: Literal["horizon", "programs_completed", "stopped", "crashed", "starved"]
    #: It reached its horizon, or its programs had nothing left to do.
    whole: bool
    #: The task whose code crashed, if the run ended by that.
    crashed: str | None
    end_ns: int
    jobs: RunJobs
    release_latency: Distribution | None
    #: Who decided.
    decided_by: Literal["schedlab", "kernel"]
    replay_is_exact: bool | None
    overruns: int
    tracer_lost: int
    background_ns: list[int | None]
    warning: str | None
    #: Tasks that fit nowhere and are placed best-effort.
    overflowed: list[str]
    programs: Programs | None
    runaways: list[str]
    kept_waiting: list[str]


class Machine(TypedDict):
    """What schedlab runs on."""

    #: The processors' model.
    model: str
    #: How many there are.
    processors: int
    #: True if it is a virtual one.
    is_virtual: bool
    #: The kernel's release.
    kernel: str
    #: What slows it down for safety.
    mitigations: str


class DoctorFinding(TypedDict):
    """Whether something is as real runs need it."""

    what: str
    #: What a finding means for runs.
    state: Literal["ok", "note", "no"]
    found: str
    #: Empty where nothing is to be changed.
    advice: str


class Doctor(TypedDict):
    """What this machine can run."""

    #: True if scenarios can run for real.
    real_runs: bool
    machine: Machine
    findings: list[DoctorFinding]
