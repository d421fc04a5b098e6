"""Figures 2 and 10 and table I of chronos-scalability-2011: mean maximum tardiness (MMT), and where overload begins.

MMT of a load: each set's largest tardiness, averaged over the sets. Jobs that are late
and not complete at the end count with how late they are by then.

The paper takes for the beginning of overload the load where tardiness begins to rise rapidly, by eye. Here it is the
knee of MMT over load: the last load before MMT rises by more than 5 ms a load, half the shortest period, and by 10 ms,
the shortest period, beyond that (`schedlab.studies.knee`). Without overheads, the tardiness of the global EDF
schedulers and of G-FIFO, which bound it, rises by about 4 ms a load at most. Figure 2 begins at load 20 of 48, and so
does the search.

Two other readings stand beside it. A low threshold, 2 ms, is near the knee where jobs in underload are never late, and
says nothing of schedulers that bound tardiness without avoiding it. A high one, 100 ms, is the longest period.

Intervals are by the bootstrap over task sets, each load by itself, since each load has sets of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean

import numpy as np

from schedlab import measures
from schedlab.plots import CURVES, PAGE, footnote, paper_style, save_figure
from schedlab.studies import Results
from schedlab.studies.bootstrap import Floats, Interval, percentile_interval, resampled_means
from schedlab.studies.knee import knees, lasting_above
from schedlab.studies.looks import Looks
from schedlab.studies.seeds import derive_seed

from ._scheduling import DISTRIBUTIONS, FREE, Variant, charges_of, horizon, sets_with, tardiness, variants
from ._shares import insets, paper_name

#: Where figure 2 begins, of how many loads.
FIRST, OF_LOADS = 20, 48
#: More than this is rapid, in ms a load.
RAPID_MS = 5.0
SHORTEST_PERIOD_MS = 10.0
#: When a run has enough sets. One set in four has decisions.
LOOKS = Looks((40, 100, 200, 400, 1000))


@dataclass(frozen=True)
class Definition:
    """A reading of "tardiness begins to rise rapidly"."""

    heading: str
    #: Of loads, and of MMT at them in rows: the load, or infinity.
    begins: Callable[[Floats, Floats], Floats]


KNEE = Definition("knee", partial(knees, slope=RAPID_MS, rise=SHORTEST_PERIOD_MS))
DEFINITIONS = (
    KNEE,
    Definition("above 2 ms from then on", partial(lasting_above, allowed=2.0)),
    Definition("above 100 ms from then on", partial(lasting_above, allowed=100.0)),
)


class Tardiness:
    """MMT by distribution, scheduler and load, in milliseconds, and the loads at which overload begins."""

    def __init__(self, results: Results, schedulers: Sequence[str], variant: Variant = FREE) -> None:
        self.loads: list[int] = results.values("load")
        self.variant = variant
        self._largest: dict[tuple[str, str, int], list[float]] = {}
        self._means: dict[tuple[str, str, int], float] = {}
        for name in DISTRIBUTIONS:
            of_name = results.where(distribution=name)
            for load in self.loads:
                rows = of_name.where(load=load).table
                for scheduler in variant.of(schedulers):
                    column = rows.column(tardiness(scheduler, variant)).to_pylist()
                    known = [value for value in column if value is not None]
                    mean = measures.maximum_tardiness_mean(known)
                    self._largest[name, scheduler, load] = known
                    self._means[name, scheduler, load] = float("nan") if mean is None else float(mean)
        self._resampled: dict[tuple[str, str], Floats] = {}

    @property
    def searched(self) -> list[int]:
        """The loads among which overload begins."""
        return [load for load in self.loads if load * OF_LOADS >= FIRST * self.loads[-1]]

    def at(self, distribution: str, scheduler: str, load: int) -> float:
        """The mean of the sets' largest tardiness."""
        return self._means[distribution, scheduler, load]

    def mean(self, distribution: str, scheduler: str, loads: Sequence[int]) -> float:
        """Over these loads."""
        return fmean(self.at(distribution, scheduler, load) for load in loads)

    def overload(self, distribution: str, scheduler: str, definition: Definition = KNEE) -> int | None:
        """The load at which overload begins; None if it does not begin up to the largest load."""
        found = self._begins(distribution, scheduler, definition)
        return int(found) if math.isfinite(found) else None

    def interval(self, distribution: str, scheduler: str, definition: Definition = KNEE) -> Interval:
        """The load at which overload begins, with its interval at one look; infinity where it does not begin."""
        samples = [self._largest[distribution, scheduler, load] for load in self.searched]
        value = self._begins(distribution, scheduler, definition)
        if math.isnan(value):
            return Interval(value, value, value)
        # Resamples of one set are that set, which says nothing of others.
        if min(map(len, samples)) < 2:
            return Interval(value, self.searched[0], math.inf)
        if (distribution, scheduler) not in self._resampled:
            seed = derive_seed("where overload begins", distribution, scheduler + self.variant.suffix)
            self._resampled[distribution, scheduler] = resampled_means(samples, seed=seed)
        resampled = self._resampled[distribution, scheduler]
        return percentile_interval(value, definition.begins(self._places(), resampled), LOOKS.of_one)

    def _begins(self, distribution: str, scheduler: str, definition: Definition) -> float:
        curve = np.array([[self.at(distribution, scheduler, load) for load in self.searched]])
        return float("nan") if np.isnan(curve).any() else float(definition.begins(self._places(), curve)[0])

    def _places(self) -> Floats:
        return np.array(self.searched, dtype=np.float64)


def told_load(load: float) -> str:
    """A load at which overload begins, as text."""
    return "never" if load == math.inf else f"{load:.0f}"


def told_interval(found: Interval) -> str:
    """A load with its interval, as text; alone if the interval has no other."""
    if found.low == found.high == found.value or math.isnan(found.value):
        return told_load(found.value)
    return f"{told_load(found.value)} [{told_load(found.low)}, {told_load(found.high)}]"


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
                style = CURVES[place % len(CURVES)]
                values = [found[variant].at(name, scheduler, load) for load in loads]
                axes.plot(
                    loads, values, label=paper_name(scheduler), markevery=(place % 4, 4), markerfacecolor="white",
                    **style,
                )  # fmt: skip
                knee = found[variant].overload(name, scheduler)
                if knee is not None and knee >= first:
                    at = found[variant].at(name, scheduler, knee)
                    axes.plot([knee], [at], linestyle="", marker="o", markersize=6, color=style["color"], zorder=3)
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
            f"simulated until {horizon(results.settings)}; linear below 10 ms; large dots: knees, where a rise by more "
            f"than {RAPID_MS:.0f} ms per load begins; {charges_of(results)}",
        )
        return save_figure(figure, stem)
