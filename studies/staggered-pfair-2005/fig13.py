"""Figure 13 of staggered-pfair-2005: cycles per write in aligned and in staggered quanta, by the size of the array."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from schedlab.plots import PAGE, Means, draw_means, mean_interval
from schedlab.studies import Claim, Results, judge

from ._writes import ALL_SIZES, KIB, PATTERNS, WAYS, conditions, medians, ratios, study_of_writes

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
    """Section V-B."""
    found, alone = (ratios(results, way, ALL_SIZES) for way in ("staggered", "alone"))
    return [
        judge(
            f"{PATTERNS[pattern]}: staggering improves cycles per write (at some size the interval of the "
            "ratio is above 1; 99% confidence for all sizes together)",
            any(low > 1 for (of, _), (_, low, _) in found.items() if of == pattern),
            f"aligned : staggered is {_extremes(found, pattern)}; aligned : one thread alone is "
            f"{_extremes(alone, pattern)}",
        )
        for pattern in PATTERNS
    ] + [
        judge(
            "there is bus contention that staggering could remove (aligned is above one thread alone "
            "at some size; 99% confidence for all sizes together)",
            any(low > 1 for _, low, _ in alone.values()),
            ", ".join(f"{PATTERNS[pattern]}: {_extremes(alone, pattern)}" for pattern in PATTERNS),
        )
    ]


def _extremes(found: Mapping[tuple[str, int], tuple[float, float, float]], pattern: str) -> str:
    means = {kib: mean for (of, kib), (mean, _, _) in found.items() if of == pattern}
    least, most = min(means, key=lambda kib: means[kib]), max(means, key=lambda kib: means[kib])
    return f"{means[least]:.3f} (at {least} KiB) to {means[most]:.3f} (at {most} KiB)"


study = study_of_writes(
    "2005-fig13", "staggered-pfair-2005, figure 13: cycles per write, aligned and staggered", draw, claims
)
