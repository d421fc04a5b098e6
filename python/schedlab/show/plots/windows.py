"""Windows of a Pfair task's subtasks as PNG or PDF: the picture that `schedlab windows` draws as text and as SVG."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from schedlab.show.plots.paper import BLUE, GREY

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: A row of `schedlab windows`: subtask, eligible, release, deadline, b-bit, group deadline, in slots.
Window = tuple[int, int, int, int, bool, int]


def rendered_windows(weight: str, rows: Sequence[Window], kind: str) -> bytes:
    """Returns the picture as a file of a `kind`, png or pdf, without a date: the same windows give the same bytes."""
    # Matplotlib is slow to import, and only a figure that is drawn needs it.
    import matplotlib

    with matplotlib.rc_context({"pdf.fonttype": 42}):
        content = io.BytesIO()
        metadata = {"CreationDate": None} if kind == "pdf" else {}
        drawn_windows(weight, rows).savefig(content, format=kind, dpi=160, metadata=metadata)
    return content.getvalue()


def drawn_windows(weight: str, rows: Sequence[Window]) -> Figure:
    """Draws a row for each subtask: a bar from its release to its deadline, paler from where it is eligible."""
    # Matplotlib is slow to import, and only a figure that is drawn needs it.
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    with matplotlib.rc_context({"font.size": 8}):
        figure = Figure(figsize=(7, 1 + 0.22 * len(rows)), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots()
        for line, (_, eligible, release, deadline, _, _) in enumerate(rows):
            axes.broken_barh([(eligible, release - eligible)], (line - 0.3, 0.6), facecolor=GREY, alpha=0.3)
            axes.broken_barh([(release, deadline - release)], (line - 0.3, 0.6), facecolor=BLUE, edgecolor="black")
        axes.set_yticks(range(len(rows)), [str(row[0]) for row in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlim(0, max(row[3] for row in rows))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(axis="x", linewidth=0.4, color="#d8d8d8")
        axes.set_axisbelow(True)
        axes.set_title(f"windows of a task of weight {weight}, by subtask")
        axes.set_xlabel("time [slots]")
        axes.set_ylabel("subtask")
    return figure
