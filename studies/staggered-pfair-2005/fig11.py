"""Figure 11 of staggered-pfair-2005: cycles lost to bus contention if each task writes its whole cache in sequence.

The text says neither how long a line takes the bus nor what is between two writes. So the claims are judged at the
default, and over a range of both, which is a figure of its own: `2005-fig11-range`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from schedlab.plots import BLUE, COLUMN, CURVES, GREY, ORANGE, PAGE, footnote, paper_style, save_figure
from schedlab.studies import Claim, Point, Results, Settings, Study, Unit, judge
from schedlab.studies.mutants import Mutant, Row, by_row, scaled

from ._bus import (
    BETWEEN,
    GAP,
    LINE,
    LINE_CYCLES,
    LINES,
    MODELS,
    QUANTUM,
    SLOTS,
    SOURCE,
    conditions,
    line_of,
    lost_per_task,
    see,
)

PROCESSORS = list(range(1, 17))
RANGE = [8, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 36, 40, 48, 64]
GAPS = [0, 4, 16, 64, 256]
#: Curves converge if staggering leaves at least so much of the loss at 16 processors.
CONVERGED = 0.9
#: Contention is dramatically lower if staggering leaves less than so much of the loss at 8: figure 2.
DRAMATIC = 0.25


def points(settings: Settings) -> list[Point]:
    """The range of what the text leaves open; with other values than the default, the point of the figure alone."""
    if settings.changed:
        return [Point({"line_cycles": settings[LINE], "gap": settings[BETWEEN]})]
    return [Point({"line_cycles": cycles, "gap": gap}) for gap in GAPS for cycles in RANGE]


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """A row for each number of processors and model."""
    cycles, gap = int(unit.parameters["line_cycles"]), int(unit.parameters["gap"])
    rows = []
    for model in MODELS:
        for processors in PROCESSORS:
            seen = see(model, processors, gap=gap, **line_of(cycles))
            loaded = sum(seen["requests"]) / (processors * SLOTS * LINES)
            busy = sum(seen["served_cycles"]) / (SLOTS * QUANTUM)
            rows.append((0, model, processors, lost_per_task(seen), loaded, busy))
    names = ("set", "model", "processors", "lost", "loaded", "busy")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


#: Lost cycles by number of processors.
Losses = dict[int, float]


def losses(results: Results, model: str, line_cycles: int = LINE_CYCLES, gap: int = GAP) -> Losses:
    """At a point."""
    rows = results.where(model=model, line_cycles=line_cycles, gap=gap).table.to_pylist()
    return {row["processors"]: row["lost"] for row in rows}


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure, and the range in which its claims are true, which no setting changes."""
    with paper_style():
        drawn = _draw(results, directory)
        return drawn if results.settings.changed else [*drawn, *_draw_range(results, directory)]


def _draw(results: Results, directory: Path) -> Sequence[Path]:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(COLUMN, 2.8))
    line_cycles, gap = results.settings[LINE], results.settings[BETWEEN]
    for style, (model, label) in zip(CURVES, MODELS.items(), strict=False):
        found = losses(results, model, line_cycles, gap)
        axes.plot(list(found), [lost / 1e6 for lost in found.values()], label=label, **style)
    full = QUANTUM / LINES / line_cycles
    axes.axvline(full, color=GREY, linewidth=0.6, linestyle=":")
    if full <= PROCESSORS[-1]:
        axes.annotate("the bus\nis full", (full, 0), xytext=(3, 4), textcoords="offset points", fontsize=7)
    axes.set_xlabel("processors M")
    axes.set_ylabel("million cycles lost per task")
    axes.set_xlim(1, 16)
    axes.set_ylim(0, SLOTS * QUANTUM / 1e6)
    axes.set_xticks([1, 4, 8, 12, 16])
    axes.legend(loc="upper left")
    footnote(figure, conditions(results.where(line_cycles=line_cycles, gap=gap)))
    return save_figure(figure, directory / "2005-fig11")


