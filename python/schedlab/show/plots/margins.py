"""The result of `schedlab advise` as a picture."""

from __future__ import annotations

import io
from pathlib import Path

from schedlab.base.defaults import NO_PROTOCOL
from schedlab.base.files import write_whole
from schedlab.core.analysis import best_ways, schemes_in_words
from schedlab.core.margins import NONE_PROVED, percent_in_words
from schedlab.errors import BadInput
from schedlab.outputs.results import Advice, Way

#: Largest number of schedulers that are drawn, the best ones.
MOST = 30

PROVED, FAILED = "#4477aa", "#cc6677"


def draw_margins(advice: Advice, path: Path, title: str) -> None:
    """Draws the margin of each scheduler's best way, the best on top, below a title."""
    # Matplotlib is slow to import, and only a figure that is drawn needs it.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawn = [(way, more) for way, more in best_ways(advice["ways"]) if way["margin_percent"] > NONE_PROVED][:MOST]
    figure = Figure(figsize=(8, 1.3 + 0.26 * max(len(drawn), 1)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for index, (way, _) in enumerate(drawn):
        margin = way["margin_percent"]
        axes.barh(index, margin, color=PROVED if way["schedulable"] else FAILED, height=0.7)
        said = f" {percent_in_words(margin)}"
        axes.annotate(
            said,
            (margin, index),
            xytext=(3 if margin >= 0 else -3, 0),
            textcoords="offset points",
            va="center",
            ha="left" if margin >= 0 else "right",
            fontsize=7,
        )
    axes.set_yticks(range(len(drawn)), [_label(way) for way, _ in drawn], fontsize=7)
    axes.invert_yaxis()
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_title(title, fontsize=9)
    axes.margins(x=0.12)
    # Lengths of bars can be compared only from zero on.
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, 0), max(high, 0))
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.set_xlabel(
        "margin: growth of all costs (%); from 0 on, all deadlines are proved to be met"
        if drawn
        else "no way is proved, however small the costs",
        fontsize=8,
    )
    picture = io.BytesIO()
    try:
        figure.savefig(picture, dpi=150, format=path.suffix.removeprefix(".") or "png")
    except ValueError as error:
        raise BadInput(f"{path}: {error}") from error
    write_whole(path, picture.getvalue())


def _label(way: Way) -> str:
    schemes = schemes_in_words(way["schemes"])
    parts = (way["scheduler"], way["priorities"], way["placement"], way["protocol"], schemes)
    return ", ".join(part for part in parts if part and part != NO_PROTOCOL)
