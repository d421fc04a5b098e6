"""Figures 1, 3, 9 and 11 of chronos-scalability-2011: how many sets miss no deadline, by load; their claims."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

from schedlab.plots import CURVES, PAGE, chosen_confidence, footnote, paper_style, save_figure, wilson_interval
from schedlab.studies import Claim, Results, judge, not_evaluated

from ._scheduling import (
    DECIDING_EVERY,
    DISTRIBUTIONS,
    FREE,
    PAPER_NAMES,
    Variant,
    charges_of,
    horizon,
    met,
    sets_with,
    variants,
)

#: What a claim of the paper's machine rests on.
ON_OVERHEADS = "it rests on what no variant models; "


def paper_name(scheduler: str) -> str:
    """What the paper calls it."""
    return PAPER_NAMES.get(scheduler, scheduler)


def insets(results: Results, rows: Any) -> list[tuple[Any, str, Variant]]:
    """Of six rows: each inset's axes, with its heading, its distribution and its variant. Variants stand abreast."""
    found = []
    for row, (name, (_, heading)) in zip(rows, DISTRIBUTIONS.items(), strict=True):
        for axes, variant in zip(row, variants(results), strict=True):
            axes.set_title(f"{heading} ({name}), {variant.heading}")
            found.append((axes, name, variant))
    for axes in rows[-1]:
        axes.set_xlabel("load")
    return found


