"""Figure 1 of staggered-pfair-2005: what is characteristic of Pfair scheduling, drawn by the simulator.

(a) Four tasks on four processors, two of which yield before the next scheduling point; below, in no figure of the
paper, the same with staggered quanta (its figure 3 shows such a schedule). (b) A Pfair schedule, the fluid schedule
that it tracks and one with as few context switches as possible, which is P-EDF's. The paper does not say which tasks
it draws: these are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from schedlab.plots import draw_fluid, paper_style, save_figure
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Results, Unit, judge
from schedlab.studies.mutants import by_row, renamed

from ._drawn import MODELS, columns, draw, drawn_study, rows_of, simulate

YIELDING = """
schedlab = 1
horizon = "3 ms"
scheduler = "PD2"
platform = { processors = 4, quantum = "1 ms" }
task = [
  { name = "A", wcet = "2 ms", period = "2 ms" },
  { name = "B", wcet = "1.4 ms", period = "2 ms" },
  { name = "C", wcet = "2 ms", period = "2 ms" },
  { name = "D", wcet = "1.7 ms", period = "2 ms" },
]
"""
TRACKING = """
schedlab = 1
horizon = "12 ms"
scheduler = "PD2"
platform = { processors = 1, quantum = "1 ms" }
task = [
  { name = "A", wcet = "6 ms", period = "12 ms" },
  { name = "B", wcet = "4 ms", period = "12 ms" },
  { name = "C", wcet = "2 ms", period = "12 ms" },
]
"""
SCENARIOS = {"yielding": YIELDING, "tracking": TRACKING}
WEIGHTS = (6 / 12, 4 / 12, 2 / 12)
NAMES = "ABCD"
END = 12


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """The schedule; P-EDF takes the place of the staggered one where context switches are to be few."""
    inset, scheduler = str(unit.parameters["inset"]), str(unit.parameters["scheduler"])
    if inset == "tracking" and scheduler == "S-PD2":
        scheduler = "P-EDF"
    return columns(simulate(SCENARIOS[inset], scheduler))


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """Both insets."""
    import matplotlib.pyplot as plt

    with paper_style():
        figure, insets = plt.subplots(3, 2, figsize=(PAGE, 4.6), width_ratios=(1, 1.6))
        for axes, (scheduler, model) in zip(insets[:2, 0], MODELS.items(), strict=True):
            draw(axes, results, NAMES, 4, 3.0, inset="yielding", scheduler=scheduler)
            axes.set_title(f"(a) {model}; crossed: charged, unused")
        insets[2, 0].axis("off")
        draw_fluid(insets[0, 1], NAMES, WEIGHTS, END)
        insets[0, 1].set_title("(b) fluid")
        for axes, scheduler, title in (
            (insets[1, 1], "PD2", "(b) Pfair (PD2)"),
            (insets[2, 1], "S-PD2", "(b) fewest context switches (P-EDF)"),
        ):
            draw(axes, results, NAMES, 1, END, inset="tracking", scheduler=scheduler, quanta=scheduler == "PD2")
            axes.set_title(title)
        for axes in insets[:, 1]:
            axes.set_xticks(range(0, END + 1, 2))
            axes.set_xlabel("")
        insets[2, 1].set_xlabel("time (quanta)")
        return save_figure(figure, directory / "2005-fig1")


def lags(results: Results) -> list[float]:
    """Of each task at each slot boundary under PD2: fluid service less received."""
    rows = rows_of(results, "segment", inset="tracking", scheduler="PD2")
    found = []
    for task, weight in enumerate(WEIGHTS):
        for now in range(END + 1):
            received = sum(max(0.0, min(r["end"], now) - r["start"]) for r in rows if r["task"] == task)
            found.append(weight * now - received)
    return found


def switches(results: Results, scheduler: str) -> int:
    """How often the processor goes from one task to another."""
    rows = sorted(rows_of(results, "segment", inset="tracking", scheduler=scheduler), key=lambda row: row["start"])
    return sum(first["task"] != second["task"] for first, second in pairwise(rows))


def claims(results: Results) -> list[Claim]:
    """Section I."""
    wasted = {
        scheduler: sum(
            row["end"] - row["start"] for row in rows_of(results, "waste", inset="yielding", scheduler=scheduler)
        )
        for scheduler in MODELS
    }
    found = lags(results)
    pfair, fewest = switches(results, "PD2"), switches(results, "S-PD2")
    starts = {row["start"] % 1 for row in rows_of(results, "segment", inset="yielding", scheduler="S-PD2")}
    return [
        judge(
            "a task that yields early is charged for the unused processor time, and the processor is idled",
            all(abs(waste - 0.9) < 1e-9 for waste in wasted.values()),
            f"B leaves 0.6 and D 0.3 of a quantum; wasted: {wasted['PD2']:g} aligned, {wasted['S-PD2']:g} staggered",
            by_row(
                "a scheduler that gives the rest of a quantum to others",
                lambda row: {"end": row["start"]} if row["what"] == "waste" else {},
            ),
        ),
        judge(
            "the Pfair schedule tracks the fluid one: every lag is above -1 and below 1",
            max(map(abs, found)) < 1,
            f"from {min(found):.2f} to {max(found):.2f} quanta",
            renamed("a PD2 that runs tasks one after the other, as P-EDF does", "scheduler", _EXCHANGED),
        ),
        judge(
            "at the cost of more frequent context switching", pfair > fewest, f"{pfair} switches against {fewest}",
            renamed("a PD2 that runs tasks one after the other, as P-EDF does", "scheduler", _EXCHANGED),
        ),
        judge(
            "under the staggered model, scheduling points are uniformly distributed",
            starts == {0.0, 0.25, 0.5, 0.75},
            f"quanta begin {', '.join(f'{start:g}' for start in sorted(starts))} after the slot",
            renamed("an S-PD2 with aligned quanta, as under PD2", "scheduler", _EXCHANGED),
        ),
    ]  # fmt: skip


#: The second scheduler stands for P-EDF where context switches are to be few.
_EXCHANGED = {"PD2": "S-PD2", "S-PD2": "PD2"}


study = drawn_study(
    "2005-fig1", "staggered-pfair-2005, figure 1: yielding, and the fluid schedule",
    {"inset": list(SCENARIOS), "scheduler": list(MODELS)}, evaluate, plot, claims,
)  # fmt: skip
