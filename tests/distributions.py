"""Distributions of real response times beside simulated ones, as cumulative shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schedlab.plots.paper import CURVES, PAGE, footnote

#: How many quantiles stand for a distribution: the smallest value, each thousandth, the largest.
QUANTILES = 1001

_ACROSS = 4
#: Characters of a title that fit above one of them.
_LONG_TITLE = 24


@dataclass(frozen=True)
class Beside:
    """What jobs of one kind experienced, really and in the simulation: `quantiles` of nanoseconds."""

    real: Sequence[int]
    simulated: Sequence[int]


def quantiles(values: Sequence[int]) -> list[int]:
    """The smallest of the values, each thousandth, the largest; nothing without values."""
    ordered = sorted(values)
    return [ordered[(len(ordered) - 1) * at // (QUANTILES - 1)] for at in range(QUANTILES)] if ordered else []


def draw_beside(panels: Mapping[str, Mapping[str, Beside]], *notes: str) -> Any:
    """A panel for each run, a colour for each kind of jobs: drawn through as it really was, dashed as simulated."""
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D

    lines = max(1, -(-len(panels) // _ACROSS))
    # What stands above and below the panels needs its place, too.
    figure, grid = plt.subplots(
        lines, _ACROSS, figsize=(PAGE, 1.4 * lines + 1.0), squeeze=False, sharex=True, sharey=True
    )
    kinds = list(dict.fromkeys(kind for panel in panels.values() for kind in panel))
    colours = {kind: CURVES[at % len(CURVES)]["color"] for at, kind in enumerate(kinds)}
    for axes, (name, panel) in zip(grid.flat, panels.items(), strict=False):
        for kind, both in panel.items():
            for values, style in ((both.real, "-"), (both.simulated, (0, (3, 1.5)))):
                if values:
                    _draw(axes, values, colours[kind], style)
        # A protocol and its scheduler are too long for one line.
        axes.set_title(name.replace(" (", "\n(") if len(name) > _LONG_TITLE else name)
        axes.set_xscale("log")
        axes.set_ylim(0, 100)
    for axes in list(grid.flat)[len(panels) :]:
        axes.set_visible(False)
    for column in range(min(_ACROSS, len(panels))):
        last = grid[(len(panels) - 1 - column) // _ACROSS][column]
        last.tick_params(labelbottom=True)
        last.set_xlabel("response time (ms)")
    for line in grid:
        line[0].set_ylabel("jobs (%)")
    shown = [Line2D([], [], color=colours[kind], label=kind) for kind in kinds]
    shown.append(Line2D([], [], color="#666666", label="real"))
    shown.append(Line2D([], [], color="#666666", linestyle="--", label="simulated"))
    figure.legend(handles=shown, loc="outside upper center", ncols=len(shown))
    footnote(figure, *notes)
    return figure


def _draw(axes: Any, values: Sequence[int], colour: str, style: Any) -> None:
    shares = [100 * at / (len(values) - 1) for at in range(len(values))]
    axes.plot([value / 1e6 for value in values], shares, color=colour, linestyle=style, linewidth=0.9)
