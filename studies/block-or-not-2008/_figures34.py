"""Figures 3 and 4 of block-or-not-2008: soft sets on four processors, alpha = 1, buffers and heaps."""

from __future__ import annotations

from schedlab.studies import Parameter, Point, Results, Settings, grid

from ._objects import FREQUENCIES, charged_in, told
from ._sets import PERIODS

LOADS = {"low": "uniform-light", "medium": "uniform-medium", "high": "uniform-heavy"}
KINDS = ("buffer", "heap")
PROCESSORS = Parameter(
    "processors", 4, "processors; on another number than four accesses alone cost anything", low=1, high=128
)
ALPHA = Parameter("alpha", 1, "tasks that share an object, for each processor (alpha)", low=1, high=100)
SETTABLE = (PROCESSORS, ALPHA, PERIODS)


def points(settings: Settings) -> list[Point]:
    """The grid."""
    return grid(
        distribution=list(LOADS.values()), processors=[settings[PROCESSORS]], alpha=[settings[ALPHA]],
        kind=list(KINDS), K=FREQUENCIES,
    )  # fmt: skip


def inset(results: Results, kind: str, load: str) -> Results:
    """The results of one inset."""
    return results.where(kind=kind, distribution=LOADS[load])


def overheads_of(results: Results) -> str:
    """What the curves charge."""
    return charged_in(results, results.settings[PROCESSORS], "4K")[1]


def footnote_of(results: Results) -> str:
    """What is charged, without the words on dotted lines: there are none."""
    return told(results, charged_in(results, results.settings[PROCESSORS], "4K")[0]).partition("; dotted")[0]
