"""The look of figures: sized for a column, fonts embedded, colours that differ in grey, same bytes each time."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from schedlab.base.files import write_whole
from schedlab.show.plots.greys import make_grey
from schedlab.show.plots.intervals import said_of_confidence

#: Formats of files: PDF for papers, SVG for pages, PNG to look at.
FORMATS = ("pdf", "svg", "png")

#: Named colours besides those of curves: our results, differences, marks, and lines to compare with.
BLACK, BLUE, RED, ORANGE, GREY = "#000000", "#0072B2", "#D55E00", "#E69F00", "#888888"

#: Line, marker and colour of the curves, in order. Each differs from the others by marker and dashes alone;
#: the colours are Okabe and Ito's, which the colour-blind can tell apart, from dark to light.
CURVES: Sequence[dict[str, Any]] = (
    {"color": BLACK, "marker": "o", "linestyle": "-"},
    {"color": BLUE, "marker": "s", "linestyle": (0, (5, 2))},
    {"color": RED, "marker": "^", "linestyle": (0, (1, 1.5))},
    {"color": "#009E73", "marker": "D", "linestyle": (0, (5, 2, 1, 2))},
    {"color": "#CC79A7", "marker": "v", "linestyle": (0, (8, 2))},
    {"color": ORANGE, "marker": "P", "linestyle": (0, (3, 1, 1, 1, 1, 1))},
    {"color": "#56B4E9", "marker": "X", "linestyle": (0, (2, 1))},
    {"color": "#8A8A8A", "marker": "*", "linestyle": (0, (6, 1, 1, 1, 1, 1))},
    {"color": "#7A4B00", "marker": "h", "linestyle": (0, (4, 1, 1, 1))},
)

#: Widths in inches of a column and of a page in the two-column formats of ACM and IEEE.
COLUMN, PAGE = 3.33, 7.0

_SETTINGS: dict[Any, Any] = {
    "font.family": "serif",
    "font.serif": ["DejaVu Serif"],
    "mathtext.fontset": "dejavuserif",
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "legend.fontsize": 7,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "axes.linewidth": 0.6,
    "axes.grid": True,
    "grid.linewidth": 0.4,
    "grid.color": "#d8d8d8",
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.6,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
    # Type 42: fonts as text that can be searched; publishers refuse type 3.
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    # Identifiers inside an SVG are random without this.
    "svg.hashsalt": "schedlab",
    "hatch.linewidth": 0.4,
    "savefig.dpi": 200,
}


#: Fonts of figures by name. All come with matplotlib: the letters of LaTeX do not need LaTeX itself. The usual fonts
#: supply the letters that these lack.
FONTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "latex": {
        "font.family": ["cmr10", "DejaVu Serif"],
        "mathtext.fontset": "cm",
        "axes.formatter.use_mathtext": True,
        "axes.unicode_minus": False,
        "font.size": 9,
    },
    "times": {"font.family": ["STIXGeneral", "DejaVu Serif"], "mathtext.fontset": "stix", "font.size": 9},
}


@dataclass(frozen=True)
class Look:
    """Choices for all figures: the fonts, by name in ``FONTS``, greys in place of colours, and the formats of files.

    A ``heading`` stands above each figure.
    """

    fonts: str = "plain"
    greys: bool = False
    formats: Sequence[str] = FORMATS
    heading: str = ""


_PLAIN = Look()
_look: ContextVar[Look] = ContextVar("look", default=_PLAIN)


@contextmanager
def drawn_as(look: Look) -> Iterator[None]:
    """Applies a look to figures that are drawn and saved while the block runs."""
    token = _look.set(look)
    try:
        yield
    finally:
        _look.reset(token)


@contextmanager
def headed(heading: str) -> Iterator[None]:
    """Writes a heading above figures that are saved while the block runs; nothing if it is empty."""
    with drawn_as(replace(_look.get(), heading=heading)):
        yield


@contextmanager
def paper_style() -> Iterator[None]:
    """Applies our settings of matplotlib and the chosen look while the block runs, without a display."""
    # Matplotlib is slow to import, and only a figure that is drawn needs it.
    import matplotlib

    matplotlib.use("Agg", force=False)
    with matplotlib.rc_context(_SETTINGS | FONTS[_look.get().fonts]):
        yield


def footnote(figure: Any, *notes: str) -> None:
    """Writes notes below the figure, each on lines of its own, no line wider than the figure."""
    width = int(figure.get_figwidth() * _LETTERS)
    text = "\n".join(textwrap.fill(note, width) for note in notes)
    figure.supxlabel(text, fontsize=6.5, color="#444444")


def _head(figure: Any, heading: str) -> None:
    """Writes a heading above all that a figure has, whose layout is done: the figure becomes higher by as much."""
    wide, high = figure.get_size_inches()
    lines = textwrap.wrap(heading, int(wide * _LETTERS * 0.8))
    whole = high + len(lines) * _LINE
    figure.set_size_inches(wide, whole)
    share = high / whole
    for axes in figure.axes:
        place = axes.get_position()
        axes.set_position((place.x0, place.y0 * share, place.width, place.height * share))
    for text in figure.texts:
        text.set_y(text.get_position()[1] * share)
    for legend in figure.legends:
        legend.set_bbox_to_anchor((0, 0, 1, share), transform=figure.transFigure)
    figure.text(0.5, 1 - 0.02 / whole, "\n".join(lines), ha="center", va="top", color=RED)


#: Height in inches of a line of a heading.
_LINE = 0.17

#: Number of letters to an inch in a footnote.
_LETTERS = 19


def save_figure(figure: Any, stem: Path) -> list[Path]:
    """Writes a figure as ``stem.pdf`` and so on, in all formats, without dates, so that bytes can be compared."""
    # Matplotlib is slow to import, and only a figure that is drawn needs it.
    import matplotlib
    import matplotlib.pyplot as plt

    if _look.get().greys:
        make_grey(figure)
    # Laid out once, because each format would do it again by itself, which takes longer than drawing.
    figure.draw_without_rendering()
    dateless = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {}}
    paths = []
    with matplotlib.rc_context({"figure.constrained_layout.use": False}):
        figure.set_layout_engine(None)
        if heading := "; ".join(filter(None, (_look.get().heading, said_of_confidence()))):
            _head(figure, heading)
        for kind in _look.get().formats:
            path = stem.with_name(f"{stem.name}.{kind}")
            drawn = io.BytesIO()
            figure.savefig(drawn, format=kind, metadata=dateless[kind])
            write_whole(path, drawn.getvalue())
            paths.append(path)
    plt.close(figure)
    return paths