def _draw_range(results: Results, directory: Path) -> Sequence[Path]:
    import matplotlib.pyplot as plt

    figure, insets = plt.subplots(1, 2, figsize=(PAGE, 2.8))
    for style, gap in zip(CURVES, GAPS, strict=False):
        ratios = [_ratio(results, cycles, gap)[16] for cycles in RANGE]
        insets[0].plot(RANGE, ratios, label=f"{gap} cycles between writes", **{**style, "markersize": 2.6})
    insets[0].axhline(CONVERGED, color=GREY, linewidth=0.6, linestyle=":")
    insets[0].axvline(QUANTUM / LINES / 16, color=GREY, linewidth=0.6, linestyle=":")
    insets[0].set_title("what staggering leaves of the loss, M = 16")
    insets[0].set_ylabel("staggered : aligned")
    insets[0].set_ylim(-0.02, 1.05)
    insets[0].legend(loc="lower right")
    kinds = {
        "both figures' claims hold": (True, True, "o", BLUE),
        "only figure 2's: dramatically lower at M = 8": (True, False, "o", "white"),
        "only figure 11's: converge at M = 16": (False, True, "x", "white"),
    }
    for label, (lower, converged, marker, fill) in kinds.items():
        places = [
            (cycles, place)
            for place, gap in enumerate(GAPS)
            for cycles in RANGE
            if _true(results, cycles, gap) == (lower, converged)
        ]
        xs, ys = [cycles for cycles, _ in places], [place for _, place in places]
        insets[1].plot(xs, ys, marker, color=BLUE, markerfacecolor=fill, markersize=4.5, label=label)
    insets[1].set_yticks(range(len(GAPS)), list(map(str, GAPS)))
    insets[1].set_ylabel("cycles between writes")
    insets[1].set_ylim(-0.5, len(GAPS) + 1.7)
    insets[1].set_title("where the claims hold")
    insets[1].legend(loc="upper right")
    for axes in insets:
        axes.axvspan(LINE_CYCLES - 0.5, LINE_CYCLES + 0.5, color=ORANGE, alpha=0.4, linewidth=0)
        axes.set_xlabel("cycles of the bus for a line")
    footnote(
        figure,
        conditions(results, ranged=True),
        f"Dramatically lower: staggered loses less than {DRAMATIC:.0%} of aligned; converge: {CONVERGED:.0%} or more. "
        f"Dotted lines: {CONVERGED:.0%}, and the bus that 16 processors just fill. Yellow: the default.",
    )
    return save_figure(figure, directory / "2005-fig11-range")


def _ratio(results: Results, line_cycles: int, gap: int) -> Losses:
    """Staggered to aligned, where aligned loses anything; 0 where both lose nothing."""
    aligned, staggered = (losses(results, model, line_cycles, gap) for model in MODELS)
    return {m: staggered[m] / aligned[m] if aligned[m] else 0.0 for m in PROCESSORS if m > 1}


def _true(results: Results, line_cycles: int, gap: int) -> tuple[bool, bool]:
    """Whether contention is dramatically lower at 8 processors, and whether the curves converge at 16."""
    ratios = _ratio(results, line_cycles, gap)
    loses = losses(results, "aligned", line_cycles, gap)[8] > 0
    return loses and ratios[8] < DRAMATIC, ratios[16] >= CONVERGED


def _lost(words: str, factor: float, model: str) -> Mutant:
    return scaled(words, factor, "lost", where=lambda row: row["model"] == model)


def _half_is_lost(row: Row) -> Row:
    return {"lost": type(row["lost"])(QUANTUM * SLOTS // 2)} if row["model"] == "staggered" else {}


def claims(results: Results) -> list[Claim]:
    """Section V-A."""
    aligned, staggered = (losses(results, model) for model in MODELS)
    ratios = _ratio(results, LINE_CYCLES, GAP)
    most = QUANTUM * SLOTS
    both = {gap: [cycles for cycles in RANGE if all(_true(results, cycles, gap))] for gap in GAPS}
    told = "; ".join(
        f"{gap} cycles between writes: {', '.join(map(str, found)) or 'none'}" for gap, found in both.items()
    )
    rows = results.where(line_cycles=LINE_CYCLES, gap=GAP, processors=16).table.to_pylist()
    return [
        judge(
            f"both curves converge as the processor count increases (staggered : aligned is {CONVERGED} or more at 16)",
            ratios[16] >= CONVERGED and ratios[16] == max(ratios.values()),
            ", ".join(f"{ratios[m]:.2f} at M = {m}" for m in (4, 8, 10, 11, 12, 14, 16)),
            _lost("staggered quanta that lose nothing", 0, "staggered"),
        ),
        judge(
            "that indicates an overload of the bus: at 16 processors it is always busy, and working sets are not "
            "loaded",
            all(row["busy"] > 0.999 and row["loaded"] < 1 for row in rows),
            "; ".join(
                f"{row['model']}: busy {row['busy']:.1%}, {row['loaded']:.1%} of the lines loaded" for row in rows
            ),
            by_row("a bus that is idle for half of the time", lambda row: {"busy": row["busy"] / 2}),
        ),
        judge(
            f"below it, staggering reduces the loss dramatically (to less than {DRAMATIC} of it at 8)",
            ratios[8] < DRAMATIC,
            f"at M = 8 aligned loses {aligned[8] / most:.1%} of a task's time, staggered {staggered[8] / most:.1%}",
            by_row("staggered quanta that lose half of the time", _half_is_lost),
        ),
        judge(
            "the first and the last hold together over a range of what the text leaves open",
            any(both.values()),
            f"cycles of the bus for a line, of {RANGE[0]} to {RANGE[-1]}; {told}",
            by_row("staggered quanta that lose half of the time", _half_is_lost),
        ),
    ]


study = Study(
    name="2005-fig11",
    title="staggered-pfair-2005, figure 11: cycles lost to the bus, whole caches written in sequence",
    source=SOURCE,
    points=points(Settings()), settable=(LINE, BETWEEN), regrid=points,
    evaluate=evaluate, plot=plot, claims=claims, sets=1, full_sets=1, fixed_sets=True,
)  # fmt: skip
