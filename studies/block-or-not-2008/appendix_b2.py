"""Appendix B of block-or-not-2008, figures 49 to 132: blocking against not blocking, 84 figures of fifteen insets.

Seven distributions, four and sixteen processors, alpha 1 and 2, working sets of 4K, 32K and 64K; in each figure
buffers, queues and heaps, hard and soft under G-EDF and P-EDF, and tardiness under G-EDF, all by K from 1 to 9.

Overheads are known for four processors and 4K only: figures 49 to 62. There, curves are by the paper's account of
overheads, and thin dotted lines by the safe one. Figures 63 to 76, for sixteen processors, charge accesses alone and
say so. All 84 are drawn with a file of measured overheads (`--overheads FILE`) that extends `paper-2008-objects`, or
measures objects itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from math import nan
from pathlib import Path
from statistics import fmean
from typing import Any

from schedlab.plots import Curve, chosen_confidence, draw_curves, draw_dotted, footnote, paper_style, save_figure
from schedlab.plots.paper import CURVES, PAGE
from schedlab.studies import Claim, Results, Study, grid, judge, not_evaluated

from ._objects import (
    FREQUENCIES,
    KINDS,
    PROFILE,
    SCHEMES,
    charged_in,
    column,
    evaluate,
    mean_tardiness,
    shares,
    tardiness_column,
    told,
)
from ._sets import DISTRIBUTIONS, PERIODS, SOURCE, WORKING_SETS, is_measured

PROCESSORS = (4, 16)
ALPHAS = (1, 2)
ROWS = (("hard", "G-EDF"), ("hard", "P-EDF"), ("soft", "G-EDF"), ("soft", "P-EDF"))
FIRST = 49


def figures(measured: bool) -> Iterator[tuple[int, str, int, int, str]]:
    """Number, working set, processors, alpha and distribution of each figure with curves of its own."""
    every = itertools.product(WORKING_SETS, PROCESSORS, ALPHAS, DISTRIBUTIONS)
    for number, (working_set, processors, alpha, distribution) in enumerate(every, FIRST):
        if measured or working_set == "4K":
            yield number, working_set, processors, alpha, distribution


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """84 figures, or the 28 that are told apart without a file."""
    paths: list[Path] = []
    for number, working_set, processors, alpha, distribution in figures(is_measured(results)):
        here = results.where(distribution=distribution, processors=processors, alpha=alpha)
        charges = charged_in(results, processors, working_set)
        size = "" if charges[0] is None else f" WSS={working_set}"
        title = f"Figure {number}: {DISTRIBUTIONS[distribution]} m={processors} alpha={alpha}{size}"
        paths += draw_figure(here, title, charges, directory / f"2008-fig{number}")
    return paths


def draw_figure(results: Results, title: str, charges: tuple[str | None, str], path: Path) -> list[Path]:
    """Fifteen insets: five rows, three kinds of objects."""
    import matplotlib.pyplot as plt

    safe, overheads = charges
    with paper_style():
        figure, insets = plt.subplots(len(ROWS) + 1, len(KINDS), figsize=(PAGE, 8.2), sharex=True)
        for side, kind in enumerate(KINDS):
            here = results.where(kind=kind)
            for place, row in enumerate(ROWS):
                axes = insets[place][side]
                draw_curves(axes, curves(here, row, overheads), solid=True)
                if safe is not None:
                    draw_dotted(axes, curves(here, row, safe))
                axes.set_title(f"({letter(place, side)}) {row[0]}, {row[1]}, {kind}s")
            draw_tardiness(insets[len(ROWS)][side], here, overheads)
            insets[len(ROWS)][side].set_title(f"({letter(len(ROWS), side)}) tardiness, G-EDF, {kind}s")
            insets[len(ROWS)][side].set_xlabel("K: accesses a task")
        for row_axes in insets[: len(ROWS)]:
            row_axes[0].set_ylabel("schedulable (%)")
        insets[len(ROWS)][0].set_ylabel("mean bound (µs)")
        figure.legend(*insets[0][0].get_legend_handles_labels(), loc="outside upper right", ncols=len(SCHEMES))
        figure.suptitle(title, fontsize=9, x=0.02, ha="left")
        sets = results.provenance["sets"]
        footnote(
            figure,
            f"{told(results, safe)}; {sets} sets per point, "
            f"bands where apart: {chosen_confidence()} (Wilson)",
        )
        return list(save_figure(figure, path))


def letter(place: int, side: int) -> str:
    """Of an inset: (a) to (o), row by row."""
    return "abcdefghijklmno"[len(KINDS) * place + side]


def curves(results: Results, row: tuple[str, str], overheads: str) -> list[Curve]:
    """One for each scheme."""
    return [
        Curve(scheme, [(k, *counts) for k, counts in shares(results, row, scheme, overheads).items()], style)
        for style, scheme in enumerate(SCHEMES)
    ]


def draw_tardiness(axes: Any, results: Results, overheads: str) -> None:
    """Curves of the mean bounds under G-EDF."""
    highest = 0.0
    for number, scheme in enumerate(SCHEMES):
        means = mean_tardiness(results, scheme, overheads)
        highest = max([highest, *means.values()])
        axes.plot(list(means), list(means.values()), label=scheme, **CURVES[number])
    axes.set_xticks(FREQUENCIES[::2])
    if highest:
        axes.set_ylim(0, 1.1 * highest)
    else:
        axes.set_yticks([])
        axes.text(0.5, 0.5, "no set has a bound", transform=axes.transAxes, ha="center", va="center", fontsize=7)


def claims(results: Results) -> list[Claim]:
    """Section 1, section 4.4 and conclusions (i) to (iii) on what is in the appendix, with the overheads of 4K."""
    percents = {kind: {scheme: percent(results, kind, scheme) for scheme in SCHEMES} for kind in KINDS}

    def words(kind: str) -> str:
        return ", ".join(f"{scheme} {share:.1f}%" for scheme, share in percents[kind].items())

    all_kinds = {scheme: sum(percents[kind][scheme] for kind in KINDS) / len(KINDS) for scheme in SCHEMES}
    buffers, heaps = percents["buffer"], percents["heap"]
    ends = {k: {scheme: percent(results.where(K=k), "heap", scheme) for scheme in SCHEMES} for k in (1, 9)}
    told_ends = "; ".join(
        f"K = {k}: " + ", ".join(f"{scheme} {share:.1f}%" for scheme, share in at.items()) for k, at in ends.items()
    )
    overall = ", ".join(f"{scheme} {share:.1f}%" for scheme, share in all_kinds.items())
    return [
        judge(
            "(i): non-blocking algorithms are preferable for small, simple objects (buffers)",
            max(buffers["LF"], buffers["WF"]) >= buffers["Short"],
            words("buffer"),
        ),
        judge(
            "(i): wait-free or spin-based implementations are preferable for large or complex objects (heaps)",
            max(heaps["WF"], heaps["Short"]) > heaps["LF"],
            words("heap"),
        ),
        judge(
            "(ii): wait-free algorithms are preferable to lock-free ones", all_kinds["WF"] > all_kinds["LF"], overall
        ),
        judge(
            "(iii): with frequent long accesses schedulability is poorer under any scheme (heaps, K = 9 against 1)",
            all(ends[9][scheme] < ends[1][scheme] for scheme in SCHEMES),
            told_ends,
        ),
        judge(
            "lock-free implementations are viable for simple objects only: for heaps they fall behind by more",
            max(heaps.values()) - heaps["LF"] > max(buffers.values()) - buffers["LF"],
            f"buffers: {words('buffer')}; heaps: {words('heap')}",
        ),
        judge(
            "wait-free implementations are comparable with locking or superior: no kind is 10 points behind",
            all(percents[kind]["WF"] >= percents[kind]["Short"] - 10 for kind in KINDS),
            "; ".join(f"{kind}s: {words(kind)}" for kind in KINDS),
        ),
        retries(results),
    ]


def percent(results: Results, kind: str, scheme: str) -> float:
    """How many sets are proved over all rows and points, with what the figures of 4K charge."""
    found: list[Any] = []
    for processors in PROCESSORS:
        here = results.where(kind=kind, processors=processors).table
        overheads = charged_in(results, processors, "4K")[1]
        for row in ROWS:
            found += here.column(column(*row, scheme, overheads)).to_pylist()
    return 100 * sum(value is True for value in found) / len(found) if found else nan


def retries(results: Results) -> Claim:
    """Section 4.4 on figure 3(d) and (e): the difference is due to excessive retries."""
    text = "heaps of tasks with low to medium utilizations: wait-free is better than lock-free in tardiness"
    found = {scheme: heap_bounds(results, scheme) for scheme in ("LF", "WF")}
    if not any(found.values()):
        return not_evaluated(text, "no set has a bound under either scheme")
    numbers = ", ".join(
        f"{scheme} {fmean(bounds):.0f} µs of {len(bounds)} sets" if bounds else f"no set under {scheme} has a bound"
        for scheme, bounds in found.items()
    )
    lock_free, wait_free = found.values()
    better = len(wait_free) >= len(lock_free) and (not lock_free or fmean(wait_free) < fmean(lock_free))
    return judge(text, better, numbers)


def heap_bounds(results: Results, scheme: str) -> list[float]:
    """The bounds on tardiness of heaps of light and medium tasks, with what the figures of 4K charge."""
    found: list[float] = []
    for processors in PROCESSORS:
        name = tardiness_column(scheme, charged_in(results, processors, "4K")[1])
        here = results.where(kind="heap", processors=processors)
        for distribution in ("uniform-light", "uniform-medium"):
            values = here.where(distribution=distribution).table.column(name).to_pylist()
            found += [value for value in values if value is not None]
    return found


study = Study(
    name="2008-appendix-b2",
    title="block-or-not-2008, appendix B, figures 49 to 132: shared objects",
    source=SOURCE,
    points=grid(
        distribution=list(DISTRIBUTIONS),
        processors=list(PROCESSORS),
        alpha=list(ALPHAS),
        kind=list(KINDS),
        K=FREQUENCIES,
    ),
    evaluate=evaluate,
    plot=plot,
    claims=claims,
    sets=10,
    full_sets=50,
    sets_per_unit=10,
    settable=(PERIODS,),
    takes_overheads=True,
    family="2008-objects",
    parameters={"overheads": f"{PROFILE} for four processors and 4K, accesses alone for sixteen"},
)
