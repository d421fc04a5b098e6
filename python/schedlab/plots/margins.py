"""Margins of the ways to schedule a task set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

#: So many ways are drawn, the best.
MOST = 40


def draw_margins(advice: dict[str, Any], path: Path) -> None:
    """Bars of the critical scaling factors, the best way on top."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    ways = [way for way in advice["ways"] if way["schedulable"]][:MOST]
    figure = Figure(figsize=(7, 1.2 + 0.22 * max(len(ways), 1)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    labels = [", ".join(filter(None, (way["scheduler"], way["placement"], way["protocol"]))) for way in ways]
    axes.barh(range(len(ways)), [way["margin_percent"] for way in ways], color="#4477aa")
    axes.set_yticks(range(len(ways)), labels, fontsize=7)
    axes.invert_yaxis()
    axes.axvline(100, color="black", linewidth=0.8)
    axes.set_xlabel("critical scaling factor of all costs (%)" if ways else "no way is proved to meet all deadlines")
    figure.savefig(path)
