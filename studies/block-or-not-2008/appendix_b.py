"""Appendix B of block-or-not-2008, figures 7 to 48: spinning against suspending, 42 figures of ten insets.

Seven distributions, four and sixteen processors, working sets of 4K, 32K and 64K; in each figure alpha 1 and 2 for
G-EDF and P-EDF, hard and soft, and tardiness under G-EDF. K and the x-axis are not in the text: here K = 5 and the
length of sections, as in figure 1. Curves and claims are by the paper's account of overheads; thin dotted lines are by
the safe one.

Overheads are known for four processors and 4K only: figures 7 to 13. Figures 14 to 20, for sixteen processors, charge
none and say so. All 42 are drawn with a file of measured overheads (`--overheads FILE`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from math import nan
from pathlib import Path
from statistics import fmean
from typing import Any

from schedlab.plots import Curve, chosen_confidence, draw_curves, draw_dotted, footnote, paper_style, save_figure
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Results, Study, Unit, grid, judge, not_evaluated

from ._sets import (
    ACCESSES,
    DISTRIBUTIONS,
    LENGTHS,
    PERIODS,
    PROFILE,
    SOURCE,
    WORKING_SETS,
    column,
    draw_tardiness,
    is_measured,
    judge_unit,
    safe_and_papers,
    tardiness_column,
    told,
)

PROCESSORS = (4, 16)
ALPHAS = (1, 2)
WAYS = ("short", "long")
ROWS = (("hard", "G-EDF"), ("hard", "P-EDF"), ("soft", "G-EDF"), ("soft", "P-EDF"))


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """With all overheads that are known; without any where none is."""
    p = unit.parameters
    processors = int(p["processors"])
    measured = bool(unit.overheads)
    somewhere = {overheads for one in PROCESSORS for overheads in known(one, measured)}
    columns: dict[str, list[Any]] = {
        name: [None] * len(unit.sets) for overheads in sorted(somewhere) for name in columns_of(overheads)
    }
    for overheads in known(processors, measured):
        columns |= judge_unit(
            unit,
            distribution=str(p["distribution"]),
            processors=processors,
            sharing=int(p["alpha"]),
            length=int(p["length"]),
            overheads=overheads,
        )
    return columns


def known(processors: int, measured: bool) -> list[str]:
    """What is charged on so many processors."""
    if measured:
        return [overheads for working_set in WORKING_SETS for overheads in safe_and_papers(working_set)]
    return list(safe_and_papers("4K")) if processors == 4 else ["none"]


def columns_of(overheads: str) -> list[str]:
    """The columns of results with these."""
    proved = [column(*row, way, overheads) for row in ROWS for way in WAYS]
    return [*proved, *(tardiness_column(way, overheads) for way in WAYS)]


def figures(measured: bool) -> Iterator[tuple[int, str, int, str]]:
    """Number, working set, processors and distribution of each figure that is not another's under a second title."""
    every = itertools.product(WORKING_SETS, PROCESSORS, DISTRIBUTIONS)
    for number, (working_set, processors, distribution) in enumerate(every, 7):
        if measured or working_set == "4K":
            yield number, working_set, processors, distribution


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """42 figures, or the 14 that are told apart without a file."""
    paths: list[Path] = []
    for number, working_set, processors, distribution in figures(is_measured(results)):
        here = results.where(distribution=distribution, processors=processors)
        paths += draw_figure(here, number, working_set, processors, distribution, directory)
    return paths


def draw_figure(
    results: Results, number: int, working_set: str, processors: int, distribution: str, directory: Path
) -> list[Path]:
    """Ten insets: five rows, two values of alpha."""
    import matplotlib.pyplot as plt

    safe, overheads = charged_in(results, processors, working_set)
    with paper_style():
        figure, insets = plt.subplots(5, 2, figsize=(PAGE, 8.2), sharex=True)
        for side, alpha in enumerate(ALPHAS):
            here = results.where(alpha=alpha)
            for place, row in enumerate(ROWS):
                axes = insets[place][side]
                draw_inset(axes, here, row, overheads, safe)
                axes.set_title(f"({'abcdefghij'[2 * place + side]}) {row[0]}, {row[1]}, alpha = {alpha}")
            draw_tardiness(insets[4][side], here, overheads)
            insets[4][side].set_title(f"({'ij'[side]}) tardiness, G-EDF, alpha = {alpha}")
            insets[4][side].set_xlabel("longest outermost section (µs)")
        for row_axes in insets[:4]:
            row_axes[0].set_ylabel("schedulable (%)")
        insets[4][0].set_ylabel("mean bound (µs)")
        figure.legend(*insets[0][0].get_legend_handles_labels(), loc="outside upper right", ncols=2)
        charged = (
            "overheads unknown, none charged"
            if safe is None
            else f"overheads: {told(results)}, sections with lock operations alone, as the paper has it; dotted: with "
            "all that may pass"
        )
        size = "" if safe is None else f" WSS={working_set}"
        figure.suptitle(
            f"Figure {number}: {DISTRIBUTIONS[distribution]} m={processors}{size}", fontsize=9, x=0.02, ha="left"
        )
        sets, accesses = results.provenance["sets"], results.settings[ACCESSES]
        footnote(
            figure,
            f"{charged}; K = {accesses}; {sets} sets per point, "
            f"bands where apart: {chosen_confidence()} (Wilson)"
        )
        return list(save_figure(figure, directory / f"2008-fig{number}"))


def charged_in(results: Results, processors: int, working_set: str) -> tuple[str | None, str]:
    """What a figure charges by the safe account, if anything, and by the paper's."""
    safe, papers = safe_and_papers(working_set)
    return (safe, papers) if papers in known(processors, is_measured(results)) else (None, "none")