def plot_shares(results: Results, stem: Path, schedulers: Sequence[str]) -> list[Path]:
    """Six rows of two insets: the share of sets without a miss. The place in the list is a scheduler's style."""
    import matplotlib.pyplot as plt

    with paper_style():
        figure, rows = plt.subplots(6, 2, figsize=(PAGE, 10.2), sharex=True, sharey=True)
        for axes, name, variant in insets(results, rows):
            columns = {scheduler: met(scheduler, variant) for scheduler in variant.of(schedulers)}
            counted = results.where(distribution=name).counts("load", list(columns.values()))
            every = max(4, len(counted) // 6)
            for scheduler, column in columns.items():
                place = schedulers.index(scheduler)
                shares = [percent(row[column]) for row in counted.values()]
                # Markers at other loads for each curve: many coincide.
                axes.plot(
                    list(counted), shares, label=paper_name(scheduler), markevery=(place % every, every),
                    markerfacecolor="white", **CURVES[place],
                )  # fmt: skip
        for axes in rows[:, 0]:
            axes.set_ylabel("sets without a miss (%)")
        # Above all insets: nine names are more than one inset is high.
        figure.legend(*rows[0][0].get_legend_handles_labels(), loc="outside upper center", ncols=5)
        sets = results.provenance["sets"]
        few = -(-sets // DECIDING_EVERY)
        footnote(
            figure,
            f"simulated until {horizon(results.settings)}; {sets} sets per point, {sets_with(results)}: a share is "
            f"known to within {within(sets):.0f} and {within(few):.0f} "
            f"points ({chosen_confidence()}, Wilson); {charges_of(results)}",
        )
        return save_figure(figure, stem)


def percent(counted: tuple[int, int]) -> float:
    """Of those that are known; NaN of none."""
    successes, trials = counted
    return 100 * successes / trials if trials else float("nan")


def within(sets: int) -> float:
    """How well a share of so many is known, in percentage points."""
    low, high = wilson_interval(sets // 2, sets)
    return 50 * (high - low)


def in_both(results: Results, judged: Callable[[Variant], list[Claim]]) -> list[Claim]:
    """What is claimed without a word of the machine: judged without overheads, and with them."""
    return [claim for variant in variants(results) for claim in _under(variant, judged(variant))]


def with_decisions(results: Results, claims: Sequence[Claim]) -> list[Claim]:
    """What is claimed of the paper's machine alone: judged with decisions, or with the overheads of a file."""
    return _under(variants(results)[1], claims)


def without_overheads(claims: Sequence[Claim]) -> list[Claim]:
    """What is claimed of the rules alone."""
    return _under(FREE, claims)


def _under(variant: Variant, claims: Sequence[Claim]) -> list[Claim]:
    return [replace(claim, text=f"{claim.text} [{variant.heading}]") for claim in claims]


class Shares:
    """How many sets miss no deadline, by distribution and load."""

    def __init__(self, results: Results, schedulers: Sequence[str], variant: Variant = FREE) -> None:
        self.schedulers = variant.of(schedulers)
        self.variant = variant
        columns = [met(scheduler, variant) for scheduler in self.schedulers]
        self.counts = {name: results.where(distribution=name).counts("load", columns) for name in DISTRIBUTIONS}
        self.loads = results.values("load")

    def percent(self, distribution: str, load: int, scheduler: str) -> float:
        """Of all sets."""
        return percent(self.counts[distribution][load][met(scheduler, self.variant)])

    def mean(self, distribution: str, scheduler: str) -> float:
        """Over all loads."""
        return fmean(self.percent(distribution, load, scheduler) for load in self.loads)

    def ranked(self, distribution: str, schedulers: Sequence[str] = ()) -> list[str]:
        """Schedulers by their mean share, the best first."""
        return sorted(schedulers or self.schedulers, key=lambda name: -self.mean(distribution, name))

    def better(self, distribution: str, scheduler: str) -> list[str]:
        """Which others have a mean share at least as large."""
        own = self.mean(distribution, scheduler)
        others = [other for other in self.ranked(distribution) if other != scheduler]
        return [other for other in others if self.mean(distribution, other) >= own]

    def all_up_to(self, distribution: str, scheduler: str) -> int:
        """The largest load up to which every set of every load misses nothing; 0 if there is none."""
        last = 0
        for load in self.loads:
            if self.percent(distribution, load, scheduler) < 100:
                break
            last = load
        return last

    def never_fewer(self, text: str, distribution: str, high: str, low: str) -> Claim:
        """Whether ``high`` schedules at no load fewer sets than ``low``."""
        fewer = [
            load
            for load in self.loads
            if self.percent(distribution, load, high) < self.percent(distribution, load, low)
        ]
        told = f"fewer at {len(fewer)} of {len(self.loads)} loads" if fewer else "at no load fewer"
        return judge(text, not fewer, f"{told}; {self.means(distribution, (high, low))}")

    def more_on_average(self, text: str, distribution: str, high: str, low: str) -> Claim:
        """Whether the mean over all loads is larger."""
        larger = self.mean(distribution, high) > self.mean(distribution, low)
        return judge(text, larger, self.means(distribution, (high, low)))

    def at_least_the_rest(self, text: str, distribution: str, some: Sequence[str]) -> Claim:
        """Whether each of ``some`` has a mean share of at least the mean of all others."""
        rest = fmean(self.mean(distribution, name) for name in self.schedulers if name not in some)
        told = f"{self.means(distribution, some)}; all others {rest:.1f}%"
        return judge(text, min(self.mean(distribution, name) for name in some) >= rest, told)

    def means(self, distribution: str, schedulers: Sequence[str]) -> str:
        """Mean shares, as the numbers behind a claim."""
        return "mean over loads: " + ", ".join(
            f"{paper_name(name)} {self.mean(distribution, name):.1f}%" for name in schedulers
        )

    def at_least_up_to(self, text: str, scheduler: str, load: int, distributions: Sequence[str]) -> Claim:
        """Whether all sets are scheduled up to this load."""
        found = {name: self.all_up_to(name, scheduler) for name in distributions}
        told = ", ".join(f"{name} {last}" for name, last in found.items())
        return judge(text, min(found.values()) >= load, f"all sets up to {told}")

    def all_sets_up_to(self, text: str, scheduler: str, distribution: str, load: int) -> Claim:
        """Whether this load is the last of which all sets are scheduled, give or take one."""
        last = self.all_up_to(distribution, scheduler)
        return judge(text, abs(last - load) <= 1, f"all sets up to {last}")


def rests_on_overheads(text: str, numbers: str) -> Claim:
    """A claim about the paper's machine that neither variant can judge, with what came out."""
    return not_evaluated(text, ON_OVERHEADS + numbers)


def as_by_deadline(shares: Shares) -> list[Claim]:
    """In underload these schedulers are EDF (theorems of their papers): what EDF schedules, so do they."""
    pairs = [("P-LBESA", "P-EDF"), ("P-DASA-ND", "P-EDF"), ("gMUA", "G-EDF")]
    return [
        shares.never_fewer(f"in underload {scheduler} is {by_deadline}: in {name}", name, scheduler, by_deadline)
        for scheduler, by_deadline in pairs
        for name in DISTRIBUTIONS
    ]
