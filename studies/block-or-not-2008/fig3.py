"""Figure 3 of block-or-not-2008: bounds on tardiness by access frequency, with the costs of table 2.

Soft sets under G-EDF on four processors, alpha = 1. Insets (a) to (c) buffers, (d) to (f) heaps, for low, medium and
high utilizations ("uniform" here; the text does not say whether uniform or exponential).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from schedlab.plots import Means, draw_means, footnote, paper_style, save_figure
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Results, Settings, Study, judge, not_evaluated

from ._figures34 import KINDS, LOADS, SETTABLE, footnote_of, inset, overheads_of, points
from ._objects import FREQUENCIES, PROFILE, SCHEMES, evaluate, mean_tardiness
from ._sets import SOURCE

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
    """Section 4.4 on figure 3."""
    means = {(kind, load): _means(inset(results, kind, load)) for kind, load in INSETS}
    found = []
    for load in ("medium", "high"):
        here = means["buffer", load]
        text = f"({INSETS['buffer', load]}): non-blocking implementations are better than spin-based ones for buffers"
        found.append(_judge(text, here, lambda m: max(m["LF"], m["WF"]) < m["Short"]))
    for load in LOADS:
        here = means["heap", load]
        text = f"({INSETS['heap', load]}): spin-based heaps are roughly as good, or better (10%)"
        found.append(_judge(text, here, lambda m: m["Short"] <= (1 + ROUGHLY) * min(m["LF"], m["WF"])))
    for load in LOADS:
        text = f"({INSETS['buffer', load]}): lock-free and wait-free buffers are equally preferable (10%)"
        found.append(_judge(text, means["buffer", load], lambda m: abs(m["LF"] / m["WF"] - 1) <= ROUGHLY))
    three = f"({INSETS['heap', 'medium']}): there is not much difference between the three schemes (10%)"
    found.append(_judge(three, means["heap", "medium"], lambda m: max(m.values()) <= (1 + ROUGHLY) * min(m.values())))
    for load in ("low", "medium"):
        text = f"({INSETS['heap', load]}): wait-free heaps are better than lock-free ones with {load} utilizations"
        found.append(_judge(text, means["heap", load], lambda m: m["WF"] < m["LF"]))
    return found


def _means(results: Results) -> dict[str, float] | None:
    """By scheme: the mean over all K at which each scheme has a bound; nothing if there is no such K."""
    curves = {scheme: mean_tardiness(results, scheme, overheads_of(results)) for scheme in SCHEMES}
    shared = set.intersection(*(set(curve) for curve in curves.values()))
    if not shared:
        return None
    return {scheme: sum(curve[at] for at in shared) / len(shared) for scheme, curve in curves.items()}


def _judge(text: str, means: dict[str, float] | None, holds: Callable[[dict[str, float]], bool]) -> Claim:
    if means is None:
        return not_evaluated(text, "no K at which each scheme has a bound")
    return judge(text, holds(means), ", ".join(f"{scheme} {mean:.0f} µs" for scheme, mean in means.items()))


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
