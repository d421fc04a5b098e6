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


def draw_curves(
    axes: Any, curves: Sequence[Curve], confidence: float = 0.99, *, solid: bool = False, markers_every: int = 1
) -> None:
    """Draws shares in percent, each with a Wilson interval as a band.

    Curves that coincide stay legible: later ones are drawn over earlier ones with hollow markers. ``solid`` lines leave
    dots to those of `draw_dotted`.
    """
    for number, curve in enumerate(curves):
        style = CURVES[curve.style % len(CURVES)]
        style = {**style, "linestyle": "-"} if solid else style
        xs, shares = _shares(curve)
        bands = [wilson_interval(successes, trials, confidence) for _, successes, trials in curve.counts]
        axes.fill_between(
            xs, [100 * low for low, _ in bands], [100 * high for _, high in bands],
            color=style["color"], alpha=0.15, linewidth=0,
        )  # fmt: skip
        axes.plot(
            xs, shares, label=curve.name, markerfacecolor="white" if number else style["color"],
            markersize=3.6 + 1.2 * (len(curves) - 1 - number), markeredgewidth=0.9, zorder=3 + number,
            markevery=markers_every, **style,
        )  # fmt: skip
    axes.set_ylim(-5, 105)


def draw_dotted(axes: Any, curves: Sequence[Curve]) -> None:
    """Dotted lines alone, each in the colour of the curve with its style: what something made of that one."""
    for curve in curves:
        xs, shares = _shares(curve)
        color = CURVES[curve.style % len(CURVES)]["color"]
        axes.plot(xs, shares, color=color, linestyle=(0, (1, 1.2)), linewidth=1.4, zorder=20)


def _shares(curve: Curve) -> tuple[list[float], list[float]]:
    """Places and percentages."""
    shares = [100 * successes / trials if trials else float("nan") for _, successes, trials in curve.counts]
    return [x for x, _, _ in curve.counts], shares
