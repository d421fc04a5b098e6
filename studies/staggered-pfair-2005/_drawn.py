"""What the drawings of staggered-pfair-2005 share: schedules of the simulator as rows, and rows as drawings.

Quanta are 1 ms long; figures count in quanta. Tasks and processors are numbered from 0 in rows, from 1 in figures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from schedlab.plots import Segment, draw_processors
from schedlab.studies import Claim, Results, Study, Unit, grid
from schedlab.studies.mutants import Mutant, renamed

QUANTUM = 1_000_000
SOURCE = "Holman, Anderson: Adapting Pfair scheduling for symmetric multiprocessors, JEC 1(4), 2005"
COLUMNS = ("what", "cpu", "task", "job", "start", "end")
Row = tuple[str, int | None, int | None, int | None, int, int]

MODELS = {"PD2": "aligned", "S-PD2": "staggered"}


def simulate(text: str, scheduler: str) -> list[Row]:
    """The scenario under a scheduler: what occupied which processor, wasted quanta, windows, waits for resources."""
    import schedlab

    drawing = schedlab.simulate(schedlab.Scenario.parse(text), scheduler=scheduler).drawing()
    rows: list[Row] = [("segment", cpu, task, job, start, end) for cpu, task, job, start, end in drawing["segments"]]
    rows += [("waste", cpu, None, None, start, end) for cpu, start, end in drawing["wastes"]]
    rows += [("window", None, task, job, start, end) for task, job, start, end in drawing["subtasks"]]
    for task, job, reason, start, end in drawing["waits"]:
        if reason in ("resource", "itself"):
            rows.append((f"waits for {reason}", None, task, job, start, end))
    return rows


def aligned_too(words: str) -> Mutant:
    """The mutant in which either model's scheduler schedules as the other one does."""
    return renamed(words, "scheduler", {"PD2": "S-PD2", "S-PD2": "PD2"})


def columns(rows: Sequence[Sequence[Any]], names: Sequence[str] = COLUMNS) -> dict[str, list[Any]]:
    """Rows as the columns of one set."""
    return {"set": [0] * len(rows), **dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))}


def rows_of(results: Results, what: str, **where: Any) -> list[dict[str, Any]]:
    """The stored rows of one kind at a point, times in quanta."""
    found = results.where(what=what, **where).table.to_pylist()
    return [{**row, "start": row["start"] / QUANTUM, "end": row["end"] / QUANTUM} for row in found]


def boundaries(processors: int, staggered: bool, end: float) -> list[list[float]]:
    """The quantum boundaries of each processor."""
    offsets = [cpu * QUANTUM // processors / QUANTUM if staggered else 0.0 for cpu in range(processors)]
    return [[slot + offset for slot in range(int(end) + 1)] for offset in offsets]


def draw(
    axes: Any, results: Results, names: Sequence[str], processors: int, end: float, quanta: bool = True, **where: Any
) -> None:
    """The schedule stored at a point, a row per processor; ``quanta``: with their boundaries."""
    segments = [
        Segment(row["task"], row["job"], row["cpu"], row["start"], row["end"])
        for row in rows_of(results, "segment", **where)
        if row["start"] < end
    ]
    wastes = [
        (row["cpu"], row["start"], row["end"]) for row in rows_of(results, "waste", **where) if row["start"] < end
    ]
    staggered = where.get("scheduler") == "S-PD2"
    bounds = boundaries(processors, staggered, end) if quanta else [[]] * processors
    draw_processors(axes, names, segments, wastes, bounds, end)
    axes.set_xlabel("time (quanta)")


def draw_models(
    results: Results, names: Sequence[str], processors: int, end: float, size: tuple[float, float]
) -> tuple[Any, Iterator[tuple[Any, str]]]:
    """A figure with the schedule of each model, and the axes of each with the scheduler's name, to be added to."""
    import matplotlib.pyplot as plt

    figure, insets = plt.subplots(1, len(MODELS), figsize=size)

    def drawn() -> Iterator[tuple[Any, str]]:
        for axes, letter, (scheduler, model) in zip(insets, "ab", MODELS.items(), strict=True):
            draw(axes, results, names, processors, end, scheduler=scheduler)
            axes.set_title(f"({letter}) {model}; crossed: wasted")
            yield axes, scheduler

    return figure, drawn()


def drawn_study(
    name: str,
    title: str,
    points: Mapping[str, Sequence[Any]],
    evaluate: Callable[[Unit], dict[str, list[Any]]],
    plot: Callable[[Results, Path], Sequence[Path]],
    claims: Callable[[Results], Sequence[Claim]] | None = None,
) -> Study:
    """A figure with a single schedule at each point."""
    return Study(
        name=name, title=title, source=SOURCE, points=grid(**points), evaluate=evaluate, plot=plot, claims=claims,
        sets=1, fixed_sets=True,
    )  # fmt: skip
