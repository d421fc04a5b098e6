"""A short schedule drawn as papers draw it: a row per task, arrivals up, deadlines down, processors by shade.

Or a row per processor, tasks by name. Jobs and processors are numbered from 1, as in papers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

#: A fill and a hatch per processor: told apart without colour.
_PROCESSORS = (("#9ecae1", ""), ("#fdd0a2", "////"), ("#c7e9c0", "...."), ("#dadaeb", "xxxx"))


@dataclass(frozen=True)
class Segment:
    """An interval in which a job runs on a processor, from ``start`` to ``end``, in any unit of time."""

    task: int
    job: int
    cpu: int
    start: float
    end: float


def draw_schedule(
    axes: Any,
    names: Sequence[str],
    segments: Sequence[Segment],
    deadlines: Mapping[tuple[int, int], float],
    arrivals: Mapping[tuple[int, int], float],
    completions: Mapping[tuple[int, int], float],
    end: float,
) -> None:
    """Draws jobs, each by (task, job); a completion after its deadline is marked and its lateness hatched red."""
    for segment in segments:
        _draw_segment(axes, len(names) - 1 - segment.task, segment, deadlines.get((segment.task, segment.job)), end)
    for (task, _), at in arrivals.items():
        _arrow(axes, at, len(names) - 1 - task, up=True)
    for (task, _), at in deadlines.items():
        if at <= end:
            _arrow(axes, at, len(names) - 1 - task, up=False)
    for key, at in completions.items():
        if at > deadlines.get(key, at):
            row = len(names) - 1 - key[0]
            axes.plot([at], [row + 0.63], marker="x", color="#B2182B", markersize=5, clip_on=False)
    axes.set_yticks([row + 0.25 for row in range(len(names))], list(reversed(names)))
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-0.25, len(names) - 0.1)
    axes.set_xlim(-0.02 * end, 1.02 * end)
    axes.grid(axis="y", visible=False)


#: A fill and a hatch per task, where rows are processors.
_TASKS = (*_PROCESSORS, ("#fcc5c0", ""), ("#d9d9d9", "////"), ("#fff7bc", "\\\\\\\\"), ("#c6dbef", "...."))


def draw_processors(
    axes: Any,
    names: Sequence[str],
    segments: Sequence[Segment],
    wastes: Sequence[tuple[int, float, float]],
    boundaries: Sequence[Sequence[float]],
    end: float,
) -> None:
    """Draws a row per processor: jobs by name, wasted time white and crossed, quantum boundaries as ticks.

    ``wastes`` are (processor, start, end); ``boundaries`` are by processor.
    """
    rows = len(boundaries)
    for segment in segments:
        row, length = rows - 1 - segment.cpu, min(segment.end, end) - segment.start
        _box(axes, (segment.start, length), (row, 0.6), _TASKS[segment.task % len(_TASKS)])
        if length >= 0.05 * end:
            _label(axes, segment.start + length / 2, row + 0.3, names[segment.task])
    for cpu, start, stop in wastes:
        axes.broken_barh(
            [(start, min(stop, end) - start)], (rows - 1 - cpu, 0.6), facecolor="white", edgecolor="#B2182B",
            linewidth=0.6, hatch="xxxx", zorder=2,
        )  # fmt: skip
    for cpu, instants in enumerate(boundaries):
        for instant in instants:
            if instant <= end:
                row = rows - 1 - cpu
                axes.plot([instant, instant], [row - 0.12, row + 0.72], color="black", linewidth=0.8, zorder=3)
    axes.set_yticks([row + 0.3 for row in range(rows)], [f"P{rows - row}" for row in range(rows)])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-0.25, rows - 0.1)
    axes.set_xlim(-0.02 * end, 1.02 * end)
    axes.grid(axis="y", visible=False)


def draw_fluid(axes: Any, names: Sequence[str], weights: Sequence[float], end: float) -> None:
    """Draws the fluid schedule of one processor: each task's share, filled as in `draw_processors`."""
    below = 0.0
    for task, weight in enumerate(weights):
        _box(axes, (0, end), (below, weight), _TASKS[task % len(_TASKS)])
        _label(axes, end / 2, below + weight / 2, f"{names[task]}: 1/{1 / weight:g} of the processor")
        below += weight
    axes.set_ylim(0, 1)
    axes.set_xlim(-0.02 * end, 1.02 * end)
    axes.set_yticks([0, 1])


def draw_windows(axes: Any, windows: Sequence[Sequence[tuple[float, float]]], end: float) -> None:
    """Draws the windows of each row's subtasks below it, in turn on two levels, for they overlap by a slot at most."""
    for task, of_task in enumerate(windows):
        row = len(windows) - 1 - task
        for number, (release, deadline) in enumerate(of_task):
            if release < end:
                at = row - 0.07 - 0.08 * (number % 2)
                axes.plot(
                    [release, min(deadline, end)], [at, at], color="black", linewidth=1.0, marker="|", markersize=3
                )


def _draw_segment(axes: Any, row: int, segment: Segment, deadline: float | None, end: float) -> None:
    fill = _PROCESSORS[segment.cpu % len(_PROCESSORS)]
    _box(axes, (segment.start, segment.end - segment.start), (row, 0.5), fill)
    label = f"{segment.job + 1} on P{segment.cpu + 1}" if segment.end - segment.start >= 0.1 * end else ""
    _label(axes, (segment.start + segment.end) / 2, row + 0.25, label, fontsize=6)
    if deadline is not None and segment.end > deadline:
        late = max(segment.start, deadline)
        axes.broken_barh(
            [(late, segment.end - late)], (row, 0.5), facecolor="none", edgecolor="#B2182B", linewidth=1.4, zorder=3
        )


def _box(axes: Any, span: tuple[float, float], lane: tuple[float, float], look: tuple[str, str]) -> None:
    """Draws a box: `span` is start and length, `lane` bottom and height, `look` a fill and a hatch."""
    fill, hatch = look
    axes.broken_barh([span], lane, facecolor=fill, edgecolor="black", linewidth=0.6, hatch=hatch, zorder=2)


def _label(axes: Any, x: float, y: float, text: str, fontsize: float = 6.5) -> None:
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    axes.text(x, y, text, ha="center", va="center", fontsize=fontsize, zorder=4, bbox=box)


def _arrow(axes: Any, at: float, row: int, *, up: bool) -> None:
    tail, head = (row, row + 0.78) if up else (row + 0.78, row)
    axes.annotate(
        "", xy=(at, head), xytext=(at, tail), annotation_clip=False, zorder=5,
        arrowprops={"arrowstyle": "-|>", "linewidth": 0.7, "color": "black", "shrinkA": 0, "shrinkB": 0},
    )  # fmt: skip
