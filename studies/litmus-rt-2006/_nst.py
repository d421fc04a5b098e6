"""The grid that figures 9 and 10 of litmus-rt-2006 share: how many random task sets are schedulable on 4 processors.

Section 4.2: periods uniform in [10, 100] ms; utilizations uniform in [0.1, 0.5] (insets a, d) or in [0.5, 0.9]
(b, e), or in the first range with probability 0.2 and in the second with 0.8 (c, f); tasks are added until the
total utilization (2.0 to 3.9) is reached, the last one reduced to reach it exactly. The text does not say in which
steps the total was varied (here 0.1) nor how many sets there were at each total ("each experiment consisted of 100
different task sets" is said of the others; here 100, and 1,000 with --full).

Insets differ in working-set size, 128K in (a) to (c) and 4K in (d) to (f), hence in cache-related overheads. The
measured overheads stood in figure 4, whose numbers the text lacks: they are unknown, no overhead is charged here,
(a) to (c) coincide with (d) to (f), and what the paper says of overheads is not evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from schedlab.plots import Curve, draw_curves, paper_style, save_figure
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Point, Results, Study, Unit, does_not_hold, grid, holds, not_evaluated
from schedlab.studies.batch import judge_sets

PROCESSORS = 4
TOTALS = [tenths / 10 for tenths in range(20, 40)]
PERIODS = "uniform 10ms 100ms"

#: By the name of an inset: how utilizations are drawn, and how the paper names them.
DISTRIBUTIONS = {
    "light": ("uniform 0.1 0.5", "(a), (d): utilizations in [0.1, 0.5]"),
    "heavy": ("uniform 0.5 0.9", "(b), (e): utilizations in [0.5, 0.9]"),
    "bimodal": ("bimodal 0.1 0.5 0.5 0.9 1:4", "(c), (f): bimodal, 0.2 and 0.8"),
}

#: The same look in both figures.
STYLES = {"P-EDF": 0, "G-EDF": 1, "NG-EDF": 2}

OVERHEADS_UNKNOWN = "overheads are unknown: figure 4's numbers are not in the text"
PFAIR = "PD2 and S-PD2 are not part of this study"


def points() -> list[Point]:
    """The grid."""
    return grid(distribution=list(DISTRIBUTIONS), total=TOTALS)


def nst_study(name: str, title: str, questions: Mapping[str, str], **parts: Any) -> Study:
    """A study that asks ``questions``, by column, of every set."""

    def evaluate(unit: Unit) -> dict[str, list[Any]]:
        answers = judge_sets(
            utilizations=DISTRIBUTIONS[str(unit.parameters["distribution"])][0],
            periods=PERIODS,
            deadlines="implicit",
            stop=f"trim {unit.parameters['total']}",
            seed=unit.seed,
            sets=unit.sets,
            processors=PROCESSORS,
            questions=list(questions.values()),
        )
        return {"tasks": answers.tasks, **dict(zip(questions, answers.proved, strict=True))}

    return Study(
        name=name,
        title=title,
        source="Calandrino, Leontyev, Block, Devi, Anderson: LITMUS^RT, RTSS 2006",
        points=points(),
        evaluate=evaluate,
        sets_per_unit=50,
        # Both figures look at the same task sets.
        stream="2006-nst",
        parameters={"processors": PROCESSORS, "periods": PERIODS, "overheads": "none", "questions": dict(questions)},
        **parts,
    )


def plot_nst(results: Results, stem: Path, schedulers: Sequence[str], kind: str) -> list[Path]:
    """Three insets, one per distribution."""
    import matplotlib.pyplot as plt

    with paper_style():
        figure, insets = plt.subplots(1, len(DISTRIBUTIONS), figsize=(PAGE, 2.35), sharey=True)
        for axes, (distribution, (_, label)) in zip(insets, DISTRIBUTIONS.items(), strict=True):
            counted = results.where(distribution=distribution).counts("total", schedulers)
            curves = [
                Curve(name, [(total, *counts[name]) for total, counts in counted.items()], STYLES[name])
                for name in schedulers
            ]
            draw_curves(axes, curves)
            axes.set_title(label)
            axes.set_xlabel("total base utilization")
        insets[0].set_ylabel(f"schedulable sets (%), {kind}")
        insets[0].legend(loc="lower left")
        sets = results.provenance["sets"]
        figure.supxlabel(
            f"overheads unknown, none charged; {sets} sets per point, bands: 99% confidence (Wilson)",
            fontsize=7, color="#444444",
        )  # fmt: skip
        return save_figure(figure, stem)


class Shares:
    """How many sets of an inset a scheduler schedules, by total utilization."""

    def __init__(self, results: Results, columns: Sequence[str]) -> None:
        self.counts = {name: results.where(distribution=name).counts("total", columns) for name in DISTRIBUTIONS}

    def at(self, distribution: str, total: float, scheduler: str) -> tuple[int, int]:
        """(schedulable, all)."""
        return self.counts[distribution][total][scheduler]

    def percent(self, distribution: str, total: float, scheduler: str) -> float:
        """The same as a percentage."""
        successes, trials = self.at(distribution, total, scheduler)
        return 100 * successes / trials

    def never_more(self, text: str, low: tuple[str, str], high: tuple[str, str]) -> Claim:
        """Whether (inset, scheduler) ``low`` schedules at no total more sets than ``high``."""
        more = [
            total for total in TOTALS if self.percent(low[0], total, low[1]) > self.percent(high[0], total, high[1])
        ]
        if more:
            worst = max(more, key=lambda at: self.percent(low[0], at, low[1]) - self.percent(high[0], at, high[1]))
            return does_not_hold(text, f"at {len(more)} of {len(TOTALS)} totals; {self._both(worst, low, high)}")
        gap = max(TOTALS, key=lambda at: self.percent(high[0], at, high[1]) - self.percent(low[0], at, low[1]))
        return holds(text, f"at all {len(TOTALS)} totals; the largest difference: {self._both(gap, low, high)}")

    def _both(self, total: float, low: tuple[str, str], high: tuple[str, str]) -> str:
        return (
            f"at {total}, {low[1]} in {low[0]} {self.percent(low[0], total, low[1]):.1f}%, "
            f"{high[1]} in {high[0]} {self.percent(high[0], total, high[1]):.1f}%; no overheads charged"
        )


def pfair_claim(text: str) -> Claim:
    """A claim that compares with Pfair."""
    return not_evaluated(text, PFAIR)


def overhead_claim(text: str) -> Claim:
    """A claim that turns on overheads."""
    return not_evaluated(text, OVERHEADS_UNKNOWN)