def draw_inset(axes: Any, results: Results, row: tuple[str, str], overheads: str, safe: str | None) -> None:
    """Short and long."""

    def curves(overheads: str) -> list[Curve]:
        names = {way: column(*row, way, overheads) for way in WAYS}
        counted = results.counts("length", list(names.values()))
        return [
            Curve(way, [(length, *counts[name]) for length, counts in counted.items()], style)
            for style, (way, name) in enumerate(names.items())
        ]

    draw_curves(axes, curves(overheads), solid=True, accent=("short",))
    if safe is not None:
        draw_dotted(axes, curves(safe))


def claims(results: Results) -> list[Claim]:
    """Sections 4.1 and 4.3 on what is in the appendix."""
    found = [better(results, processors, *row) for processors in PROCESSORS for row in ROWS]
    trends = "four and sixteen processors exhibit similar trends: short is not worse than long in both"
    agree = all(claim.answer == "holds here" for claim in found)
    numbers = f"{sum(claim.answer == 'holds here' for claim in found)} of {len(found)} comparisons"
    return [
        *found,
        judge(trends, agree, numbers),
        never_ahead(results),
        never_less_late(results),
        less_competitive(results),
    ]


def insets_of(results: Results) -> Iterator[tuple[str, Results, str]]:
    """Each distribution, number of processors and alpha that was run, with what the figures of 4K charge."""
    for processors, distribution, alpha in itertools.product(PROCESSORS, DISTRIBUTIONS, ALPHAS):
        here = results.where(processors=processors, distribution=distribution, alpha=alpha)
        if here.table.num_rows:
            yield f"m = {processors}, {distribution}, alpha = {alpha}", here, charged_in(results, processors, "4K")[1]


def never_ahead(results: Results) -> Claim:
    """Conclusion (v), of schedulability: inset by inset, over all lengths."""
    ahead, count = [], 0
    for where, here, overheads in insets_of(results):
        for row in ROWS:
            count += 1
            short, long = (percent(here, column(*row, way, overheads)) for way in WAYS)
            ahead += [f"{where}, {' '.join(row)}: {short:.1f} and {long:.1f}%"] if long > short else []
    return judge(
        "(v): suspending is never preferable to spinning, by schedulability: in no inset, over all lengths",
        not ahead,
        f"preferable in {len(ahead)} of {count} insets{''.join(f'; {one}' for one in ahead)}",
    )


def never_less_late(results: Results) -> Claim:
    """Conclusion (v), of tardiness: inset by inset, over the sets that have a bound both ways."""
    text = "(v): suspending is never preferable to spinning, by tardiness: in no inset, by the mean bound"
    ahead, count = [], 0
    for where, here, overheads in insets_of(results):
        columns = (here.table.column(tardiness_column(way, overheads)).to_pylist() for way in WAYS)
        both = [pair for pair in zip(*columns, strict=True) if None not in pair]
        if both:
            count += 1
            short, long = map(fmean, zip(*both, strict=True))
            ahead += [f"{where}: {short:.0f} and {long:.0f} µs"] if long < short else []
    if not count:
        return not_evaluated(text, "no set has a bound both ways")
    told_ahead = "".join(f"; {one}" for one in ahead)
    return judge(
        text, not ahead, f"preferable in {len(ahead)} of {count} insets where sets have both bounds{told_ahead}"
    )


def less_competitive(results: Results) -> Claim:
    """Spinning is ahead of suspending by more with 64K than with 4K, over everything else."""
    text = "larger working sets tend to decrease the competitiveness of methods that suspend"
    if not is_measured(results):
        return not_evaluated(text, "overheads are unknown: the costs for 32K and 64K are not in the text")
    ahead = {}
    for working_set in WORKING_SETS:
        papers = safe_and_papers(working_set)[1]
        shares = [[percent(results, column(*row, way, papers)) for row in ROWS] for way in WAYS]
        ahead[working_set] = sum(shares[0]) / len(ROWS) - sum(shares[1]) / len(ROWS)
    numbers = ", ".join(f"{name} {points:.1f}" for name, points in ahead.items())
    return judge(text, ahead["4K"] < ahead["64K"], f"spinning is ahead by so many points: {numbers}")


def percent(results: Results, name: str) -> float:
    """How many of the sets a column proves."""
    values = results.table.column(name).to_pylist()
    return 100 * sum(value is True for value in values) / len(values) if values else nan


def better(results: Results, processors: int, kind: str, scheduler: str) -> Claim:
    """Spinning is usually preferable: over all distributions, alphas and lengths."""
    here = results.where(processors=processors)
    safe, overheads = charged_in(results, processors, "4K")
    shares = [percent(here, column(kind, scheduler, way, overheads)) for way in WAYS]
    text = f"spinning is preferable to suspending: m = {processors}, {kind}, {scheduler}"
    charged = "no overheads charged" if safe is None else told(results)
    return judge(text, shares[0] >= shares[1], f"short {shares[0]:.1f}%, long {shares[1]:.1f}%; {charged}")


study = Study(
    name="2008-appendix-b",
    title="block-or-not-2008, appendix B, figures 7 to 48: spinning and suspending",
    source=SOURCE,
    points=grid(distribution=list(DISTRIBUTIONS), processors=list(PROCESSORS), alpha=list(ALPHAS), length=LENGTHS),
    evaluate=evaluate,
    plot=plot,
    claims=claims,
    sets=8,
    full_sets=50,
    sets_per_unit=50,
    takes_overheads=True,
    settable=(ACCESSES, PERIODS),
    parameters={"accesses": ACCESSES.default, "overheads": f"{PROFILE} for four processors and 4K, otherwise unknown"},
)
