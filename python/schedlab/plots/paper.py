"""Styles of papers, at the place where studies import them from; `schedlab.show.plots.paper` has the code."""

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
    "Look",
    "drawn_as",
    "footnote",
    "paper_style",
    "save_figure",
]
