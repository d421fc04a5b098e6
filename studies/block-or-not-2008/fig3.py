"""Figure 3 of block-or-not-2008: bounds on tardiness by access frequency, with the costs of table 2.

Soft sets under G-EDF on four processors, alpha = 1. Insets (a) to (c) buffers, (d) to (f) heaps, for low, medium and
high utilizations ("uniform" here; the text does not say whether uniform or exponential).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from schedlab.plots import Means, draw_means, footnote, paper_style, save_figure
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Results, Settings, Study, sentence
from schedlab.studies.checks import Check, Lies
from schedlab.studies.estimates import Estimate, mean, nothing
from schedlab.studies.mutants import Mutant, scaled

from ._figures34 import KINDS, LOADS, SETTABLE, footnote_of, inset, overheads_of, points
from ._objects import FREQUENCIES, PROFILE, SCHEMES, evaluate, mean_tardiness, tardiness_column
from ._sets import SOURCE, VISIBLE

#: Insets by kind and load.
INSETS = dict(zip([(kind, load) for kind in KINDS for load in LOADS], "abcdef", strict=True))
#: What the text speaks of: the excessive retries of the lock-free scheme.
ACCENT = ("LF",)
#: Means this close are roughly the same.
ROUGHLY = 0.10


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """Six insets, as in the paper."""
    import matplotlib.pyplot as plt

    with paper_style():
        figure, insets = plt.subplots(len(KINDS), len(LOADS), figsize=(PAGE, 4.2), sharex=True)
        for row, kind in zip(insets, KINDS, strict=True):
            for axes, load in zip(row, LOADS, strict=True):
                here = inset(results, kind, load)
                curves = [
                    # Bands of one set's bounds would hide the small differences: each K has sets of its own.
                    Means(scheme, [(at, mean, mean, mean) for at, mean in found.items()], number)
                    for number, scheme in enumerate(SCHEMES)
                    for found in [mean_tardiness(here, scheme, overheads_of(results))]
                ]
                draw_means(axes, curves, accent=ACCENT)
                axes.set_title(f"({INSETS[kind, load]}) {kind}s, {load} utilizations")
                axes.set_xticks(FREQUENCIES)
            row[0].set_ylabel("mean bound (µs)")
        for axes in insets[-1]:
            axes.set_xlabel("K: accesses a task")
        insets[0][0].legend()
        footnote(
            figure,
            f"{footnote_of(results)}; {results.provenance['sets']} sets per point, means of those that have a bound;\n"
            "each K has sets of its own, the same for all schemes: compare curves at one K; no axis begins at zero",
        )
        return save_figure(figure, directory / "2008-fig3")


def claims(results: Results) -> list[Claim]:
    """Section 4.4 on figure 3: of the bounds of the same sets, over all K at which both schemes have one."""
    bounds = {inset: _bounds(results, *inset) for inset in INSETS}

    def relative(kind: str, load: str, one: str, other: str) -> Estimate:
        """By what part of the second's mean the first's bounds are larger, on the same sets."""
        first, second = (bounds[kind, load][scheme] for scheme in (one, other))
        pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
        if not pairs:
            return nothing("no K at which both schemes have a bound")
        level = sum(b for _, b in pairs) / len(pairs)
        return mean([100 * (a - b) / level for a, b in pairs], f"{one} beyond {other}, of {level:.0f} µs", "%")

    def better(kind: str, load: str, low: str, high: str) -> Check:
        return Lies(relative(kind, load, high, low), low=0.0, visible=VISIBLE)

    def alike(kind: str, load: str, one: str, other: str, *, or_better: bool = False) -> Check:
        """Whether the first is within `ROUGHLY` of the second's mean, or below it."""
        return Lies(relative(kind, load, one, other), -math.inf if or_better else -100 * ROUGHLY, 100 * ROUGHLY)

    def slow(words: str, *schemes: str) -> Mutant:
        columns = [tardiness_column(scheme, overheads_of(results)) for scheme in schemes]
        return scaled(words, 10, *columns)

    pairs = [(load, INSETS["buffer", load]) for load in LOADS]
    return [
        sentence(
            "(b) and (c): non-blocking implementations are better than spin-based ones for buffers",
            {
                f"({letter}) {scheme}": better("buffer", load, scheme, "Short")
                for load, letter in pairs
                if load != "low"
                for scheme in ("LF", "WF")
            },
            slow("bounds of ten times the length under LF and WF", "LF", "WF"),
        ),
        sentence(
            "(d) to (f): spin-based heaps are roughly as good, or better (10%)",
            {
                f"({INSETS['heap', load]}) as {scheme}": alike("heap", load, "Short", scheme, or_better=True)
                for load in LOADS
                for scheme in ("LF", "WF")
            },
            slow("bounds of ten times the length under Short", "Short"),
        ),
        sentence(
            "(a) to (c): lock-free and wait-free buffers are equally preferable (10%)",
            {f"({letter})": alike("buffer", load, "LF", "WF") for load, letter in pairs},
            slow("bounds of ten times the length under LF", "LF"),
        ),
        sentence(
            "(e): there is not much difference between the three schemes (10%)",
            {
                f"{one} and {other}": alike("heap", "medium", one, other)
                for one, other in (("LF", "WF"), ("LF", "Short"), ("WF", "Short"))
            },
            slow("bounds of ten times the length under LF", "LF"),
        ),
        sentence(
            "(d) and (e): wait-free heaps are better than lock-free ones with low and medium utilizations",
            {f"({INSETS['heap', load]})": better("heap", load, "WF", "LF") for load in ("low", "medium")},
            slow("bounds of ten times the length under WF", "WF"),
        ),
    ]


def _bounds(results: Results, kind: str, load: str) -> dict[str, list[float | None]]:
    """By scheme and set of all K: the bound, if it has one."""
    table = inset(results, kind, load).table
    return {
        scheme: table.column(tardiness_column(scheme, overheads_of(results))).to_pylist() for scheme in SCHEMES
    }  # fmt: skip


study = Study(
    name="2008-fig3",
    title="block-or-not-2008, figure 3: tardiness by access frequency",
    source=SOURCE,
    points=points(Settings()),
    settable=SETTABLE,
    regrid=points,
    evaluate=evaluate,
    plot=plot,
    claims=claims,
    sets=50,
    full_sets=50,
    sets_per_unit=10,
    takes_overheads=True,
    parameters={"overheads": PROFILE},
    family="2008-objects",
)
