"""Figures 2 and 10 and table I of chronos-scalability-2011: mean maximum tardiness (MMT), and where overload begins.

MMT of a load: each set's largest tardiness, averaged over the sets. Jobs that are late
and not complete at the end count with how late they are by then.

The paper takes for the beginning of overload the load where tardiness begins to rise rapidly, by eye. Here it is the
first load from which on MMT stays above 100 ms, the longest period: jobs are then late by as much as their tasks have
between two arrivals.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from schedlab import measures
from schedlab.plots import CURVES, GREY, PAGE, footnote, paper_style, save_figure
from schedlab.studies import Results

from ._scheduling import DISTRIBUTIONS, FREE, Variant, charges_of, horizon, sets_with, tardiness, variants
from ._shares import insets, paper_name

LONGEST_PERIOD_MS = 100.0


class Tardiness:
    """MMT by distribution, scheduler and load, in milliseconds."""

    def __init__(self, results: Results, schedulers: Sequence[str], variant: Variant = FREE) -> None:
        self.loads: list[int] = results.values("load")
        self._means: dict[tuple[str, str, int], float] = {}
        for name in DISTRIBUTIONS:
            of_name = results.where(distribution=name)
            for load in self.loads:
                rows = of_name.where(load=load).table
                for scheduler in variant.of(schedulers):
                    column = rows.column(tardiness(scheduler, variant)).to_pylist()
                    known = [value for value in column if value is not None]
                    mean = measures.maximum_tardiness_mean(known)
                    self._means[name, scheduler, load] = float("nan") if mean is None else float(mean)

    def at(self, distribution: str, scheduler: str, load: int) -> float:
        """The mean of the sets' largest tardiness."""
        return self._means[distribution, scheduler, load]

    def mean(self, distribution: str, scheduler: str, loads: Sequence[int]) -> float:
        """Over these loads."""
        return fmean(self.at(distribution, scheduler, load) for load in loads)

    def overload(self, distribution: str, scheduler: str) -> int | None:
        """The load at which overload begins; None if it does not begin up to the largest load."""
        mmt = [self.at(distribution, scheduler, load) for load in self.loads]
        return measures.overload_point(self.loads, mmt, allowed=LONGEST_PERIOD_MS)


def plot_tardiness(results: Results, stem: Path, schedulers: Sequence[str], first: int) -> list[Path]:
    """Six rows of two insets: MMT from load ``first`` on. The place in the list is a scheduler's style."""
    import matplotlib.pyplot as plt

    found = {variant: Tardiness(results, schedulers, variant) for variant in variants(results)}
    loads = [load for load in results.values("load") if load >= first]
    with paper_style():
        figure, rows = plt.subplots(6, 2, figsize=(PAGE, 10.2), sharex=True, sharey=True)
        for axes, name, variant in insets(results, rows):
            for scheduler in variant.of(schedulers):
                place = schedulers.index(scheduler)
                values = [found[variant].at(name, scheduler, load) for load in loads]
                axes.plot(
                    loads, values, label=paper_name(scheduler), markevery=(place % 4, 4), markerfacecolor="white",
                    **CURVES[place % len(CURVES)],
                )  # fmt: skip
            axes.axhline(LONGEST_PERIOD_MS, color=GREY, linewidth=0.6)
            # Linear near zero, where some never are late.
            axes.set_yscale("symlog", linthresh=10, linscale=0.6)
            axes.set_ylim(-1, 1500)
        for axes in rows[:, 0]:
            axes.set_ylabel("MMT (ms)")
        figure.legend(*rows[0][0].get_legend_handles_labels(), loc="outside upper center", ncols=5)
        sets = results.provenance["sets"]
        footnote(
            figure,
            f"each set's largest tardiness, mean over {sets} sets per point, {sets_with(results)}; "
            f"simulated until {horizon(results.settings)}; linear below 10 ms; grey: the longest period; "
            f"{charges_of(results)}",
        )
        return save_figure(figure, stem)
