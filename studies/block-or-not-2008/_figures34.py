"""Figures 3 and 4 of block-or-not-2008: soft sets on four processors, alpha = 1, buffers and heaps."""

from __future__ import annotations

from schedlab.studies import Results, grid

from ._objects import FREQUENCIES, charged_in, told

LOADS = {"low": "uniform-light", "medium": "uniform-medium", "high": "uniform-heavy"}
KINDS = ("buffer", "heap")
PROCESSORS, ALPHA = 4, 1
POINTS = grid(
    distribution=list(LOADS.values()), processors=[PROCESSORS], alpha=[ALPHA], kind=list(KINDS), K=FREQUENCIES
)


def inset(results: Results, kind: str, load: str) -> Results:
    """The results of one inset."""
    return results.where(kind=kind, distribution=LOADS[load])


def overheads_of(results: Results) -> str:
    """What the curves charge."""
    return charged_in(results, PROCESSORS, "4K")[1]


def footnote_of(results: Results) -> str:
    """What is charged, without the words on dotted lines: there are none."""
    return told(results, charged_in(results, PROCESSORS, "4K")[0]).partition("; dotted")[0]
