"""Table I of chronos-scalability-2011: the load at which overload begins on 48 processors.

The definition stands in `_tardiness`. The paper's numbers have the overheads of its machine. Ours have none, or those
of decisions, which are fitted to G-EDF's row and one number of G-NP-EDF's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from schedlab.plots import CURVES, PAGE, footnote, paper_style, save_figure
from schedlab.studies import Claim, Results, judge

from ._scheduling import DECIDING, FREE, LARGE, Variant, charges_of, schedules_study, sets_with, variants
from ._shares import in_both, paper_name, with_decisions
from ._tardiness import Tardiness

#: By scheduler and distribution.
COLUMNS = ("BHB", "BHU", "BMB", "BMU", "BLB", "BLU")
PAPER = {
    "SCHED_FIFO": (44, 45, 44, 43, 43, 36),
    "G-FIFO": (44, 45, 44, 44, 44, 40),
    "G-EDF": (36, 37, 35, 33, 33, 24),
    "NG-EDF": (46, 46, 46, 46, 46, 42),
    "C-EDF": (39, 39, 44, 43, 44, 42),
    "P-EDF": (39, 31, 44, 43, 44, 46),
}


#: From the fewest tasks of a load to the most.
BY_TASKS = ("BHU", "BHB", "BMB", "BLB", "BMU", "BLU")
#: "About the same" as the paper's load.
NEAR = 2

#: By distribution: the load at which overload begins under a scheduler.
Begins = Callable[[Tardiness, str], dict[str, int]]


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The table as dots: the paper's filled, ours with overheads hollow, without them crosses; above all loads where
    overload does not begin.
    """
    import matplotlib.pyplot as plt

    free, deciding = (Tardiness(results, LARGE.schedulers, variant) for variant in variants(results))
    never, beside = free.loads[-1] + 2, variants(results)[1]
    with paper_style():
        figure, axes = plt.subplots(figsize=(PAGE, 3.4))
        for place, (scheduler, stated) in enumerate(PAPER.items()):
            style = {key: value for key, value in CURVES[place].items() if key != "linestyle"}
            at = [column + 0.14 * (place - 2.5) for column in range(len(COLUMNS))]
            without = [free.overload(name, scheduler) or never for name in COLUMNS]
            axes.plot(at, without, linestyle="", marker="x", color=style["color"], markersize=4)
            axes.plot(at, stated, linestyle="", label=paper_name(scheduler), **style)
            if scheduler in beside.of(LARGE.schedulers):
                ours = [deciding.overload(name, scheduler) or never for name in COLUMNS]
                axes.vlines(at, stated, ours, color=style["color"], linewidth=0.7)
                axes.plot(at, ours, linestyle="", markerfacecolor="white", **style)
        axes.set_xticks(range(len(COLUMNS)), COLUMNS)
        axes.set_yticks([24, 30, 36, 42, 48, never], ["24", "30", "36", "42", "48", "never"])
        axes.set_ylabel("load where overload begins")
        figure.legend(loc="outside upper center", ncols=6)
        sets = results.provenance["sets"]
        footnote(
            figure,
            f"filled: the paper's table I, by eye; hollow: here with {beside.heading}; crosses: here without "
            f"overheads; overload begins where the mean maximum tardiness is above 100 ms from then on; {sets} sets "
            f"per load, {sets_with(results)}; {charges_of(results)}",
        )
        return save_figure(figure, directory / "2011-table1")


def claims(results: Results) -> list[Claim]:
    """Section 3.4, the paragraph on table I."""
    free, deciding = (Tardiness(results, LARGE.schedulers, variant) for variant in variants(results))
    never = free.loads[-1] + 1

    def begins(found: Tardiness, scheduler: str) -> dict[str, int]:
        return {where: found.overload(where, scheduler) or never for where in COLUMNS}

    def told(found: Mapping[str, int]) -> str:
        return ", ".join(f"{where} {'never' if load == never else load}" for where, load in found.items())

    def judged(variant: Variant) -> list[Claim]:
        found = begins(free if variant is FREE else deciding, "P-EDF")
        text = "partitioned algorithms have difficulties with heavy sets and perform well with lighter ones"
        return [judge(text, found["BHU"] < found["BLU"], f"P-EDF: overload begins at {told(found)}")]

    stopped = begins(deciding, "G-EDF")
    scaling = [stopped[where] for where in BY_TASKS]
    together = {scheduler: begins(deciding, scheduler) for scheduler in ("G-FIFO", "NG-EDF")}
    architectures = [
        judge(
            "the concurrent architecture (G-FIFO, G-NP-EDF) scales reasonably well: overload begins after G-EDF's",
            all(found[where] > stopped[where] for found in together.values() for where in COLUMNS),
            "; ".join(f"{paper_name(name)}: {told(found)}" for name, found in (*together.items(), ("G-EDF", stopped))),
        ),
        judge(
            "G-EDF's scaling is almost directly proportional to the number of tasks: the more, the earlier",
            all(later >= earlier for later, earlier in pairwise(scaling)),
            "from the fewest tasks to the most: " + told({where: stopped[where] for where in BY_TASKS}),
        ),
    ]
    return [
        *in_both(results, judged),
        *with_decisions(results, architectures),
        *_never_earlier(begins, told, free),
        *with_decisions(results, _near(begins, told, deciding, variants(results)[1])),
    ]


def _never_earlier(begins: Begins, told: Callable[[Mapping[str, int]], str], free: Tardiness) -> list[Claim]:
    """Checks of our own: the table's numbers."""
    return [
        judge(
            f"(a check of our own) without overheads it begins no earlier than the paper measured: {paper_name(name)}",
            all(begins(free, name)[where] >= load for where, load in zip(COLUMNS, stated, strict=True)),
            told(begins(free, name)),
        )
        for name, stated in PAPER.items()
    ]


def _near(
    begins: Begins, told: Callable[[Mapping[str, int]], str], deciding: Tardiness, variant: Variant
) -> list[Claim]:
    """Checks of our own: how near the table's numbers are with overheads."""
    near = []
    for name in variant.of(list(PAPER)):
        ours, stated = begins(deciding, name), dict(zip(COLUMNS, PAPER[name], strict=True))
        is_fitted = variant is DECIDING and name == "G-EDF"
        near.append(
            judge(
                f"(a check of our own) within {NEAR} loads of the paper's: {paper_name(name)}"
                f"{', whose row the costs are fitted to' if is_fitted else ''}",
                all(abs(ours[where] - load) <= NEAR for where, load in stated.items()),
                f"{told(ours)}; paper: {told(stated)}",
            )
        )
    return near


study = schedules_study(LARGE, "2011-table1", "table I: where overload begins", plot=plot, claims=claims)
