"""Outputs of studies: the list of them, results, and the claims of their papers."""

# Not `from __future__ import annotations`: under it, Python 3.11 does not see `NotRequired`.

from dataclasses import dataclass
from typing import NotRequired, TypedDict


class StudyParameter(TypedDict):
    """A parameter of a study, which `--set` changes. The default is the paper's value; `allowed` is in words."""

    name: str
    default: int | float | str | list[int | float | str]
    unit: str
    about: str
    allowed: str


class StudyDict(TypedDict):
    """A study that can be run."""

    name: str
    title: str
    source: str
    file: str
    points: int
    sets: int
    full_sets: int
    parameters: list[StudyParameter]


class ClaimPart(TypedDict):
    """A part of a claim, such as one distribution: its answer, and the numbers or the reason behind it."""

    part: str
    answer: str
    because: str


class Claim(TypedDict):
    """A sentence of a paper, with the answer of a study, its parts, and what would have refuted it.

    `refuted_by` is empty if no part is evaluated. `own_check` marks a check of our own, which no paper states.
    """

    claim: str
    answer: str
    refuted_by: str
    own_check: bool
    parts: list[ClaimPart]


class StudyShown(StudyDict):
    """A study with its grid, by the names of its axes, and with what its file says first."""

    about: str
    grid: dict[str, list[int | float | str | bool]]
    #: The source's sentences as stored results judge them; empty without results.
    claims: list[Claim]


@dataclass(frozen=True)
class StudyShare:
    """A random share of a study's units at some size, with an estimate of the time for all of them.

    Times are seconds of one worker's processor; in studies that measure, of the clock. `low` and `high` are the ends of
    the interval of 95%, None where it is unknown.
    """

    study: str
    sets: int
    full: bool
    stored: int
    units: int
    spent: float
    total: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class StudyState:
    """The progress of the last run of a study into a folder.

    `spent` and `left` are seconds of one worker; None where they are unknown.
    """

    study: str
    #: A state of `schedlab.studies.status`, such as "done".
    state: str
    stored: int = 0
    units: int = 0
    sets: int = 0
    full: bool = False
    spent: float | None = None
    left: float | None = None
    #: For a damaged or unknown run, the reason and what to do.
    reason: str = ""
    #: The last random share of the units, which need not be of the run's size.
    share: StudyShare | None = None


class PaperClaims(TypedDict):
    """Numbers of a paper's sentences by answer, and of its figures and tables that the gallery shows."""

    paper: str
    holds: int
    does_not_hold: int
    indistinguishable: int
    not_evaluated: int
    shown: int
    not_run: int
    damaged: int
    missing: int
    no_result: int
    other_builds: int


class StudyRun(TypedDict):
    """A study that was run, with its plots and claims if it was plotted.

    `changes` are the parameters that differ from the paper's, in words. With any, `claims` is empty and `not_judged`
    says why.
    """

    study: str
    changes: str
    results: str
    rows: int
    sets: int
    units: int
    reused: int
    plots: NotRequired[list[str]]
    claims: NotRequired[list[Claim]]
    not_judged: NotRequired[str]


class StudyPlot(TypedDict):
    """A study that was plotted."""

    study: str
    plots: list[str]
    claims: list[Claim]
    #: The reason if no claim was judged; else empty.
    not_judged: str
