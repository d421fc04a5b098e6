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
from pathlib import Path
from typing import Any

from schedlab.plots import Curve, chosen_confidence, draw_curves, draw_dotted, footnote, paper_style, save_figure
from schedlab.plots.paper import CURVES, PAGE
from schedlab.studies import Claim, Results, Study, grid, sentence
from schedlab.studies import estimates as estimated
from schedlab.studies.checks import Check, Lies, Some, more
from schedlab.studies.estimates import Estimate, less
from schedlab.studies.mutants import Mutant, loses, scaled

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
from ._sets import DISTRIBUTIONS, PERIODS, SOURCE, WORKING_SETS, is_measured, percent_by_set

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
            f"{told(results, safe)}; {sets} sets per point, bands where apart: {chosen_confidence()} (Wilson)",
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
    found = {(kind, scheme): proved(results, kind, scheme) for kind in KINDS for scheme in SCHEMES}

    def apart(kind: str, high: str, low: str) -> Estimate:
        return estimated.percents_apart(found[kind, high], found[kind, low], (high, low))

    def ends(scheme: str) -> Check:
        few, many = (
            estimated.mean(proved(results.where(K=k), "heap", scheme), f"K = {k}", "%", (0, 100)) for k in (1, 9)
        )
        return more(less(few, many))

    whole = {scheme: [one for kind in KINDS for one in found[kind, scheme]] for scheme in SCHEMES}
    behind = {
        f"behind {best}": more(less(apart("heap", best, "LF"), apart("buffer", best, "LF"))) for best in ("WF", "Short")
    }
    return [
        sentence(
            "(i): non-blocking algorithms are preferable for small, simple objects (buffers)",
            Some({scheme: more(apart("buffer", scheme, "Short")) for scheme in ("LF", "WF")}),
            failing(results, "LF and WF under which no set is schedulable", "LF", "WF"),
        ),
        sentence(
            "(i): wait-free or spin-based implementations are preferable for large or complex objects (heaps)",
            Some({scheme: more(apart("heap", scheme, "LF")) for scheme in ("WF", "Short")}),
            failing(results, "WF and Short under which no set is schedulable", "WF", "Short"),
        ),
        sentence(
            "(ii): wait-free algorithms are preferable to lock-free ones",
            more(estimated.percents_apart(whole["WF"], whole["LF"], ("WF", "LF"))),
            failing(results, "a WF under which no set is schedulable", "WF"),
        ),
        sentence(
            "(iii): with frequent long accesses schedulability is poorer under any scheme (heaps, K = 9 against 1)",
            {scheme: ends(scheme) for scheme in SCHEMES},
            failing(results, "schemes under which no set with K = 1 is schedulable", *SCHEMES,
                    where=lambda row: row["K"] == 1),
        ),
        sentence(
            "lock-free implementations are viable for simple objects only: for heaps they fall behind by more",
            behind,
            failing(results, "WF and Short under which no set with heaps is schedulable", "WF", "Short",
                    where=lambda row: row["kind"] == "heap"),
        ),
        sentence(
            "wait-free implementations are comparable with locking or superior: no kind is 10 points behind",
            {kind: Lies(apart(kind, "WF", "Short"), low=-10) for kind in KINDS},
            failing(results, "a WF under which no set is schedulable", "WF"),
        ),
        retries(results),
    ]  # fmt: skip


def charges(results: Results) -> dict[int, str]:
    """What the figures of 4K charge, by number of processors."""
    return {m: charged_in(results, m, "4K")[1] for m in PROCESSORS}


def failing(results: Results, words: str, *schemes: str, **parts: Any) -> Mutant:
    """The mutant of schemes that make every set unschedulable."""
    charged = sorted(set(charges(results).values()))
    columns = [column(*row, scheme, overheads) for row in ROWS for scheme in schemes for overheads in charged]
    return loses(words, *columns, **parts)


def proved(results: Results, kind: str, scheme: str) -> list[float | None]:
    """By set, over all points: the percentage of the four rows that are proved, with what the figures of 4K charge."""
    found: list[float | None] = []
    for processors, overheads in charges(results).items():
        here = results.where(kind=kind, processors=processors)
        found += percent_by_set(here, [column(*row, scheme, overheads) for row in ROWS])
    return found


def retries(results: Results) -> Claim:
    """Section 4.4 on figure 3(d) and (e): the difference is due to excessive retries. Of sets with both bounds."""
    found: dict[str, list[float | None]] = {"LF": [], "WF": []}
    for processors, overheads in charges(results).items():
        here = results.where(kind="heap", processors=processors)
        for distribution in ("uniform-light", "uniform-medium"):
            table = here.where(distribution=distribution).table
            for scheme, bounds in found.items():
                bounds += table.column(tardiness_column(scheme, overheads)).to_pylist()
    columns = [tardiness_column("WF", overheads) for overheads in sorted(set(charges(results).values()))]
    return sentence(
        "heaps of tasks with low to medium utilizations: wait-free is better than lock-free in tardiness",
        more(estimated.means_apart(found["LF"], found["WF"], ("LF", "WF"), " µs")),
        scaled("bounds of ten times the length under WF", 10, *columns),
    )


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
