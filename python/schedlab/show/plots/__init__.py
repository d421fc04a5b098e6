"""Plots for papers: vector and bitmap files, legible in black and white, made from stored results only."""

from schedlab.show.plots.curves import Curve, Means, apart, draw_curves, draw_dotted, draw_means
from schedlab.show.plots.intervals import mean_interval, wilson_interval
from schedlab.show.plots.paper import (
    BLACK,
    BLUE,
    COLUMN,
    CURVES,
    FONTS,
    FORMATS,
    GREY,
    ORANGE,
    PAGE,
    RED,
    Look,
    drawn_as,
    footnote,
    paper_style,
    save_figure,
)
from schedlab.show.plots.schedule import Segment, draw_fluid, draw_processors, draw_schedule, draw_windows

__all__ = [
    "BLACK",
    "BLUE",
    "COLUMN",
    "CURVES",
    "FONTS",
    "FORMATS",
    "GREY",
    "ORANGE",
    "PAGE",
    "RED",
    "Curve",
    "Look",
    "Means",
    "Segment",
    "apart",
    "draw_curves",
    "draw_dotted",
    "draw_fluid",
    "draw_means",
    "draw_processors",
    "draw_schedule",
    "draw_windows",
    "drawn_as",
    "footnote",
    "mean_interval",
    "paper_style",
    "save_figure",
    "wilson_interval",
]
