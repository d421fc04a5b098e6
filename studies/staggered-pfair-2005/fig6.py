"""In the form of figure 6 of staggered-pfair-2005: four tasks on two staggered processors; one among the heaps.

The weights of the paper's figure stand in no text, so this is an example of our own (`examples/staggered-events.toml`).
Left: the schedule by processor and by task. Right: after each invocation of `Schedule`, the heap that holds T3.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from schedlab.plots import Segment, draw_schedule, draw_windows, paper_style, save_figure
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Results, Unit, judge
from schedlab.studies.mutants import Row, by_row

from ._drawn import QUANTUM, columns, draw, drawn_study, rows_of, simulate

WEIGHTS = ("1/5", "3/5", "3/5", "3/5")
NAMES = ("T1", "T2", "T3", "T4")
PROCESSORS, SLOTS, WATCHED = 2, 6, 2
SCENARIO = """
schedlab = 1
horizon = "10 ms"
scheduler = "S-PD2"
platform = { processors = 2, quantum = "1 ms" }
task = [
  { name = "T1", wcet = "1 ms", period = "5 ms" },
  { name = "T2", wcet = "3 ms", period = "5 ms" },
  { name = "T3", wcet = "3 ms", period = "5 ms" },
  { name = "T4", wcet = "3 ms", period = "5 ms" },
]
"""


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """The schedule, and one row for each invocation: slot and processor, who is granted it, where T3 is then."""
    from schedlab import _native

    rows: list[tuple[Any, ...]] = [(*row, None) for row in simulate(SCENARIO, str(unit.parameters["scheduler"]))]
    before, invocations = _native.staggered_events(WEIGHTS, PROCESSORS, WATCHED, SLOTS)
    rows.append(("event", None, None, None, 0, 0, before))
    for slot, processor, granted, place in invocations:
        at = slot * QUANTUM + processor * QUANTUM // PROCESSORS
        rows.append(("event", processor, granted, None, at, at, place))
    return columns(rows, ("what", "cpu", "task", "job", "start", "end", "place"))


def events(results: Results) -> list[tuple[str, str, str]]:
    """What changes for T3: a label, the invocation (slot and processor), and what happens."""
    before, *rows = rows_of(results, "event")
    found: list[tuple[str, str, str]] = []
    place = before["place"]
    for row in rows:
        runs = row["task"] == WATCHED
        if runs or row["place"] != place:
            happens = f"runs; then {row['place']}" if runs else row["place"]
            found.append(("abcdefghijklmnop"[len(found)], f"slot {int(row['start'])}, P{row['cpu'] + 1}", happens))
        place = row["place"]
    return found


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """Both views and the table."""
    import matplotlib.pyplot as plt

    with paper_style():
        figure = plt.figure(figsize=(PAGE, 3.6))
        grid = figure.add_gridspec(2, 2, width_ratios=(1.7, 1), height_ratios=(1, 1.9))
        processors, tasks, table = (figure.add_subplot(where) for where in (grid[0, 0], grid[1, 0], grid[:, 1]))
        draw(processors, results, NAMES, PROCESSORS, SLOTS, scheduler="S-PD2")
        processors.set_xlabel("")
        processors.set_title("by processor; letters: see the table")
        times = _times(results)
        for label, _, _ in events(results):
            at, cpu = times[label]
            processors.text(at + 0.03, PROCESSORS - 1 - cpu + 0.66, label, fontsize=7, fontweight="bold")
        segments = [
            Segment(row["task"], row["job"], row["cpu"], row["start"], min(row["end"], SLOTS))
            for row in rows_of(results, "segment")
            if row["start"] < SLOTS
        ]
        draw_schedule(tasks, NAMES, segments, {}, {}, {}, SLOTS)
        windows = [[(row["start"], row["end"]) for row in rows_of(results, "window", task=task)] for task in range(4)]
        draw_windows(tasks, windows, SLOTS)
        tasks.set_title("by task, with the windows of subtasks")
        tasks.set_xlabel("time (quanta)")
        _draw_table(table, events(results))
        return save_figure(figure, directory / "2005-fig6")


def _times(results: Results) -> dict[str, tuple[float, int]]:
    rows = {
        f"slot {int(r['start'])}, P{(r['cpu'] or 0) + 1}": (r["start"], r["cpu"] or 0)
        for r in rows_of(results, "event")[1:]
    }
    return {label: rows[where] for label, where, _ in events(results)}


def _draw_table(axes: Any, found: Sequence[tuple[str, str, str]]) -> None:
    axes.axis("off")
    axes.set_title("T3, after an invocation")
    table = axes.table(
        [list(row) for row in found],
        colLabels=["", "invocation", "T3"],
        loc="upper center",
        cellLoc="left",
        colWidths=[0.1, 0.36, 0.6],
    )
    table.auto_set_font_size(False)
    table.set_fontsize(6.5)
    for cell in table.get_celld().values():
        cell.set_linewidth(0.4)


def _granted_to_the_next(row: Row) -> Row:
    return {"task": row["task"] + 1} if row["what"] == "event" and row["task"] is not None else {}


def _twice_as_long(row: Row) -> Row:
    return {"end": 2 * row["end"] - row["start"]} if row["what"] == "segment" else {}


def claims(results: Results) -> list[Claim]:
    """Sections II and III of the algorithm, by this example."""
    granted = [
        (row["start"], row["cpu"], row["task"]) for row in rows_of(results, "event")[1:] if row["task"] is not None
    ]
    quanta = [
        (row["start"] + done, row["cpu"], row["task"])
        for row in rows_of(results, "segment")
        for done in range(round(row["end"] - row["start"]))
        if row["start"] + done < SLOTS
    ]
    places = {row["place"] for row in rows_of(results, "event")}
    segments = sorted((row["task"], row["start"], row["end"], row["cpu"]) for row in rows_of(results, "segment"))
    pairs = [(a, b) for a, b in pairwise(segments) if a[0] == b[0]]
    apart = all(a[2] <= b[1] for a, b in pairs)
    stays = all(a[3] == b[3] for a, b in pairs if b[1] - a[2] < (PROCESSORS - 1) / PROCESSORS)
    return [
        judge(
            "the simulator grants each quantum to the task that Schedule returns",
            sorted(granted) == sorted(quanta),
            f"{len(granted)} quanta of {SLOTS} slots",
            by_row("a simulator that grants quanta to the next task", _granted_to_the_next),
        ),
        judge(
            "the example shows T3 in all heaps",
            len(places) == 6,
            ", ".join(sorted(places)),
            by_row("a T3 that stays in one heap", lambda row: {"place": row["place"] and "a heap"}),
        ),
        judge(
            "tasks scheduled back to back do not execute within overlapping quanta, and stay on their processor",
            apart and stays,
            f"{len(segments)} pieces of execution",
            by_row("quanta of twice the length", _twice_as_long),
        ),
    ]


study = drawn_study(
    "2005-fig6", "staggered-pfair-2005, the form of figure 6: one task's way through the heaps (own example)",
    {"scheduler": ["S-PD2"]}, evaluate, plot, claims,
)  # fmt: skip
