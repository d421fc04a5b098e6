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
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from schedlab.plots import Curve as Line
from schedlab.plots import (
    chosen_confidence,
    draw_curves,
    draw_dotted,
    footnote,
    paper_style,
    save_figure,
)
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Results, Study, Unit, grid, not_evaluated, sentence
from schedlab.studies import estimates as estimated
from schedlab.studies.checks import VISIBLE_POINTS, Curve, Every, more
from schedlab.studies.estimates import Estimate, less
from schedlab.studies.mutants import Mutant, loses, scaled, wins

from ._sets import (
    ACCESSES,
    DISTRIBUTIONS,
    LENGTHS,
    PERIODS,
    PROFILE,
    SOURCE,
    VISIBLE,
    WORKING_SETS,
    column,
    draw_tardiness,
    is_measured,
    judge_unit,
    percent_by_set,
    safe_and_papers,
    tardiness_column,
    told,
)

PROCESSORS = (4, 16)
ALPHAS = (1, 2)
WAYS: tuple[str, str] = ("short", "long")
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
            f"{charged}; K = {accesses}; {sets} sets per point, bands where apart: {chosen_confidence()} (Wilson)",
        )
        return list(save_figure(figure, directory / f"2008-fig{number}"))


def charged_in(results: Results, processors: int, working_set: str) -> tuple[str | None, str]:
    """What a figure charges by the safe account, if anything, and by the paper's."""
    safe, papers = safe_and_papers(working_set)
    return (safe, papers) if papers in known(processors, is_measured(results)) else (None, "none")


def draw_inset(axes: Any, results: Results, row: tuple[str, str], overheads: str, safe: str | None) -> None:
    """Short and long."""

    def curves(overheads: str) -> list[Line]:
        names = {way: column(*row, way, overheads) for way in WAYS}
        counted = results.counts("length", list(names.values()))
        return [
            Line(way, [(length, *counts[name]) for length, counts in counted.items()], style)
            for style, (way, name) in enumerate(names.items())
        ]

    draw_curves(axes, curves(overheads), solid=True, accent=("short",))
    if safe is not None:
        draw_dotted(axes, curves(safe))


def claims(results: Results) -> list[Claim]:
    """Sections 4.1 and 4.3 on what is in the appendix."""
    charges = {m: charged_in(results, m, "4K") for m in PROCESSORS}
    checks = {
        (m, row): more(apart(results.where(processors=m), row, charges[m][1])) for m in PROCESSORS for row in ROWS
    }
    said = {m: "no overheads charged" if safe is None else told(results) for m, (safe, _) in charges.items()}
    return [
        sentence(
            "spinning is preferable to suspending",
            {f"m = {m}, {' '.join(row)}; {said[m]}": check for (m, row), check in checks.items()},
            no_short(results),
        ),
        sentence(
            "four and sixteen processors exhibit similar trends: short is better than long in both",
            {" ".join(row): Every({f"m = {m}": checks[m, row] for m in PROCESSORS}) for row in ROWS},
            no_short(results, where=lambda row: row["processors"] == 16),
        ),
        never_ahead(results),
        never_less_late(results),
        less_competitive(results),
    ]


def no_short(results: Results, **parts: Any) -> Mutant:
    """The mutant whose short resources make every set unschedulable."""
    charged = {overheads for m in PROCESSORS for overheads in known(m, is_measured(results))}
    columns = [column(*row, "short", overheads) for row in ROWS for overheads in sorted(charged)]
    return loses("spinning that makes every set unschedulable", *columns, **parts)


def answers(results: Results, name: str) -> list[bool | None]:
    """By set: whether a column proves it."""
    found: list[bool | None] = results.table.column(name).to_pylist()
    return found


def apart(results: Results, row: tuple[str, str], overheads: str) -> Estimate:
    """By how many points short resources have more schedulable sets than long ones, on the same sets."""
    short, long = (answers(results, column(*row, way, overheads)) for way in WAYS)
    return estimated.shares_apart(short, long, WAYS)


def insets_of(results: Results) -> Iterator[tuple[str, Results, str]]:
    """Each distribution, number of processors and alpha that was run, with what the figures of 4K charge."""
    for processors, distribution, alpha in itertools.product(PROCESSORS, DISTRIBUTIONS, ALPHAS):
        here = results.where(processors=processors, distribution=distribution, alpha=alpha)
        if here.table.num_rows:
            yield f"m = {processors}, {distribution}, alpha = {alpha}", here, charged_in(results, processors, "4K")[1]


def never_ahead(results: Results) -> Claim:
    """Conclusion (v), of schedulability: inset by inset, over all lengths."""
    proved: dict[str, list[float | None]] = {way: [] for way in WAYS}
    points = {}
    for where, here, overheads in insets_of(results):
        for row in ROWS:
            points[f"{where}, {' '.join(row)}"] = apart(here, row, overheads)
        for way in WAYS:
            proved[way] += percent_by_set(here, [column(*row, way, overheads) for row in ROWS])
    return sentence(
        "(v): suspending is never preferable to spinning, by schedulability: in no inset, over all lengths",
        {"": Curve(estimated.percents_apart(proved["short"], proved["long"], WAYS), points, VISIBLE_POINTS)},
        no_short(results),
    )


def never_less_late(results: Results) -> Claim:
    """Conclusion (v), of tardiness: inset by inset, over the sets that have a bound both ways."""
    all_bounds: dict[str, list[float | None]] = {way: [] for way in WAYS}
    points, columns = {}, []
    for where, here, overheads in insets_of(results):
        bounds = {way: here.table.column(tardiness_column(way, overheads)).to_pylist() for way in WAYS}
        columns.append(tardiness_column("short", overheads))
        for way in WAYS:
            all_bounds[way] += bounds[way]
        points[where] = later(bounds)
    return sentence(
        "(v): suspending is never preferable to spinning, by tardiness: in no inset, by the mean bound",
        {"": Curve(later(all_bounds), points, VISIBLE)},
        scaled("bounds of ten times the length with short resources", 10, *columns),
    )


def later(bounds: Mapping[str, list[float | None]]) -> Estimate:
    """By how much of its mean bound a suspending set is later than the same set if it spins: percent."""
    apart = estimated.means_apart(bounds["long"], bounds["short"], ("long", "short"), " µs")
    known = [a for a, b in zip(bounds["long"], bounds["short"], strict=True) if a is not None and b is not None]
    return apart.scaled(100 / fmean(known)).called(apart.words, "%") if any(known) else apart


def less_competitive(results: Results) -> Claim:
    """Spinning is ahead of suspending by more with 64K than with 4K, over everything else."""
    text = "larger working sets tend to decrease the competitiveness of methods that suspend"
    if not is_measured(results):
        return not_evaluated(text, "overheads are unknown: the costs for 32K and 64K are not in the text")
    ahead = {}
    for working_set in WORKING_SETS:
        papers = safe_and_papers(working_set)[1]
        short, long = (percent_by_set(results, [column(*row, way, papers) for row in ROWS]) for way in WAYS)
        ahead[working_set] = estimated.percents_apart(short, long, WAYS)
    papers = safe_and_papers("64K")[1]
    return sentence(
        text,
        {"": more(less(ahead["64K"], ahead["4K"]))},
        wins("suspending that makes every set schedulable with 64K", *(column(*row, "long", papers) for row in ROWS)),
    )


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
