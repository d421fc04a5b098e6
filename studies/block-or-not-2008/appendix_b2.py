"""Appendix B of block-or-not-2008, figures 49 to 132: blocking against not blocking, 84 figures of fifteen insets.

Seven distributions, four and sixteen processors, alpha 1 and 2, working sets of 4K, 32K and 64K; in each figure
buffers, queues and heaps, hard and soft under G-EDF and P-EDF, and tardiness under G-EDF, all by K from 1 to 9.

Overheads are known for four processors and 4K only: figures 49 to 62. There, curves are by the paper's account of
overheads, and thin dotted lines by the safe one. The others charge accesses alone and say so, so that those of 32K and
64K are alike. With a file of measured overheads (`--overheads FILE`) that extends `paper-2008-objects`, or measures
objects itself, each working set has its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from schedlab.plots import Curve, draw_curves, draw_dotted, footnote, paper_style, save_figure
from schedlab.plots.paper import CURVES, PAGE
from schedlab.studies import Claim, Results, Study, grid, judge

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
from ._sets import DISTRIBUTIONS, SOURCE, WORKING_SETS

PROCESSORS = (4, 16)
ALPHAS = (1, 2)
ROWS = (("hard", "G-EDF"), ("hard", "P-EDF"), ("soft", "G-EDF"), ("soft", "P-EDF"))
FIRST = 49


def figures() -> Iterator[tuple[int, str, int, int, str]]:
    """Number, working set, processors, alpha and distribution of each figure."""
    every = itertools.product(WORKING_SETS, PROCESSORS, ALPHAS, DISTRIBUTIONS)
    for number, (working_set, processors, alpha, distribution) in enumerate(every, FIRST):
        yield number, working_set, processors, alpha, distribution


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """84 figures."""
    paths: list[Path] = []
    for number, working_set, processors, alpha, distribution in figures():
        here = results.where(distribution=distribution, processors=processors, alpha=alpha)
        title = f"Figure {number}: {DISTRIBUTIONS[distribution]} m={processors} alpha={alpha} WSS={working_set}"
        paths += draw_figure(here, title, charged_in(results, processors, working_set), directory / f"2008-fig{number}")
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
                draw_curves(axes, curves(here, row, overheads))
                if safe is not None:
                    draw_dotted(axes, curves(here, row, safe))
                axes.set_title(f"({letter(place, side)}) {row[0]}, {row[1]}, {kind}s")
            draw_tardiness(insets[len(ROWS)][side], here, overheads)
            insets[len(ROWS)][side].set_title(f"({letter(len(ROWS), side)}) tardiness bounds, G-EDF, {kind}s")
            insets[len(ROWS)][side].set_xlabel("K: accesses a task")
        for row_axes in insets[: len(ROWS)]:
            row_axes[0].set_ylabel("schedulable (%)")
        insets[len(ROWS)][0].set_ylabel("mean bound (µs)")
        figure.legend(*insets[0][0].get_legend_handles_labels(), loc="outside upper right", ncols=len(SCHEMES))
        figure.suptitle(title, fontsize=9)
        footnote(figure, f"{told(results, safe)}; {results.provenance['sets']} sets per point")
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
    axes.set_ylim(0, max(1.1 * highest, 1))
    axes.set_xticks(FREQUENCIES[::2])


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
    return 100 * sum(value is True for value in found) / max(len(found), 1)


def retries(results: Results) -> Claim:
    """Section 4.4 on figure 3(d) and (e): the difference is due to excessive retries."""
    means = {}
    for scheme in ("LF", "WF"):
        found: list[float] = []
        for processors in PROCESSORS:
            here = results.where(kind="heap", processors=processors)
            for distribution in ("uniform-light", "uniform-medium"):
                name = tardiness_column(scheme, charged_in(results, processors, "4K")[1])
                found += [
                    value for value in here.where(distribution=distribution).table.column(name).to_pylist()
                    if value is not None
                ]  # fmt: skip
        means[scheme] = (len(found), sum(found) / max(len(found), 1))
    numbers = ", ".join(f"{scheme} {mean:.0f} µs of {count} sets" for scheme, (count, mean) in means.items())
    better = means["WF"][0] >= means["LF"][0] and means["WF"][1] < means["LF"][1]
    text = "heaps of tasks with low to medium utilizations: wait-free is better than lock-free in tardiness"
    return judge(text, better, numbers)


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
    takes_overheads=True,
    family="2008-objects",
    parameters={"overheads": f"{PROFILE} for four processors and 4K, otherwise accesses alone"},
)
