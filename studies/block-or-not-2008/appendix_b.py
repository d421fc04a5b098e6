"""Appendix B of block-or-not-2008, figures 7 to 48: spinning against suspending, 42 figures of ten insets.

Seven distributions, four and sixteen processors, working sets of 4K, 32K and 64K; in each figure alpha 1 and 2 for
G-EDF and P-EDF, hard and soft, and tardiness under G-EDF. K and the x-axis are not in the text: here K = 5 and the
length of sections, as in figure 1. Overheads are known for four processors and 4K only; where they are unknown none
is charged, so that the figures for 32K and 64K coincide, and the plots say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from schedlab.plots import Curve, draw_curves, footnote, paper_style, save_figure
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Results, Study, Unit, grid, judge, not_evaluated

from ._sets import (
    ACCESSES,
    DISTRIBUTIONS,
    LENGTHS,
    PROFILE,
    SOURCE,
    column,
    draw_tardiness,
    judge_unit,
)

PROCESSORS = (4, 16)
WORKING_SETS = ("4K", "32K", "64K")
ALPHAS = (1, 2)
ROWS = (("hard", "G-EDF"), ("hard", "P-EDF"), ("soft", "G-EDF"), ("soft", "P-EDF"))


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """Without overheads, and where they are known with them."""
    p = unit.parameters
    processors = int(p["processors"])
    columns: dict[str, list[Any]] = {}
    for overheads in ("none", "4k"):
        if overheads == "4k" and processors != 4:
            columns.update({name: [None] * len(unit.sets) for name in known_columns()})
            continue
        columns |= judge_unit(
            unit,
            distribution=str(p["distribution"]),
            processors=processors,
            sharing=int(p["alpha"]),
            length=int(p["length"]),
            overheads=overheads,
        )
    return columns


def known_columns() -> list[str]:
    """Those of four processors and 4K."""
    proved = [column(*row, way, "4k") for row in ROWS for way in ("short", "long")]
    return [*proved, *(f"tardiness {way} 4k" for way in ("short", "long"))]


def figures() -> Iterator[tuple[int, str, int, str]]:
    """Number, working set, processors and distribution of each figure."""
    number = 7
    for working_set in WORKING_SETS:
        for processors in PROCESSORS:
            for distribution in DISTRIBUTIONS:
                yield number, working_set, processors, distribution
                number += 1


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """42 figures."""
    paths: list[Path] = []
    for number, working_set, processors, distribution in figures():
        here = results.where(distribution=distribution, processors=processors)
        paths += draw_figure(here, number, working_set, processors, distribution, directory)
    return paths


def draw_figure(
    results: Results, number: int, working_set: str, processors: int, distribution: str, directory: Path
) -> list[Path]:
    """Ten insets: five rows, two values of alpha."""
    import matplotlib.pyplot as plt

    known = processors == 4 and working_set == "4K"
    overheads = "4k" if known else "none"
    with paper_style():
        figure, insets = plt.subplots(5, 2, figsize=(PAGE, 8.2), sharex=True)
        for side, alpha in enumerate(ALPHAS):
            here = results.where(alpha=alpha)
            for place, row in enumerate(ROWS):
                axes = insets[place][side]
                draw_inset(axes, here, row, overheads)
                axes.set_title(f"({'abcdefghij'[2 * place + side]}) {row[0]}, {row[1]}, alpha = {alpha}")
            draw_tardiness(insets[4][side], here, overheads)
            insets[4][side].set_title(f"({'ij'[side]}) tardiness bounds, G-EDF, alpha = {alpha}")
            insets[4][side].set_xlabel("longest outermost section (µs)")
        for row_axes in insets[:4]:
            row_axes[0].set_ylabel("schedulable (%)")
        insets[4][0].set_ylabel("mean bound (µs)")
        figure.legend(*insets[0][0].get_legend_handles_labels(), loc="outside upper right", ncols=2)
        charged = f"overheads: {PROFILE}" if known else "overheads unknown, none charged"
        figure.suptitle(f"Figure {number}: {DISTRIBUTIONS[distribution]} m={processors} WSS={working_set}", fontsize=9)
        footnote(figure, f"{charged}; K = {ACCESSES}; {results.provenance['sets']} sets per point")
        return list(save_figure(figure, directory / f"2008-fig{number}"))


def draw_inset(axes: Any, results: Results, row: tuple[str, str], overheads: str) -> None:
    """Short and long."""
    names = {way: column(*row, way, overheads) for way in ("short", "long")}
    counted = results.counts("length", list(names.values()))
    curves = [
        Curve(way, [(length, *counts[name]) for length, counts in counted.items()], style)
        for style, (way, name) in enumerate(names.items())
    ]
    draw_curves(axes, curves)


def claims(results: Results) -> list[Claim]:
    """Sections 4.1 and 4.3 on what is in the appendix."""
    found = [better(results, processors, *row) for processors in PROCESSORS for row in ROWS]
    trends = "four and sixteen processors exhibit similar trends: short is not worse than long in both"
    agree = all(claim.answer == "holds here" for claim in found)
    numbers = f"{sum(claim.answer == 'holds here' for claim in found)} of {len(found)} comparisons"
    return [
        *found,
        judge(trends, agree, numbers),
        not_evaluated(
            "larger working sets decrease the competitiveness of methods that suspend",
            "overheads are unknown: the costs for 32K and 64K are not in the text",
        ),
    ]


def better(results: Results, processors: int, kind: str, scheduler: str) -> Claim:
    """Spinning is usually preferable: over all distributions, alphas and lengths."""
    table = results.where(processors=processors).table
    overheads = "4k" if processors == 4 else "none"
    shares = []
    for way in ("short", "long"):
        values = table.column(column(kind, scheduler, way, overheads)).to_pylist()
        shares.append(100 * sum(value is True for value in values) / len(values))
    text = f"spinning is preferable to suspending: m = {processors}, {kind}, {scheduler}"
    charged = PROFILE if processors == 4 else "no overheads charged"
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
    parameters={"K": ACCESSES, "overheads": f"{PROFILE} for four processors and 4K, otherwise unknown"},
)
