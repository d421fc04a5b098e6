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
from schedlab.studies import Claim, Parameter, Point, Results, Settings, Study, Unit, grid, not_evaluated, sentence
from schedlab.studies import estimates as estimated
from schedlab.studies.checks import Check, more
from schedlab.studies.estimates import Estimate, less
from schedlab.studies.mutants import loses, scaled

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
    safe_and_papers,
    tardiness_column,
    told,
)

PROCESSORS = Parameter("processors", 4, "processors; overheads stay those of the paper's four", low=1, high=128)
SHARING = Parameter("alpha", 1, "tasks that share a resource, for each processor (alpha)", low=1, high=100)
LONGEST = Parameter("lengths", tuple(LENGTHS), "longest outermost sections", unit="us", low=1, high=10_000)
SAFE, PAPERS = safe_and_papers("4K")
LOADS = {"low": "uniform-light", "medium": "uniform-medium", "high": "uniform-heavy"}
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
    """Which sets each scheme schedules, by load and length."""

    def __init__(self, results: Results) -> None:
        self.tables = {
            (load, length): results.where(load=load, length=length).table
            for load in LOADS for length in LENGTHS
        }  # fmt: skip

    def answers(self, kind: str, scheme: tuple[str, str], load: str, lengths: Sequence[int] = ()) -> list[bool | None]:
        """By set of these lengths, or of all: whether it is proved."""
        name = column(kind, *scheme, PAPERS)
        return [one for length in lengths or LENGTHS for one in self.tables[load, length].column(name).to_pylist()]

    def share(self, kind: str, scheme: tuple[str, str], load: str, lengths: Sequence[int], name: str) -> Estimate:
        """The percentage over these lengths."""
        return estimated.share(self.answers(kind, scheme, load, lengths), name)

    def apart(self, kind: str, high: tuple[str, str], low: tuple[str, str], load: str) -> Estimate:
        """By how many points the first schedules more, on the same sets of all lengths."""
        first, second = (self.answers(kind, scheme, load) for scheme in (high, low))
        return estimated.shares_apart(first, second, (" ".join(high), " ".join(low)))


#: What the paper's numbers are about: its text has no margin that a figure of other sets could meet or miss.
MARGINS = (
    "the text does not say how its utilizations were drawn, uniform or exponential, so that no margin can be compared"
)


def claims(results: Results) -> list[Claim]:
    """Section 4.3, the two paragraphs on figure 1.

    The text's degrees, such as "very good" and "by a very wide margin", are not evaluated: it does not give its sets.
    """
    shares = Shares(results)
    every = {scheme: " ".join(scheme) for scheme in SCHEMES}
    short = loses("schemes with short resources that schedule no set", *_columns("short"))
    return [
        _worsens(shares),
        sentence(
            "it is better to spin than to suspend: under hard deadlines short resources schedule more than long ones",
            {
                f"{scheduler}, {load}": more(shares.apart("hard", (scheduler, "short"), (scheduler, "long"), load))
                for scheduler in ("G-EDF", "P-EDF")
                for load in LOADS
            },
            short,
        ),
        sentence(
            "soft: short resources under G-EDF always result in the best schedulability",
            {
                f"{load}, than {name}": more(shares.apart("soft", ("G-EDF", "short"), scheme, load))
                for load in LOADS
                for scheme, name in every.items()
                if scheme != ("G-EDF", "short")
            },
            loses("a G-EDF with short resources that schedules no soft set", column("soft", "G-EDF", "short", PAPERS)),
        ),
        _tardiness(results),
        *not_here(),
    ]


def _columns(way: str) -> list[str]:
    return [column(kind, *scheme, PAPERS) for kind in CAPS for scheme in SCHEMES if scheme[1] == way]


def _worsens(shares: Shares) -> Claim:
    """As critical sections become longer, schedulability tends to worsen: the longer half against the shorter."""
    middle = len(LENGTHS) // 2
    halves = (LENGTHS[:middle], f"up to {LENGTHS[middle - 1]} us"), (LENGTHS[middle:], "beyond")

    def check(scheme: tuple[str, str], load: str) -> Check:
        shorter, longer = (shares.share("hard", scheme, load, lengths, name) for lengths, name in halves)
        return more(less(shorter, longer))

    return sentence(
        "hard: schedulability tends to worsen with longer sections",
        {f"{' '.join(scheme)}, {load}": check(scheme, load) for load in LOADS for scheme in SCHEMES},
        loses(
            "schemes that schedule no set with short sections", *_columns("short"), *_columns("long"),
            where=lambda row: row["length"] in LENGTHS[:middle],
        ),
    )  # fmt: skip


def not_here() -> list[Claim]:
    """What sections 4.1 to 4.3 say of other systems, of analyses that are refuted or missing, and of margins."""
    margins = (
        "hard: under P-EDF long resources are very poor unless utilizations are high",
        "(a): short resources are very good with low utilizations",
        "P-EDF: soft results are similar to hard ones",
        "soft: short resources under G-EDF are often better by a very wide margin",
        "(d) to (f): long resources under G-EDF are quite good with short sections or higher utilizations",
    )
    return [
        *(not_evaluated(text, MARGINS) for text in margins),
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


def _tardiness(results: Results) -> Claim:
    """By the bounds of the sets that have one both ways, over all lengths."""

    def check(load: str) -> Check:
        table = results.where(load=load).table
        long, short = (table.column(tardiness_column(way, PAPERS)).to_pylist() for way in ("long", "short"))
        return more(estimated.means_apart(long, short, ("long", "short"), " µs"))

    return sentence(
        "(g) to (i): tardiness tends to be lower with short resources",
        {load: check(load) for load in LOADS},
        scaled("bounds of ten times the length with short resources", 10, tardiness_column("short", PAPERS)),
    )


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
