"""Figure 1 of block-or-not-2008: spinning against suspending on four processors, with the overheads of table 1.

m = 4, alpha = 1, K = 5. Insets (a) to (c) hard, (d) to (f) soft, (g) to (i) bounds on tardiness under G-EDF, each for
low, medium and high utilizations ("uniform" here; the text does not say whether uniform or exponential). Curves and
claims are by the paper's account of overheads; thin dotted lines are by the safe one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from schedlab.plots import Curve, chosen_confidence, draw_curves, draw_dotted, footnote, paper_style, save_figure
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Parameter, Point, Results, Settings, Study, Unit, grid, judge, not_evaluated

from ._sets import (
    ACCESSES,
    CAPS,
    LENGTHS,
    PERIODS,
    PROFILE,
    SCHEMES,
    SOURCE,
    column,
    draw_tardiness,
    judge_unit,
    mean_tardiness,
    safe_and_papers,
    tardiness_column,
    told,
)

PROCESSORS = Parameter("processors", 4, "processors; overheads stay those of the paper's four", low=1, high=128)
SHARING = Parameter("alpha", 1, "tasks that share a resource, for each processor (alpha)", low=1, high=100)
LONGEST = Parameter("lengths", tuple(LENGTHS), "longest outermost sections", unit="us", low=1, high=10_000)
SAFE, PAPERS = safe_and_papers("4K")
LOADS = {"low": "uniform-light", "medium": "uniform-medium", "high": "uniform-heavy"}
#: In percentage points.
WIDE = 20
INSETS = dict(zip([(kind, load) for kind in CAPS for load in LOADS], "abcdef", strict=True))


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """Hard and soft sets of one distribution and length, by both accounts."""
    columns: dict[str, list[Any]] = {}
    for account in (SAFE, PAPERS):
        columns |= judge_unit(
            unit,
            distribution=LOADS[str(unit.parameters["load"])],
            processors=unit.settings[PROCESSORS],
            sharing=unit.settings[SHARING],
            length=int(unit.parameters["length"]),
            overheads=account,
        )
    return columns


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """Nine insets, as in the paper."""
    import matplotlib.pyplot as plt

    with paper_style():
        figure, insets = plt.subplots(3, len(LOADS), figsize=(PAGE, 5.6), sharex=True)
        for row, kind in zip(insets, CAPS, strict=False):
            for axes, load in zip(row, LOADS, strict=True):
                draw_inset(axes, results.where(load=load), kind)
                axes.set_title(f"({INSETS[kind, load]}) {kind}, {load} utilizations")
            row[0].set_ylabel("schedulable sets (%)")
        for axes, load, letter in zip(insets[2], LOADS, "ghi", strict=True):
            draw_tardiness(axes, results.where(load=load), PAPERS)
            axes.set_title(f"({letter}) tardiness, {load} utilizations")
            axes.set_xlabel("longest outermost section (µs)")
        insets[2][0].set_ylabel("mean bound (µs)")
        insets[0][0].legend(loc="center left")
        insets[2][0].legend(loc="lower left")
        footnote(
            figure,
            f"overheads: {told(results)}, sections with lock operations alone, as the paper has "
            f"it; dotted: with all that may pass; long under P-EDF: all that precedes a holder counts; "
            f"{results.provenance['sets']} sets per point, bands where apart: {chosen_confidence()} (Wilson)",
        )
        return save_figure(figure, directory / "2008-fig1")


def draw_inset(axes: Any, results: Results, kind: str) -> None:
    """The four schemes."""

    def curves(account: str) -> list[Curve]:
        names = [column(kind, *scheme, account) for scheme in SCHEMES]
        counted = results.counts("length", names)
        return [
            Curve(" ".join(scheme), [(length, *counts[name]) for length, counts in counted.items()], style)
            for style, (scheme, name) in enumerate(zip(SCHEMES, names, strict=True))
        ]

    draw_curves(axes, curves(PAPERS), solid=True, accent=("G-EDF long",))
    draw_dotted(axes, curves(SAFE))


class Shares:
    """Schedulable sets by scheme, load and length, in percent."""

    def __init__(self, results: Results) -> None:
        names = [column(kind, *scheme, PAPERS) for kind in CAPS for scheme in SCHEMES]
        counted = {load: results.where(load=load).counts("length", names) for load in LOADS}
        self._counts = counted

    def at(self, kind: str, scheduler: str, way: str, load: str, length: int) -> float:
        """One point."""
        good, all_ = self._counts[load][length][column(kind, scheduler, way, PAPERS)]
        return 100 * good / all_

    def mean(self, kind: str, scheduler: str, way: str, load: str) -> float:
        """Over all lengths."""
        return sum(self.at(kind, scheduler, way, load, length) for length in LENGTHS) / len(LENGTHS)


def claims(results: Results) -> list[Claim]:
    """Section 4.3, the two paragraphs on figure 1."""
    shares = Shares(results)
    return [
        *worsens(shares),
        long_is_poor(shares),
        *short_is_good(shares),
        *short_beats_long(shares, "hard"),
        *alike(shares),
        *best_is_short_global(shares),
        *long_global(shares),
        *tardiness(results),
        *not_here(),
    ]


def worsens(shares: Shares) -> list[Claim]:
    """As critical sections become longer, schedulability tends to worsen: the longer half against the shorter."""
    found, middle = [], len(LENGTHS) // 2
    for load, scheme in ((load, scheme) for load in LOADS for scheme in SCHEMES):
        short, long = (
            sum(shares.at("hard", *scheme, load, length) for length in half) / len(half)
            for half in (LENGTHS[:middle], LENGTHS[middle:])
        )
        text = f"hard: schedulability tends to worsen with longer sections: {' '.join(scheme)}, {load}"
        numbers = f"{short:.1f}% up to 7 µs, {long:.1f}% beyond"
        saturated = short == long and short in (0, 100)
        found.append(not_evaluated(text, numbers) if saturated else judge(text, long < short, numbers))
    return found


def long_is_poor(shares: Shares) -> Claim:
    """Very poor unless task utilizations are high."""
    means = {load: shares.mean("hard", "P-EDF", "long", load) for load in LOADS}
    text = "hard: under P-EDF with long resources very poor (below 20% on average) unless utilizations are high"
    numbers = ", ".join(f"{load} {mean:.0f}%" for load, mean in means.items())
    return judge(text, max(means["low"], means["medium"]) < 20 < means["high"], numbers)


def short_is_good(shares: Shares) -> list[Claim]:
    """Very good under both in inset (a)."""
    found = []
    for scheduler in ("G-EDF", "P-EDF"):
        mean = shares.mean("hard", scheduler, "short", "low")
        text = f"(a): short resources are very good (above 80% on average) with low utilizations: {scheduler}"
        found.append(judge(text, mean > 80, f"{mean:.0f}%"))
    return found


def short_beats_long(shares: Shares, kind: str) -> list[Claim]:
    """It is much better to spin than to suspend."""
    found = []
    for scheduler in ("G-EDF", "P-EDF"):
        means = {load: [shares.mean(kind, scheduler, way, load) for way in ("short", "long")] for load in LOADS}
        text = f"{kind}: spinning is never worse than suspending and much better (20 points) on average: {scheduler}"
        numbers = ", ".join(f"{load} {short:.0f}% and {long:.0f}%" for load, (short, long) in means.items())
        gains = [short - long for short, long in means.values()]
        agrees = min(gains) >= 0 and sum(gains) / len(gains) > 20
        found.append(judge(text, agrees, f"short and long: {numbers}"))
    return found


def not_here() -> list[Claim]:
    """What sections 4.1 to 4.3 say of other systems, and of analyses that are refuted or missing."""
    return [
        not_evaluated(
            "sections of real systems are short (above 93% within 13 µs) and rarely nested (at least 70% are not)",
            "it is of traces of Linux, two video players and a game; sections here are drawn by these shares",
        ),
        not_evaluated(
            "P-EDF: Devi's terms for suspensions give results nearly identical to suspensions as computation",
            "those terms are refuted by a counterexample (Günzel and Chen 2020); here suspensions are computation",
        ),
        not_evaluated(
            "a major reason why long resources yield poorer results is the difficulty of analysing suspensions",
            "no analysis is known that is tight; conclusion (vi), by runs, is judged in 2008-fig2",
        ),
    ]


def alike(shares: Shares) -> list[Claim]:
    """P-EDF: insets (d) to (f) are similar to (a) to (c); within 25 points on average."""
    found = []
    for way in ("short", "long"):
        pairs = {load: [shares.mean(kind, "P-EDF", way, load) for kind in CAPS] for load in LOADS}
        text = f"P-EDF: soft results are similar to hard ones (within 25 points on average): {way}"
        numbers = ", ".join(f"{load} {soft:.0f}% and {hard:.0f}%" for load, (hard, soft) in pairs.items())
        agrees = all(abs(hard - soft) <= 25 for hard, soft in pairs.values())
        found.append(judge(text, agrees, f"soft and hard: {numbers}"))
    return found


def best_is_short_global(shares: Shares) -> list[Claim]:
    """Short under G-EDF always results in the best soft schedulability."""
    found = []
    for load in LOADS:
        means = {scheme: shares.mean("soft", *scheme, load) for scheme in SCHEMES}
        text = f"soft: short resources under G-EDF result in the best schedulability: {load}"
        numbers = ", ".join(f"{' '.join(scheme)} {mean:.0f}%" for scheme, mean in means.items())
        found.append(judge(text, means["G-EDF", "short"] >= max(means.values()), numbers))
    return [*found, by_far(shares)]


def by_far(shares: Shares) -> Claim:
    """Often by a very wide margin: by 20 points over the next in at least half of all cases."""
    leads = []
    for load, length in ((load, length) for load in LOADS for length in LENGTHS):
        at = {scheme: shares.at("soft", *scheme, load, length) for scheme in SCHEMES}
        leads.append(at["G-EDF", "short"] - max(at[scheme] for scheme in SCHEMES if scheme != ("G-EDF", "short")))
    wide = sum(lead >= WIDE for lead in leads)
    text = f"soft: short resources under G-EDF are often better by a very wide margin ({WIDE} points over the next)"
    return judge(text, 2 * wide >= len(leads), f"in {wide} of {len(leads)} cases of load and length")


def long_global(shares: Shares) -> list[Claim]:
    """Long under G-EDF is quite good if (d) sections are short, (e) and (f) utilizations fairly high."""
    left = shares.at("soft", "G-EDF", "long", "low", LENGTHS[0])
    text = "(d): long resources under G-EDF are quite good (above 70%) with low utilizations and short sections"
    found = [judge(text, left > 70, f"{left:.0f}% at 1 µs")]
    for load, letter in (("medium", "e"), ("high", "f")):
        mean = shares.mean("soft", "G-EDF", "long", load)
        text = f"({letter}): long resources under G-EDF are quite good (above 70% on average) with {load} utilizations"
        found.append(judge(text, mean > 70, f"{mean:.0f}%"))
    return found


def tardiness(results: Results) -> list[Claim]:
    """Tardiness tends to be lower with short resources."""
    found = []
    for load, letter in zip(LOADS, "ghi", strict=True):
        ways = [
            dict(mean_tardiness(results.where(load=load), tardiness_column(way, PAPERS))) for way in ("short", "long")
        ]
        text = f"({letter}): tardiness tends to be lower with short resources: {load}"
        both = sorted(ways[0].keys() & ways[1].keys())
        if not both:
            found.append(not_evaluated(text, "no length at which sets are schedulable both ways"))
            continue
        lower = sum(ways[0][length] <= ways[1][length] for length in both)
        short, long = (sum(way[length] for length in both) / len(both) for way in ways)
        numbers = f"lower at {lower} of {len(both)} lengths; mean bounds {short:.0f} and {long:.0f} µs"
        found.append(judge(text, 2 * lower > len(both), numbers))
    return found


def points(settings: Settings) -> list[Point]:
    """The grid."""
    return grid(load=list(LOADS), length=settings[LONGEST])


study = Study(
    name="2008-fig1",
    title="block-or-not-2008, figure 1: spinning and suspending on four processors",
    source=SOURCE,
    points=points(Settings()),
    evaluate=evaluate,
    plot=plot,
    claims=claims,
    sets=50,
    full_sets=50,
    sets_per_unit=10,
    takes_overheads=True,
    parameters={
        "processors": PROCESSORS.default, "alpha": SHARING.default, "accesses": ACCESSES.default, "overheads": PROFILE,
    },
    settable=(PROCESSORS, SHARING, ACCESSES, LONGEST, PERIODS),
    regrid=points,
)  # fmt: skip
