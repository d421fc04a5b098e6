"""Figure 8 of staggered-pfair-2005: a suspension in slot 0 comes too late for the decisions about slot 1.

T suspends itself 0.7 of a quantum after it began. With aligned quanta that is before time 1, and T is not considered
for slot 1. With staggered quanta T runs on the second processor, so it suspends itself after time 1, when it is
scheduled in slot 1 already: that quantum is wasted. Tasks and weights are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from schedlab.plots import paper_style, save_figure
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Results, Unit, judge

from ._drawn import MODELS, aligned_too, columns, draw_models, drawn_study, rows_of, simulate

SCENARIO = """
schedlab = 1
horizon = "4 ms"
scheduler = "PD2"
platform = { processors = 2, quantum = "1 ms" }

[[task]]
name = "T"
period = "4 ms"
program = ["execute 700 us", "suspend 1 ms", "execute 2300 us"]
wcet_may_exceed_deadline = true

[[task]]
name = "U"
wcet = "2 ms"
period = "4 ms"

[[task]]
name = "V"
wcet = "2 ms"
period = "4 ms"
"""
NAMES = "TUV"
PROCESSORS, END = 2, 4


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """The schedule."""
    return columns(simulate(SCENARIO, str(unit.parameters["scheduler"])))


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """Both insets."""
    with paper_style():
        figure, models = draw_models(results, NAMES, PROCESSORS, END, (PAGE, 1.7))
        for axes, scheduler in models:
            cpu, at = suspension(results, scheduler)
            axes.annotate(
                "T suspends", xy=(at, PROCESSORS - 1 - cpu + 0.6), xytext=(at + 0.1, PROCESSORS - 1 - cpu + 0.8),
                fontsize=6.5,
                arrowprops={"arrowstyle": "-|>", "linewidth": 0.7, "shrinkA": 0, "shrinkB": 0}, zorder=5,
            )  # fmt: skip
            axes.set_ylim(-0.25, PROCESSORS + 0.1)
        return save_figure(figure, directory / "2005-fig8")


def suspension(results: Results, scheduler: str) -> tuple[int, float]:
    """Where T suspends itself, and when."""
    [row] = rows_of(results, "waits for itself", scheduler=scheduler)
    [segment] = [s for s in rows_of(results, "segment", scheduler=scheduler, task=0) if s["end"] == row["start"]]
    return segment["cpu"], row["start"]


def whole_quanta(results: Results, scheduler: str) -> list[tuple[int, float]]:
    """Processor and begin of every quantum that is wasted as a whole."""
    return [
        (row["cpu"], row["start"])
        for row in rows_of(results, "waste", scheduler=scheduler)
        if row["end"] - row["start"] == 1
    ]


def claims(results: Results) -> list[Claim]:
    """Section IV-A and the caption."""
    at = {scheduler: suspension(results, scheduler) for scheduler in MODELS}
    wasted = {scheduler: whole_quanta(results, scheduler) for scheduler in MODELS}
    told = {scheduler: f"{model}: T suspends at {at[scheduler][1]:g}" for scheduler, model in MODELS.items()}
    return [
        judge(
            "an event in slot 0 is no longer guaranteed to occur before time 1 under the staggered model",
            at["PD2"][1] < 1 < at["S-PD2"][1],
            ", ".join(told.values()),
            aligned_too("an S-PD2 with aligned quanta"),
        ),
        judge(
            "so a suspending task may cause a quantum to be wasted, which aligned quanta do not",
            not wasted["PD2"] and wasted["S-PD2"] == [(1, 1.5)],
            f"whole quanta wasted: aligned {len(wasted['PD2'])}, staggered {len(wasted['S-PD2'])}",
            aligned_too("an S-PD2 with aligned quanta"),
        ),
    ]


study = drawn_study(
    "2005-fig8", "staggered-pfair-2005, figure 8: a quantum wasted by a suspension",
    {"scheduler": list(MODELS)}, evaluate, plot, claims,
)  # fmt: skip
