"""The page of a machine's overheads: one HTML file, plots inlined, no network."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from markupsafe import Markup

from schedlab.base.files import write_whole
from schedlab.measurements import figures
from schedlab.measurements.rows import Measurements
from schedlab.show.plots.paper import paper_style
from schedlab.show.report.page import STYLE, templates_in

_HERE = Path(__file__).parent


def write_page(measurements: Measurements, path: Path | str) -> Path:
    """Writes the page to ``path``, whole or not at all, and returns the path."""
    path = Path(path)
    write_whole(path, render_page(measurements))
    return path


def render_page(measurements: Measurements) -> str:
    """Returns the page as text: the same measurements give the same bytes."""
    templates = templates_in(_HERE)
    return templates.get_template("page.html.j2").render(
        machine=measurements.machine,
        extent=measurements.extent,
        plots=_plots(measurements),
        single=_single(measurements),
        style=Markup(STYLE.read_text(encoding="utf-8")),
    )


def _plots(measurements: Measurements) -> list[dict[str, Any]]:
    rows = measurements.rows
    found: list[dict[str, Any]] = []

    def add(title: str, note: str, figure: Any) -> None:
        if figure is not None:
            found.append({"title": title, "note": note, "svg": Markup(_svg(figure))})

    of_sets = "Each mark is one task set; lines are means over the sets of a size."
    each_time = "Logarithmic scale; a thousandth of the values on either side may lie outside."
    working_sets = (
        "The time to use a cold working set, less the time to use a warm one; all processors within one quantum."
    )
    locks = "System calls included; waiting excluded. Each protocol has a scale of its own."
    with paper_style():
        for what, title in figures.OF_DISPATCHING.items():
            add(title, of_sets, figures.by_tasks(rows, what))
            add(f"{title.split(':')[0]}: how long it took each time", each_time, figures.histograms(rows, what))
        add("Working sets", working_sets, figures.by_working_set(rows))
        add("Locks", locks, figures.by_waiters(rows))
    return found


def _svg(figure: Any) -> str:
    # Matplotlib is slow to import, and only a figure that is drawn needs it.
    import matplotlib.pyplot as plt

    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    plt.close(figure)
    whole = text.getvalue()
    return whole[whole.index("<svg") :]


def _single(measurements: Measurements) -> list[dict[str, Any]]:
    """Lists the quantities that depend on nothing but, perhaps, the path from processor to processor."""
    rows = measurements.rows
    names = {
        "system_call": "a system call that does nothing",
        "kernel_migration": "the kernel moves a thread",
        "interrupt": "a signal to another processor, until it is handled",
        "leaving_np_section": "leaving a non-preemptive section",
        "noise": "away from the processor, above all else (gaps longer than 1 us in 0.2 s)",
    }
    return [
        {
            "what": names[row["what"]],
            "path": row["path"] if isinstance(row["path"], str) else "",
            **{key: row[key] for key in ("count", "max_ns", "mean_ns", "worst_ns")},
            **{key: row["percentiles_ns"][key] for key in ("p50", "p99", "p99_9")},
        }
        for row in rows[rows["what"].isin(list(names))].to_dict("records")
    ]
