"""Figure 4 of staggered-pfair-2005: the windows of a task of weight 3/10 in the four task models.

(a) Pfair; (b) early release: each group of three subtasks becomes eligible at once; (c) the same, but the second
subtask is released six slots late (IS), and with it those that follow; (d) the third one is absent besides (GIS).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from schedlab.plots import paper_style, save_figure
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Results, Unit, judge
from schedlab.studies.mutants import Mutant, Row, by_row

from ._drawn import columns, drawn_study

WEIGHT = "3/10"
#: By model: early release, delays, absent subtasks, how many subtasks are shown, title.
MODELS: dict[str, tuple[bool, list[tuple[int, int]], list[int], int, str]] = {
    "Pfair": (False, [], [], 6, "(a) Pfair"),
    "ER": (True, [], [], 6, "(b) early release (ER)"),
    "IS": (True, [(2, 6)], [], 4, "(c) intra-sporadic (IS)"),
    "GIS": (True, [(2, 6)], [3], 4, "(d) generalized (GIS)"),
}
NAMES = ("subtask", "eligible", "release", "deadline", "b_bit", "group_deadline")


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """One row per subtask, in slots."""
    from schedlab import _native

    early, delays, absent, count, _ = MODELS[str(unit.parameters["model"])]
    rows, _, _ = _native.windows(WEIGHT, early, delays, absent, count)
    return columns(rows, NAMES)


def windows(results: Results, model: str) -> dict[int, tuple[int, int, int]]:
    """By subtask: where it becomes eligible, its release and its deadline."""
    rows = results.where(model=model).table.to_pylist()
    return {row["subtask"]: (row["eligible"], row["release"], row["deadline"]) for row in rows}


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """All four insets: a window is solid, what early release adds before it dashed."""
    import matplotlib.pyplot as plt

    with paper_style():
        figure, insets = plt.subplots(2, 2, figsize=(PAGE, 3.4), sharex=True, sharey=True)
        for axes, (model, (*_, title)) in zip(insets.flat, MODELS.items(), strict=True):
            for subtask, (eligible, release, deadline) in windows(results, model).items():
                axes.plot([eligible, release], [subtask] * 2, color="black", linewidth=1.0, linestyle=":")
                axes.plot([release, deadline], [subtask] * 2, color="black", linewidth=1.4, marker="|", markersize=6)
                axes.text(deadline + 0.3, subtask, f"$T_{subtask}$", va="center", fontsize=7)
            axes.set_title(title)
            axes.set_xticks(range(0, 21, 2))
            axes.set_xlim(-0.5, 21.5)
            axes.set_ylim(0.4, 6.6)
            axes.set_yticks([])
        for axes in insets[1]:
            axes.set_xlabel("slot boundary; dotted: eligible before the window")
        return save_figure(figure, directory / "2005-fig4")


def _moved(words: str, column: str) -> Mutant:
    """The mutant in which each subtask has one of its instants later, by as many slots as its number."""
    return by_row(words, lambda row: {column: row[column] + row["subtask"]})


def _in_time(row: Row) -> Row:
    return {"release": row["release"] - 6} if row["model"] == "IS" else {}


def claims(results: Results) -> list[Claim]:
    """Section II and the caption."""
    pfair, early, late, absent = (windows(results, model) for model in MODELS)
    groups = [early[subtask][0] for subtask in sorted(early)]
    shifted = {subtask: late[subtask][1] - early[subtask][1] for subtask in late}
    return [
        judge(
            "the window of the second subtask spans slots 3 to 6: released at 3, deadline at 7",
            pfair[2][1:] == (3, 7),
            f"released at {pfair[2][1]}, deadline at {pfair[2][2]}",
            _moved("windows that end a slot later", "deadline"),
        ),
        judge(
            "(b) each grouping of three subtasks becomes eligible simultaneously",
            groups == [0, 0, 0, 10, 10, 10]
            and [row[1:] for row in early.values()] == [row[1:] for row in pfair.values()],
            f"eligible at {', '.join(map(str, groups))}; the windows are those of (a)",
            _moved("subtasks that become eligible with their windows", "eligible"),
        ),
        judge(
            "(c) the second subtask's release is preceded by an intra-sporadic delay of six slots",
            shifted == {1: 0, 2: 6, 3: 6, 4: 6},
            f"later by {', '.join(map(str, shifted.values()))} slots",
            by_row("a second subtask that is not late", _in_time),
        ),
        judge(
            "(d) windows appear as in (c) except that the third one is absent",
            absent == {subtask: row for subtask, row in late.items() if subtask != 3},
            f"subtasks {', '.join(map(str, absent))} are there",
            by_row("a fourth subtask that is absent", lambda row: {"subtask": min(row["subtask"], 3)}),
        ),
    ]


study = drawn_study(
    "2005-fig4", "staggered-pfair-2005, figure 4: windows under Pfair, ER, IS and GIS",
    {"model": list(MODELS)}, evaluate, plot, claims,
)  # fmt: skip
