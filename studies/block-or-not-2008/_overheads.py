"""Overheads by the size of random task sets, measured: appendix A and table 1 of block-or-not-2008.

Section 4.1: sets of 10 to 100 tasks; for each the maximum and the mean after the largest hundredth was dropped. Sets
are those of `schedlab-rt measure sets`: periods uniform in [10, 100] ms, utilizations that add up to 60% of the
processors. Sections, non-preemptive and under the FMLP with long resources, are in sets of their own, so that they do
not delay what is measured of the others. Here no quantum exists under EDF: releases are by timer, and stand where the
paper has the tick. A free resource is taken in memory alone, without a decision; what is measured of locks are the
calls that a decision follows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from schedlab.runtime import ask
from schedlab.studies import Claim, Point, RealStudy, Results, Unit, grid
from schedlab.studies.lines import Line

from ._sets import SOURCE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCHEDULERS = ["P-EDF", "G-EDF"]
#: By kind of set: what is measured in it, and how this paper names it.
MEASURED = {
    "plain": {"scheduling": "scheduling", "release": "tick (here: release)", "context_switch": "context switch"},
    "sections": {
        "leaving_np_section": "delayed preemption",
        "lock_acquire": "semaphore acquisition",
        "lock_release": "semaphore release",
    },
}
OVERHEADS = {what: name for kind in MEASURED.values() for what, name in kind.items()}


def set_points(sizes: range, length: str) -> list[Point]:
    """Both kinds of sets under both schedulers."""
    return grid(kind=list(MEASURED), scheduler=SCHEDULERS, size=list(sizes), length=[length])


def study_of_sets(
    name: str,
    title: str,
    points: Callable[[range, str], list[Point]],
    sets: int,
    evaluate: Callable[[Unit], dict[str, list[Any]]],
    draw: Callable[[Results], Mapping[str, Figure]],
    claims: Callable[[Results], list[Claim]],
) -> RealStudy:
    """By sizes and the length of a run: 80 sets of each size for 60 s as in the paper, or ``sets`` for 1 s."""
    return RealStudy(
        name=name, title=title, source=SOURCE,
        points=points(range(10, 101, 30), "1s"), full_points=points(range(10, 101, 10), "60s"),
        sets=sets, full_sets=80, sets_per_unit=1, evaluate=evaluate, draw=draw, claims=claims,
    )  # fmt: skip


def set_rows(parameters: Any, index: int) -> list[dict[str, Any]]:
    """What was measured in one set: a row for each overhead."""
    flags = ["--sections"] if parameters["kind"] == "sections" else []
    where = ["--scheduler", parameters["scheduler"], "--tasks", parameters["size"], "--set", index]
    found = ask("measure", "sets", *where, "--length", parameters["length"], *flags)
    return [{"set": index, "what": what, **found[what]} for what in MEASURED[parameters["kind"]] if what in found]


def as_columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Of rows with the same names."""
    return {name: [row[name] for row in rows] for name in ("set", "what", "count", "mean_ns", "max_ns")}


def by_size(results: Results, what: str, scheduler: str, column: str) -> tuple[Any, Any]:
    """Sizes and microseconds of every set."""
    table = results.where(what=what, scheduler=scheduler).table
    return table.column("size").to_numpy(), table.column(column).to_numpy() / 1e3


def rises(of: Line) -> bool:
    """A clear trend: 100 tasks cost half as much again as 10."""
    return of.rises(10, 100, by=0.5)


def told(of: Line) -> str:
    """A line of microseconds."""
    return f"{of.intercept:.1f} + {of.slope:.3f} N us (99%: +-{of.margin:.3f})"
