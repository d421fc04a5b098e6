"""Figure 14 of staggered-pfair-2005: how many times more is written in staggered quanta than in aligned ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from schedlab.plots import BLACK, COLUMN, Means, draw_means
from schedlab.studies import Claim, Results, judge, sentence
from schedlab.studies.checks import Fact
from schedlab.studies.mutants import described

from ._writes import ALL_SIZES, KIB, PATTERNS, conditions, ratios, study_of_writes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The largest ratios of the paper.
LARGEST = {"linear": 7.0, "random": 2.5}


def draw(results: Results) -> Mapping[str, Figure]:
    """Both patterns; and what one thread alone gains, which bounds what staggering could."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(COLUMN * 1.4, 2.8))
    curves = []
    for number, way in enumerate(("staggered", "alone")):
        found = ratios(results, way)
        for pattern, title in PATTERNS.items():
            points = [(kib, *found[pattern, kib]) for kib in KIB]
            curves.append(Means(f"{title}, {way}", points, list(PATTERNS).index(pattern) + 2 * number))
    draw_means(axes, curves)
    axes.axhline(1, color=BLACK, linewidth=0.5)
    axes.set_xscale("log", base=2)
    axes.set_xlabel("array (KiB)")
    axes.set_ylabel("writes : writes in aligned quanta")
    axes.legend()
    figure.supxlabel(conditions(results))
    return {"2005-fig14": figure}


def claims(results: Results) -> list[Claim]:
    """Section V-B."""
    found = ratios(results, confidence=ALL_SIZES)
    most = {pattern: max((found[pattern, kib], kib) for kib in KIB) for pattern in PATTERNS}
    return [
        sentence(
            "up to 7 times more writes (linear access), and 2.5 times more (random access), were performed under the "
            "staggered model (at least half of that, somewhere)",
            {
                PATTERNS[pattern]: Fact(most[pattern][0][0] >= LARGEST[pattern] / 2, _told(*most[pattern]))
                for pattern in PATTERNS
            },
            described("staggered quanta with as many writes as aligned ones"),
        ),
        judge(
            "staggering never costs writes (no interval of the ratio below 1; 99% confidence for all sizes together)",
            all(high >= 1 for _, _, high in found.values()),
            f"the lowest interval ends at {min(high for _, _, high in found.values()):.3f}",
            described("staggered quanta with half of the writes"),
        ),
    ]


def _told(ratio: tuple[float, float, float], kib: int) -> str:
    return "at most {:.3f} ({:.3f} to {:.3f}), at {} KiB".format(*ratio, kib)


study = study_of_writes(
    "2005-fig14", "staggered-pfair-2005, figure 14: writes in staggered quanta to those in aligned ones", draw, claims
)
