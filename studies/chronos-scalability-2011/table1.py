"""Table I of chronos-scalability-2011: the load at which overload begins on 48 processors.

The definition stands in `_tardiness`. The paper's numbers have the overheads of its machine, ours have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from schedlab.plots import CURVES, PAGE, footnote, paper_style, save_figure
from schedlab.studies import Claim, Results, judge

from ._scheduling import LARGE, schedules_study
from ._shares import paper_name, rests_on_overheads
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


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The table as dots: the paper's filled, ours hollow; above the largest load where overload does not begin."""
    import matplotlib.pyplot as plt

    found = Tardiness(results, LARGE.schedulers)
    never = found.loads[-1] + 2
    with paper_style():
        figure, axes = plt.subplots(figsize=(PAGE, 3.0))
        for place, (scheduler, stated) in enumerate(PAPER.items()):
            style = {key: value for key, value in CURVES[place].items() if key != "linestyle"}
            at = [column + 0.14 * (place - 2.5) for column in range(len(COLUMNS))]
            ours = [found.overload(name, scheduler) or never for name in COLUMNS]
            axes.vlines(at, stated, ours, color=style["color"], linewidth=0.7)
            axes.plot(at, stated, linestyle="", label=f"{paper_name(scheduler)}, paper", **style)
            axes.plot(at, ours, linestyle="", markerfacecolor="white", label=f"{paper_name(scheduler)}, here", **style)
        axes.set_xticks(range(len(COLUMNS)), COLUMNS)
        axes.set_yticks([24, 30, 36, 42, 48, never], ["24", "30", "36", "42", "48", "never"])
        axes.set_ylabel("load where overload begins")
        axes.legend(ncols=6, loc="lower center", bbox_to_anchor=(0.5, 1.0))
        footnote(
            figure,
            "here: the first load from which on the mean maximum tardiness stays above 100 ms, without overheads; "
            f"{results.provenance['sets']} sets per load; paper: table I, by eye, with its machine's overheads",
        )
        return save_figure(figure, directory / "2011-table1")


def claims(results: Results) -> list[Claim]:
    """Section 3.4, the paragraph on table I."""
    found = Tardiness(results, LARGE.schedulers)
    begins = {name: {where: found.overload(where, name) for where in COLUMNS} for name in PAPER}

    def told(scheduler: str) -> str:
        return ", ".join(f"{where} {load or 'never'}" for where, load in begins[scheduler].items())

    never = found.loads[-1] + 1
    heavy, light = ({where: begins["P-EDF"][where] or never for where in which} for which in (("BHU",), ("BLU",)))
    return [
        rests_on_overheads("the concurrent architecture (G-FIFO, G-NP-EDF) scales reasonably well", told("G-FIFO")),
        rests_on_overheads("G-EDF's scaling is almost directly proportional to the number of tasks", told("G-EDF")),
        judge(
            "partitioned algorithms have difficulties with heavy sets and perform well with lighter ones",
            heavy["BHU"] < light["BLU"],
            f"P-EDF: overload begins at {told('P-EDF')}",
        ),
        *(
            judge(
                f"overload begins no earlier than the paper measured, which had overheads: {paper_name(scheduler)}",
                all(
                    (begins[scheduler][where] or never) >= stated
                    for where, stated in zip(COLUMNS, PAPER[scheduler], strict=True)
                ),
                told(scheduler),
            )
            for scheduler in PAPER
        ),
    ]


study = schedules_study(LARGE, "2011-table1", "table I: where overload begins", plot=plot, claims=claims)
