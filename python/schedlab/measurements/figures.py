"""Plots of measured overheads: by the number of tasks, as histograms, by working set, by waiters."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pandas as pd

from schedlab.show.plots.paper import CURVES, PAGE

#: Quantities that are measured under each scheduler, with their titles.
OF_DISPATCHING = {
    "timer_latency": "Timer: from when it was due until its thread executes",
    "release": "Release: from when its timer was due until the decision was carried out",
    "tick": "Tick: the same, where quanta drive the scheduler",
    "scheduling": "Scheduling: from a job's end until the decision was carried out",
    "context_switch": "Context switch: from a decision on the same processor until the job executes",
    "ipi": "Interrupt: from a decision on another processor until the job is stopped",
}
_CACHE = {"cache_related_preemption": "after a preemption", "cache_related_migration": "after a migration"}
_ACROSS = 4
_TO_AN_OCTAVE = 4
#: Number of letters from which on a title is set smaller, to stay above its inset.
_LONG = 20


def by_tasks(rows: pd.DataFrame, what: str) -> Any:
    """Draws maxima and means of each task set by its size, and their means: appendix A of block-or-not-2008.

    Returns None if ``what`` was not measured.
    """
    rows = rows[(rows["what"] == what) & rows["tasks"].notna()]
    return _insets(rows, "number of tasks", _draw_by_tasks) if len(rows) else None


def histograms(rows: pd.DataFrame, what: str) -> Any:
    """Draws how long it took each time, for all task sets of a scheduler: figure 7 of chronos-scalability-2011."""
    rows = rows[(rows["what"] == what) & rows["tasks"].notna()]
    if not len(rows):
        return None
    figure = _insets(rows, "microseconds", _draw_histogram, "times")
    figure.axes[0].set_xlim(_but_outliers(rows))
    return figure


def _but_outliers(rows: pd.DataFrame) -> tuple[float, float]:
    """Returns the range in microseconds of all bins, without a thousandth of the values on either side."""
    bins = sorted((low, many) for bins in rows["bins"] for low, many in bins)
    outside = sum(many for _, many in bins) / 1000

    def end(bins: list[tuple[int, int]]) -> int:
        sums = itertools.accumulate(many for _, many in bins)
        return next(low for (low, _), sum_ in zip(bins, sums, strict=True) if sum_ > outside)

    # One bar's width beyond the lower bound of a bin.
    wide = 2 ** (1 / _TO_AN_OCTAVE)
    return max(end(bins), 1) / 1e3 / wide, max(end(bins[::-1]), 1) / 1e3 * wide**2


def _insets(rows: pd.DataFrame, xlabel: str, draw: Any, ylabel: str = "microseconds", *, by: str = "scheduler") -> Any:
    """Draws one inset for each scheduler, or for each value of the column ``by``, four in a line."""
    # Matplotlib is slow to import, and only a figure that is drawn needs it.
    import matplotlib.pyplot as plt

    names = list(dict.fromkeys(rows[by]))
    across = min(_ACROSS, len(names))
    lines = -(-len(names) // across)
    figure, grid = plt.subplots(lines, across, figsize=(PAGE, 1.75 * lines + 0.3), squeeze=False, sharex=True)
    for axes, name in zip(grid.flat, names, strict=False):
        draw(axes, rows[rows[by] == name])
        axes.set_title(name, fontsize=8 if len(name) < _LONG else 6.5)
    for axes in list(grid.flat)[len(names) :]:
        axes.set_visible(False)
    for axes in grid[:, 0]:
        axes.set_ylabel(ylabel)
    for column in range(across):
        last = max(line for line in range(lines) if line * across + column < len(names))
        grid[last][column].set_xlabel(xlabel)
        grid[last][column].tick_params(labelbottom=True)
    if grid[0][0].get_legend_handles_labels()[0]:
        figure.legend(*grid[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


def _draw_by_tasks(axes: Any, rows: pd.DataFrame) -> None:
    for style, (column, label) in zip(CURVES, (("max_ns", "maximum"), ("mean_ns", "mean")), strict=False):
        microseconds = rows[column] / 1e3
        axes.plot(rows["tasks"], microseconds, linestyle="", marker=style["marker"], color=style["color"],
                  markerfacecolor="white", markersize=3)  # fmt: skip
        means = microseconds.groupby(rows["tasks"]).mean()
        axes.plot(means.index, means, linestyle=style["linestyle"], color=style["color"], label=label)
    axes.set_ylim(0, 1.08 * rows["max_ns"].max() / 1e3)


def _draw_histogram(axes: Any, rows: pd.DataFrame) -> None:
    counts: dict[int, int] = {}
    for bins in rows["bins"]:
        for low, many in bins:
            # Drawn in quarters of an octave, though the stored bins are finer.
            place = math.floor(math.log2(max(low, 1)) * _TO_AN_OCTAVE)
            counts[place] = counts.get(place, 0) + many
    lows = {place: 2 ** (place / _TO_AN_OCTAVE) / 1e3 for place in counts}
    widths = [low * (2 ** (1 / _TO_AN_OCTAVE) - 1) for low in lows.values()]
    axes.bar(list(lows.values()), list(counts.values()), widths, align="edge", color=CURVES[1]["color"])
    axes.set_xscale("log")


def by_working_set(rows: pd.DataFrame) -> Any:
    """Draws the cost of a working set after a preemption or a migration: figure 4(a) of litmus-rt-2006."""
    # Matplotlib is slow to import, and only a figure that is drawn needs it.
    import matplotlib.pyplot as plt

    rows = rows[rows["what"].isin(list(_CACHE))]
    if not len(rows):
        return None
    accesses = list(dict.fromkeys(rows["access"]))
    figure, grid = plt.subplots(1, len(accesses), figsize=(PAGE, 2.4), squeeze=False, sharey=True)
    for axes, access in zip(grid[0], accesses, strict=True):
        curves = rows[rows["access"] == access].groupby(["what", "alignment", "path"], sort=True)
        for style, ((what, alignment, path), found) in zip(CURVES, curves, strict=False):
            found = found.sort_values("bytes")
            label = f"{_CACHE[what]}, {alignment}" + (f", {path}" if path != "same core" else "")
            axes.plot(found["bytes"] / 1024, found["mean_ns"] / 1e3, label=label, markerfacecolor="white", **style)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_title(access)
        axes.set_xlabel("working set (KiB)")
    grid[0][0].set_ylabel("mean (microseconds)")
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2)
    return figure


def by_waiters(rows: pd.DataFrame) -> Any:
    """Draws the cost of taking and giving back a lock by the number of waiters: figure 2 of resource-protocols-2020."""
    rows = rows[rows["protocol"].notna()]
    if not len(rows):
        return None
    return _insets(rows, "jobs that wait", _draw_by_waiters, "mean (microseconds)", by="protocol")


def _draw_by_waiters(axes: Any, rows: pd.DataFrame) -> None:
    for style, (what, label) in zip(CURVES, (("lock_acquire", "P: taking it"), ("lock_release", "V: giving it back")),
                                    strict=False):  # fmt: skip
        found = rows[rows["what"] == what].sort_values("waiters")
        axes.plot(found["waiters"], found["mean_ns"] / 1e3, label=label, markerfacecolor="white", **style)
    axes.set_ylim(0, 1.08 * rows["mean_ns"].max() / 1e3)
    axes.xaxis.get_major_locator().set_params(integer=True)
