"""Curves with their confidence intervals: of proportions, and of means.

The rules serve the reader:

* A band is drawn where it is apart from those of all other curves. Bands that overlap would merge into grey.
* Markers are few, and those of different curves stand at different places, so that none hides another's line.
* A curve that a later one covers wholly is drawn broader below it, and shows at both sides.
* ``accent`` names the curves that the text discusses: they are thick and in front, the others thin.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from schedlab.show.plots.intervals import wilson_interval
from schedlab.show.plots.paper import CURVES

#: Number of markers on a curve, or up to twice as many.
MARKERS = 5
#: Points by which the line of a covered curve is broader, for each of at most two curves that cover it.
BROADER = 1.2


@dataclass(frozen=True)
class Curve:
    """A named series of proportions: at each x, the number of successes and of trials."""

    name: str
    counts: Sequence[tuple[float, int, int]]
    #: Index of the style, so that a scheduler looks the same in every inset.
    style: int


@dataclass(frozen=True)
class Means:
    """A named series of means: at each x, a mean and the ends of its confidence interval."""

    name: str
    points: Sequence[tuple[float, float, float, float]]
    style: int


def draw_curves(
    axes: Any,
    curves: Sequence[Curve],
    confidence: float | None = None,
    *,
    solid: bool = False,
    accent: Collection[str] = (),
) -> None:
    """Draws shares in percent, each with a Wilson interval as a band, by default of `wilson_interval`'s confidence.

    ``solid`` lines leave dots to the lines of `draw_dotted`.
    """
    drawn = []
    for curve in curves:
        xs, shares = _shares(curve)
        bands = [wilson_interval(successes, trials, confidence) for _, successes, trials in curve.counts]
        points = [(x, y, 100 * low, 100 * high) for x, y, (low, high) in zip(xs, shares, bands, strict=True)]
        drawn.append(Means(curve.name, points, curve.style))
    draw_means(axes, drawn, solid=solid, accent=accent)
    axes.set_ylim(-5, 105)


def draw_means(axes: Any, curves: Sequence[Means], *, solid: bool = False, accent: Collection[str] = ()) -> None:
    """Draws means, each with its interval as a band."""
    order = [*(one for one in curves if one.name not in accent), *(one for one in curves if one.name in accent)]
    for number, curve in enumerate(curves):
        if not curve.points:
            continue
        style = CURVES[curve.style % len(CURVES)]
        xs, ys, lows, highs = (list(column) for column in zip(*curve.points, strict=True))
        axes.fill_between(xs, lows, highs, where=apart(curve, curves), color=style["color"], alpha=0.18, linewidth=0)
        is_accent = curve.name in accent
        covers = sum(_covers(other, curve) for other in order[order.index(curve) + 1 :])
        style = {**style, "linestyle": "-"} if solid else style
        step = max(1, len(xs) // MARKERS)
        axes.plot(
            xs, ys, label=curve.name, **style, markerfacecolor=style["color"] if is_accent else "white",
            markersize=3.6, markeredgewidth=0.8, markevery=(number * step // max(1, len(curves)), step),
            linewidth=(1.9 if is_accent else 0.9 if accent else 1.1) + BROADER * min(covers, 2),
            zorder=3 + number + (len(curves) if is_accent else 0),
        )  # fmt: skip


def apart(curve: Means, curves: Sequence[Means]) -> list[bool]:
    """Returns for each point of ``curve`` whether its interval meets none of the other curves' intervals there."""
    others = [other for other in curves if other is not curve]
    return [not any(_overlap(point, other) for other in others) for point in curve.points]


def _covers(later: Means, curve: Means) -> bool:
    """True if ``later`` is at the same places as ``curve``, so that it would hide all of it."""
    places = {x: y for x, y, _, _ in later.points}
    return all(places.get(x) == y for x, y, _, _ in curve.points)


def draw_dotted(axes: Any, curves: Sequence[Curve]) -> None:
    """Draws dotted lines alone, each in the colour of the curve with its style, to compare with that curve."""
    for curve in curves:
        xs, shares = _shares(curve)
        color = CURVES[curve.style % len(CURVES)]["color"]
        axes.plot(xs, shares, color=color, linestyle=(0, (1, 1.2)), linewidth=1.1, zorder=20)


def _overlap(point: tuple[float, float, float, float], other: Means) -> bool:
    """True if the interval meets that of ``other`` at the same place."""
    x, _, low, high = point
    return any(
        there == x and not isnan(low) and low <= top and bottom <= high for there, _, bottom, top in other.points
    )


def _shares(curve: Curve) -> tuple[list[float], list[float]]:
    """Returns places and percentages."""
    shares = [100 * successes / trials if trials else float("nan") for _, successes, trials in curve.counts]
    return [x for x, _, _ in curve.counts], shares
