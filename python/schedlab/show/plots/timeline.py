"""Drawing of any schedule with matplotlib: the picture of `Schedule.to_svg`, for notebooks, PNG and PDF.

Colours are those of tasks. Below a job's box, a bar shows where the job holds a resource, with its name where there is
room, and hatching shows where it spins. A dashed line shows where it waits. Below all jobs, each budget server has a
row with its budget over time.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from schedlab.errors import BadInput

if TYPE_CHECKING:
    from schedlab.core.scenario import Scenario

#: Light fills that black text can be read on, as on the page.
_FILLS = ("#8cc8ea", "#e0cf7a", "#7fc6ac", "#eda58f", "#bfb2e6", "#b9c95f", "#f0bd74", "#94b3ee", "#e3a9d2", "#9fd48a")
_INK, _RED, _GREY, _BUDGET = "#14171b", "#b02a10", "#8c959f", "#0b5cad"
_UNITS = (("s", 10**9), ("ms", 10**6), ("us", 10**3), ("ns", 1))

#: Height of a box in its row, and of a row in inches; with resources, a row has the bars of their names below it.
_TALL, _ROW = 0.55, 0.34
_ROW_WITH_NAMES = 0.46
#: Height of such a bar in its row.
_BAR = 0.2
#: Largest number of resources that the legend names.
_FEW = 4


def draw_timeline(
    drawn: Mapping[str, Any],
    scenario: Scenario,
    ax: Any = None,
    *,
    lanes: str = "tasks",
    resources: Sequence[str] = (),
) -> Any:
    """Draws the result of `Schedule.drawing` on the axes `ax`, or on new ones; returns the axes.

    `resources` are the names of resources by number.
    """
    if lanes not in ("tasks", "processors"):
        raise BadInput(f'lanes: "{lanes}"; allowed: processors, tasks')
    names: list[str] = scenario.tasks["name"]
    rows = names if lanes == "tasks" else [f"cpu {cpu}" for cpu in range(scenario.processors)]
    rows = [*rows, *drawn["servers"]]
    if ax is None:
        # Matplotlib is slow to import, and only a figure that is drawn needs it.
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(9, 1 + _row(drawn) * len(rows)), layout="constrained")
    start, end = drawn["window"]
    unit, size = next(pair for pair in _UNITS if end - start >= pair[1])
    row = _Rows(ax, lanes, len(rows), size)
    _draw_boxes(row, drawn, names, end - start)
    _draw_sharing(row, drawn, resources)
    _draw_budgets(row, drawn)
    if lanes == "tasks":
        _draw_marks(row, drawn)
    elif drawn["misses"]:
        for _, _, at in drawn["misses"]:
            ax.axvline(at / size, color=_RED, linewidth=0.8, linestyle=":")
    _draw_legend(ax, drawn, lanes, resources)
    ax.set_yticks([len(rows) - 1 - row + _TALL / 2 for row in range(len(rows))], rows)
    ax.tick_params(axis="y", length=0)
    ax.set_xlim(start / size, end / size)
    ax.set_ylim(-0.35 if drawn["critical_sections"] else -0.2, len(rows))
    # The legend is on the right of the same line.
    ax.set_xlabel(f"time [{unit}]", loc="left")
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    return ax


def _row(drawn: Mapping[str, Any]) -> float:
    """Returns the height of a row in inches."""
    return _ROW_WITH_NAMES if drawn["critical_sections"] else _ROW


def rendered(
    drawn: Mapping[str, Any], scenario: Scenario, lanes: str, kind: str, resources: Sequence[str] = ()
) -> bytes:
    """Returns the picture as a file of a `kind`, png or pdf, without a date: a schedule always gives the same bytes."""
    # Matplotlib is slow to import, and only a figure that is drawn needs it.
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rows = (len(scenario.tasks) if lanes == "tasks" else scenario.processors) + len(drawn["servers"])
    with matplotlib.rc_context({"pdf.fonttype": 42, "font.size": 8}):
        figure = Figure(figsize=(9, 1 + _row(drawn) * rows), layout="constrained")
        FigureCanvasAgg(figure)
        draw_timeline(drawn, scenario, figure.subplots(), lanes=lanes, resources=resources)
        content = io.BytesIO()
        figure.savefig(content, format=kind, dpi=160, metadata={"CreationDate": None} if kind == "pdf" else {})
    return content.getvalue()


class _Rows:
    """The rows of boxes, by task or by processor, the first on top."""

    def __init__(self, ax: Any, lanes: str, rows: int, size: int) -> None:
        self.ax, self.lanes, self.rows, self.size = ax, lanes, rows, size

    def of(self, cpu: int, task: int) -> float:
        """Returns the line on which the boxes of a task on a processor stand."""
        return float(self.rows - 1 - (task if self.lanes == "tasks" else cpu))

    def boxes(self, y: float, spans: Iterable[tuple[int, int]], height: float, **style: Any) -> None:
        """Draws boxes on one line, all alike."""
        scaled = [(start / self.size, (end - start) / self.size) for start, end in spans]
        self.ax.broken_barh(scaled, (y, height), **style)


def _draw_boxes(row: _Rows, drawn: Mapping[str, Any], names: Sequence[str], length: int) -> None:
    for (cpu, task), spans in _by_place(drawn["segments"]).items():
        fill = _FILLS[task % len(_FILLS)]
        row.boxes(row.of(cpu, task), spans, _TALL, facecolor=fill, edgecolor=_INK, linewidth=0.4, zorder=2)
    for (cpu, task), spans in _by_place(drawn["spinning"]).items():
        style = {"facecolor": "none", "edgecolor": _RED, "hatch": "////", "linewidth": 0.4, "zorder": 3}
        row.boxes(row.of(cpu, task), spans, _TALL, **style)
    if row.lanes == "processors":
        for cpu, _, start, end in drawn["overheads"]:
            row.boxes(row.of(cpu, 0), [(start, end)], _TALL, facecolor=_GREY, zorder=2)
        for cpu, start, end in drawn["wastes"]:
            row.boxes(row.of(cpu, 0), [(start, end)], _TALL / 3, facecolor="#d4d9df", zorder=2)
    for cpu, task, job, start, end in drawn["segments"]:
        label = str(job) if row.lanes == "tasks" else f"{names[task]} {job}"
        # A letter takes about a hundredth of the width.
        if (end - start) / length > 0.011 * len(label):
            middle = (start + end) / 2 / row.size
            y = row.of(cpu, task) + _TALL / 2
            row.ax.text(middle, y, label, ha="center", va="center", fontsize="x-small", zorder=5, clip_on=True)


def _by_place(segments: Iterable[Sequence[int]]) -> dict[tuple[int, int], list[tuple[int, int]]]:
    found: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for cpu, task, _, start, end in segments:
        found.setdefault((cpu, task), []).append((start, end))
    return found


def _draw_sharing(row: _Rows, drawn: Mapping[str, Any], resources: Sequence[str]) -> None:
    """Draws bars where jobs hold resources and execute, with the resources' names where there is room.

    In rows of tasks, also dashes where jobs wait for others.
    """
    length = drawn["window"][1] - drawn["window"][0]
    placed: dict[tuple[int, int], list[Sequence[int]]] = {}
    for segment in drawn["segments"]:
        placed.setdefault((segment[1], segment[2]), []).append(segment)
    for task, job, resource, start, end in drawn["critical_sections"]:
        name = _named(resource, resources)
        for cpu, _, _, begin, stop in placed.get((task, job), []):
            if max(start, begin) < min(end, stop):
                first, last = max(start, begin), min(end, stop)
                y = row.of(cpu, task) - _BAR
                row.boxes(y, [(first, last)], _BAR, facecolor=_INK, edgecolor=_INK, linewidth=0.6, zorder=4)
                # A letter takes about a hundred-and-fiftieth of the width.
                if (last - first) / length > 0.0065 * (len(name) + 1):
                    place = ((first + last) / 2 / row.size, y + _BAR / 2 - 0.01)
                    style = {"ha": "center", "va": "center", "fontsize": 5.5, "color": "white", "zorder": 6}
                    row.ax.text(*place, name, clip_on=True, **style)
    if row.lanes == "tasks":
        for task, _, reason, start, end in drawn["waits"]:
            if reason in ("resource", "gate"):
                y = row.of(0, task) + _TALL / 2
                times = [start / row.size, end / row.size]
                row.ax.plot(times, [y, y], color=_RED, linewidth=1.2, linestyle=(0, (3, 2)), zorder=3)


def _draw_budgets(row: _Rows, drawn: Mapping[str, Any]) -> None:
    """Draws the budgets of servers over time, the last server at the bottom, with marks where budget comes back."""
    servers = len(drawn["servers"])
    for server in range(servers):
        y = float(servers - 1 - server)
        mine = [stretch[1:] for stretch in drawn["server_budgets"] if stretch[0] == server]
        most = max([left for _, _, left, _ in mine], default=0) or 1
        for start, end, left, at_end in mine:
            times, levels = [start / row.size, end / row.size], [y + _TALL * part / most for part in (left, at_end)]
            row.ax.fill_between(times, y, levels, color=_BUDGET, alpha=0.25, linewidth=0, zorder=2)
            row.ax.plot(times, levels, color=_BUDGET, linewidth=1.0, zorder=3)
        given = [at / row.size for other, at, _ in drawn["replenishments"] if other == server]
        style = {"linestyle": "", "color": _INK, "markersize": 4, "zorder": 5, "clip_on": False}
        row.ax.plot(given, [y + _TALL + 0.12] * len(given), marker="+", **style)
        due = [at / row.size for other, at in drawn["server_deadlines"] if other == server]
        row.ax.vlines(due, y, y + _TALL + 0.2, color=_INK, linewidth=0.5, zorder=1)
        row.ax.plot(due, [y] * len(due), marker="v", **style)


#: Marks: the list in the drawing, the meaning, the marker, its height, and its colour.
_MARKS = (
    ("arrivals", "arrival", "^", _TALL + 0.2, _INK),
    ("deadlines", "deadline", "v", _TALL + 0.2, _INK),
    ("misses", "missed deadline", "x", _TALL + 0.33, _RED),
    ("handlers", "abort handler begins", "1", _TALL / 2, _INK),
    ("aborts", "given up", "s", _TALL / 2, _RED),
    ("budgets", "budget used up", "D", _TALL / 2, _BUDGET),
)


def _draw_marks(row: _Rows, drawn: Mapping[str, Any]) -> None:
    for name, _, marker, height, colour in _MARKS:
        times = [at / row.size for _, _, at in drawn[name]]
        lines = [row.of(0, task) for task, _, _ in drawn[name]]
        if name in ("arrivals", "deadlines"):
            row.ax.vlines(times, lines, [line + height for line in lines], color=colour, linewidth=0.5, zorder=1)
        heads = [line + (0.0 if name == "deadlines" else height) for line in lines]
        # Marks are within the window, and those at its ends are whole.
        row.ax.plot(times, heads, linestyle="", marker=marker, markersize=4, color=colour, zorder=5, clip_on=False)


def _holds(drawn: Mapping[str, Any], resources: Sequence[str]) -> str:
    """Returns what the bar of a section means: the resources by name if they are few, since bars are often short."""
    found = dict.fromkeys(_named(resource, resources) for _, _, resource, _, _ in drawn["critical_sections"])
    return "holds a resource" if len(found) > _FEW else f"holds {' or '.join(found)}"


def _named(resource: int, resources: Sequence[str]) -> str:
    return resources[resource] if resource < len(resources) else f"R{resource}"


def _draw_legend(ax: Any, drawn: Mapping[str, Any], lanes: str, resources: Sequence[str]) -> None:
    """Draws the legend below the axis, with the signs that are drawn."""
    # Matplotlib is slow to import, and only a figure that is drawn needs it.
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    waits = any(reason in ("resource", "gate") for _, _, reason, _, _ in drawn["waits"])
    known = [(drawn["critical_sections"], Patch(facecolor=_INK, label=_holds(drawn, resources)))]
    known += [(drawn["spinning"], Patch(facecolor="none", edgecolor=_RED, hatch="////", label="spins for a resource"))]
    known += [(drawn["servers"], Patch(facecolor=_BUDGET, alpha=0.25, label="budget of a server"))]
    lines: list[tuple[Any, Any]] = []
    if lanes == "tasks":
        lines = [(waits, Line2D([], [], color=_RED, linestyle=(0, (3, 2)), label="waits for a resource"))]
        for name, meaning, marker, _, colour in _MARKS:
            sign = Line2D([], [], color=colour, marker=marker, linestyle="", markersize=4, label=meaning)
            lines.append((drawn[name], sign))
    else:
        known += [(drawn["overheads"], Patch(facecolor=_GREY, label="overhead"))]
        lines = [(drawn["misses"], Line2D([], [], color=_RED, linestyle=":", label="missed deadline"))]
    returned = Line2D([], [], color=_INK, marker="+", linestyle="", markersize=4, label="replenishment")
    lines.append((drawn["replenishments"], returned))
    signs = [handle for there, handle in [*known, *lines] if there]
    if signs:
        place = {"loc": "upper right", "bbox_to_anchor": (1, -0.02), "borderaxespad": 2.2}
        ax.legend(handles=signs, ncols=len(signs), frameon=False, fontsize="x-small", handlelength=1.4, **place)
