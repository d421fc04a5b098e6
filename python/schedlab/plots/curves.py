"""Curves of proportions with their confidence intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from schedlab.plots.intervals import wilson_interval
from schedlab.plots.paper import CURVES


@dataclass(frozen=True)
class Curve:
    """A named series: at each x, how many of how many."""

    name: str
    counts: Sequence[tuple[float, int, int]]
    #: Which of the styles, so that a scheduler looks the same in every inset.
    style: int
    #: The line, where it is not the style's own dashes that tell curves apart.
    line: str | None = None


def draw_curves(axes: Any, curves: Sequence[Curve], confidence: float = 0.99) -> None:
    """Draws shares in percent, each with a Wilson interval as a band.

    Curves that coincide stay legible: later ones are drawn over earlier ones with hollow markers.
    """
    for number, curve in enumerate(curves):
        style = CURVES[curve.style % len(CURVES)]
        style = style if curve.line is None else {**style, "linestyle": curve.line}
        xs = [x for x, _, _ in curve.counts]
        shares = [100 * successes / trials if trials else float("nan") for _, successes, trials in curve.counts]
        bands = [wilson_interval(successes, trials, confidence) for _, successes, trials in curve.counts]
        axes.fill_between(
            xs, [100 * low for low, _ in bands], [100 * high for _, high in bands],
            color=style["color"], alpha=0.15, linewidth=0,
        )  # fmt: skip
        axes.plot(
            xs, shares, label=curve.name, markerfacecolor="white" if number else style["color"],
            markersize=3.6 + 1.2 * (len(curves) - 1 - number), markeredgewidth=0.9, zorder=3 + number, **style,
        )  # fmt: skip
    axes.set_ylim(-5, 105)
