"""Figure 6 of chronos-scalability-2011: how often jobs migrate on 48 processors, by load.

The caption has three insets, heavy, medium and light, and does not say of which distributions. Here each has both, the
uniform one and the bimodal one. A migration is that of a job that goes on elsewhere; that the next job of a task
begins elsewhere is none. Non-preemptive and partitioned schedulers have none. The text says nothing of
the curves, so that there is no claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from schedlab.plots import CURVES, PAGE, footnote, paper_style, save_figure
from schedlab.studies import Results

from ._scheduling import (
    LARGE,
    PRIORITY_DRIVEN,
    Variant,
    charges_of,
    migrations,
    schedules_study,
    sets_with,
    variants,
)
from ._shares import paper_name

INSETS = {"(a) heavy": ("BHU", "BHB"), "(b) medium": ("BMU", "BMB"), "(c) light": ("BLU", "BLB")}
MIGRATING = ("C-EDF", "G-EDF", "G-RM")


def means(results: Results, distribution: str, scheduler: str, variant: Variant) -> dict[int, float]:
    """By load: the mean number of migrations of a set."""
    rows = results.where(distribution=distribution)
    loads: list[int] = rows.values("load")
    return {load: fmean(counts(rows.where(load=load), scheduler, variant)) for load in loads}


def counts(results: Results, scheduler: str, variant: Variant) -> list[int]:
    """Of the sets that were simulated."""
    return [count for count in results.table.column(migrations(scheduler, variant)).to_pylist() if count is not None]


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure: solid lines uniform, dotted ones bimodal; with overheads below."""
    import matplotlib.pyplot as plt

    with paper_style():
        figure, rows = plt.subplots(2, 3, figsize=(PAGE, 5.2), sharex=True)
        for insets, variant in zip(rows, variants(results), strict=True):
            for axes, (heading, names) in zip(insets, INSETS.items(), strict=True):
                for name, line in zip(names, ("-", ":"), strict=True):
                    for scheduler in MIGRATING:
                        found = means(results, name, scheduler, variant)
                        style = {**CURVES[PRIORITY_DRIVEN.index(scheduler)], "linestyle": line}
                        axes.plot(
                            list(found), list(found.values()), markevery=6, markerfacecolor="white",
                            label=f"{paper_name(scheduler)}, {name}", **style,
                        )  # fmt: skip
                axes.set_title(f"{heading}, {variant.heading}")
                axes.legend(loc="upper left", fontsize=6)
            insets[0].set_ylabel("migrations of a set in 1 s (mean)")
        for axes in rows[-1]:
            axes.set_xlabel("load")
        sets = results.provenance["sets"]
        footnote(
            figure,
            f"jobs that go on elsewhere; {sets} sets per point, {sets_with(results)}; {charges_of(results)}",
        )
        return save_figure(figure, directory / "2011-fig6")


study = schedules_study(LARGE, "2011-fig6", "figure 6: migrations", plot=plot)
