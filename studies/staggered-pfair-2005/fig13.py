"""Figure 13 of staggered-pfair-2005: cycles per write in aligned and in staggered quanta, by the size of the array."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

from schedlab.plots import PAGE, Means, draw_means, mean_interval
from schedlab.studies import Claim, Results, judge, not_evaluated, sentence
from schedlab.studies.checks import Check, Fact, Open
from schedlab.studies.mutants import described

from ._writes import ALL_SIZES, KIB, PATTERNS, WAYS, Ratios, conditions, medians, ratios, study_of_writes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Where the paper found overload to occur.
OVERLOAD_KIB = 150


def draw(results: Results) -> Mapping[str, Figure]:
    """Both patterns."""
    import matplotlib.pyplot as plt

    found = medians(results)
    figure, insets = plt.subplots(1, 2, figsize=(PAGE, 2.8))
    for axes, (pattern, title) in zip(insets, PATTERNS.items(), strict=True):
        curves = [
            Means(label, [(kib, *mean_interval(found[pattern, way, kib])) for kib in KIB], style)
            for style, (way, label) in enumerate(WAYS.items())
        ]
        draw_means(axes, curves)
        axes.set_xscale("log", base=2)
        axes.set_title(title)
        axes.set_xlabel("array (KiB)")
        axes.set_ylim(bottom=0)
    insets[0].set_ylabel("cycles per write")
    insets[0].legend()
    figure.supxlabel(conditions(results))
    return {"2005-fig13": figure}


def claims(results: Results) -> list[Claim]:
    """Section V-B. Intervals are those of all sizes together, at 99%."""
    found, alone = (ratios(results, way, ALL_SIZES) for way in ("staggered", "alone"))
    improves = {
        PATTERNS[pattern]: Fact(
            any(low > 1 for (of, _), (_, low, _) in found.items() if of == pattern),
            f"aligned : staggered is {_extremes(found, pattern)}; aligned : one thread alone is "
            f"{_extremes(alone, pattern)}",
        )
        for pattern in PATTERNS
    }
    return [
        sentence(
            "staggering improves cycles per write (at some size the interval of the ratio is above 1)",
            improves,
            described("staggered quanta with the cycles of aligned ones"),
        ),
        judge(
            "there is bus contention that staggering could remove (aligned is above one thread alone at some size)",
            any(low > 1 for _, low, _ in alone.values()),
            ", ".join(f"{PATTERNS[pattern]}: {_extremes(alone, pattern)}" for pattern in PATTERNS),
            described("aligned quanta with the cycles of one thread alone"),
        ),
        sentence(
            f"staggering improves more and more until arrays reach some {OVERLOAD_KIB} KB",
            {PATTERNS[pattern]: _increases(found, pattern) for pattern in PATTERNS},
            described("a ratio that is largest with arrays of 64 KiB"),
        ),
        not_evaluated(
            "staggering should bring much more to systems with fewer features that hide latency",
            "one machine is measured; simulations of a blocking cache are in 2005-fig11 and 2005-fig12",
        ),
    ]


def _increases(found: Ratios, pattern: str) -> Check:
    """The sizes of the grid below and above 150 KB, with the one next to it as the end."""
    means = {kib: mean for (of, kib), (mean, _, _) in sorted(found.items()) if of == pattern}
    below, above = ([kib for kib in means if (kib < OVERLOAD_KIB) is is_below] for is_below in (True, False))
    if len(below) < 2 or not above:
        return Open(f"sizes do not cover it: {', '.join(f'{kib} KiB' for kib in means)}")
    rises = all(means[low] < means[high] for low, high in pairwise(below))
    most = max(means, key=lambda kib: means[kib])
    told = ", ".join(f"{means[kib]:.3f} at {kib} KiB" for kib in [*below, above[0]])
    return Fact(rises and most in (below[-1], above[0]), f"aligned : staggered {told}; most at {most} KiB")


def _extremes(found: Mapping[tuple[str, int], tuple[float, float, float]], pattern: str) -> str:
    means = {kib: mean for (of, kib), (mean, _, _) in found.items() if of == pattern}
    least, most = min(means, key=lambda kib: means[kib]), max(means, key=lambda kib: means[kib])
    return f"{means[least]:.3f} (at {least} KiB) to {means[most]:.3f} (at {most} KiB)"


study = study_of_writes(
    "2005-fig13", "staggered-pfair-2005, figure 13: cycles per write, aligned and staggered", draw, claims
)
