"""Figure 2 of staggered-pfair-2005: pending bus requests across three slots of eight processors.

Each task has an array of the cache's size and writes to each of its lines in sequence. A slot is drawn in 200 parts of
10,000 cycles: the mean of each, and as an area the most that were pending in one of its cycles.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from schedlab.plots import BLACK, BLUE, PAGE, RED, footnote, paper_style, save_figure
from schedlab.studies import Claim, Results, Study, Unit, grid, judge
from schedlab.studies.mutants import Mutant, by_row, scaled

from ._bus import LINE_CYCLES, MODELS, QUANTUM, SLOTS, SOURCE, conditions, line_of, see

PROCESSORS, PARTS = 8, 200


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """A row for each part of a slot."""
    seen = see(str(unit.parameters["model"]), PROCESSORS, parts=PARTS, **line_of(LINE_CYCLES))
    count = SLOTS * PARTS
    return {
        "set": [0] * count,
        "cycle": [index * seen["part_cycles"] for index in range(count)],
        "mean": [pending / seen["part_cycles"] for pending in seen["pending_sum"]],
        "max": seen["pending_max"],
        "line_cycles": [seen["machine"]["write_miss"] + seen["machine"]["write_back"]] * count,
        "gap": [seen["machine"]["gap"]] * count,
    }


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """Both insets."""
    import matplotlib.pyplot as plt

    with paper_style():
        figure, insets = plt.subplots(2, 1, figsize=(PAGE, 3.6), sharex=True, sharey=True)
        for axes, letter, (model, title) in zip(insets, "ab", MODELS.items(), strict=True):
            rows = results.where(model=model).table.to_pylist()
            times = [row["cycle"] / QUANTUM for row in rows] + [float(SLOTS)]
            axes.stairs([row["max"] for row in rows], times, fill=True, color=BLUE, alpha=0.2, label="most")
            axes.stairs([row["mean"] for row in rows], times, color=BLACK, label="mean")
            for slot in range(SLOTS):
                begins = [slot + (cpu / PROCESSORS if model == "staggered" else 0) for cpu in range(PROCESSORS)]
                axes.plot(begins, [PROCESSORS + 0.55] * PROCESSORS, "v", color=RED, markersize=3, clip_on=False)
            axes.set_title(f"({letter}) {title}")
            axes.set_ylabel("pending requests")
            axes.set_ylim(0, PROCESSORS + 1)
            axes.set_xlim(0, SLOTS)
        insets[1].legend(loc="center", ncols=2, title="of 10,000 cycles")
        insets[1].set_xlabel("time (slots of 2 million cycles)")
        footnote(figure, conditions(results), "Triangles: a processor begins a slot.")
        return save_figure(figure, directory / "2005-fig2")


def _aligned(words: str, factor: float) -> Mutant:
    return scaled(words, factor, "mean", where=lambda row: row["model"] == "aligned")


def claims(results: Results) -> list[Claim]:
    """The introduction and section III."""
    means = {model: [row["mean"] for row in results.where(model=model).table.to_pylist()] for model in MODELS}
    heavy = PROCESSORS - 1
    # Contention follows a scheduling point if it is there before a twentieth of the slot is over.
    after = [max(means["aligned"][slot * PARTS : slot * PARTS + PARTS // 20]) for slot in range(SLOTS)]
    ends = [
        sum(mean >= heavy for mean in means["aligned"][slot * PARTS : (slot + 1) * PARTS]) / PARTS
        for slot in range(SLOTS)
    ]
    most = {model: max(values) for model, values in means.items()}
    waiting = {model: sum(max(mean - 1, 0) for mean in values) / len(values) for model, values in means.items()}
    return [
        judge(
            "aligned, heavy contention follows each scheduling point (a mean of seven pending requests or more)",
            all(pending >= heavy for pending in after),
            f"{', '.join(f'{pending:.2f}' for pending in after)} requests soon after the three; "
            f"it lasts for {', '.join(f'{share:.0%}' for share in ends)} of the slot",
            _aligned("aligned quanta after whose scheduling points nothing is pending", 0),
        ),
        judge(
            "aligned, it ends before the slot does: working sets are loaded",
            all(means["aligned"][(slot + 1) * PARTS - 1] == 0 for slot in range(SLOTS)),
            "nothing is pending at the end of each slot"
            if all(means["aligned"][(slot + 1) * PARTS - 1] == 0 for slot in range(SLOTS))
            else "requests are pending at the end of a slot",
            by_row("a bus on which requests are always pending", lambda row: {"mean": row["mean"] + 1}),
        ),
        judge(
            "the staggered model results in dramatically lower contention (less than a quarter of the requests wait)",
            waiting["staggered"] < waiting["aligned"] / 4,
            f"on average {waiting['aligned']:.2f} requests wait aligned, {waiting['staggered']:.2f} staggered; "
            f"the highest mean is {most['aligned']:.2f} and {most['staggered']:.2f}",
            _aligned("aligned quanta of which nothing is pending", 0),
        ),
    ]


study = Study(
    name="2005-fig2", title="staggered-pfair-2005, figure 2: the bus across three slots of eight processors",
    source=SOURCE, points=grid(model=list(MODELS)), evaluate=evaluate, plot=plot, claims=claims,
    sets=1, full_sets=1, fixed_sets=True,
)  # fmt: skip
