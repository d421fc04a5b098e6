"""What studies print: those that can be run, what came out, and the claims of their papers."""

# Not `from __future__ import annotations`: under it, Python 3.11 does not see `NotRequired`.

from typing import NotRequired, TypedDict


class StudyDict(TypedDict):
    """A study that can be run."""

    name: str
    title: str
    source: str
    file: str
    points: int
    sets: int
    full_sets: int


class Claim(TypedDict):
    """What a paper claims, and what came out."""

    claim: str
    answer: str
    because: str


class StudyShare(TypedDict):
    """A random share of a study's units, and the seconds of one worker's processor that all would take (95%)."""

    study: str
    sets: int
    full: bool
    stored: int
    units: int
    spent: float
    total: float | None
    low: float | None
    high: float | None


class StudyState(TypedDict):
    """How far the last run of a study is; seconds are of one worker."""

    study: str
    state: str
    stored: int
    units: int
    sets: int
    full: bool
    spent: float | None
    left: float | None
    reason: str
    share: StudyShare | None


class PaperClaims(TypedDict):
    """How many claims of a paper hold here, and how many of its figures and tables the gallery shows."""

    paper: str
    holds: int
    does_not_hold: int
    not_evaluated: int
    shown: int
    not_run: int
    damaged: int
    missing: int
    no_result: int
    other_builds: int


class StudyRun(TypedDict):
    """A study that was run; its plots and claims, if it was plotted."""

    study: str
    results: str
    rows: int
    sets: int
    units: int
    reused: int
    plots: NotRequired[list[str]]
    claims: NotRequired[list[Claim]]


class StudyPlot(TypedDict):
    """A study that was plotted."""

    study: str
    plots: list[str]
    claims: list[Claim]
