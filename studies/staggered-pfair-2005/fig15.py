"""Figure 15 of staggered-pfair-2005: what a slot costs a master/slave scheduler beside the staggered algorithm.

Section V-C: random sets of N = 10, 20, ..., 500 independent tasks, M in {2, 4, 8, 16}; the ratio of the average
per-slot overhead of master/slave PD2 (here aligned PD2, one processor deciding for all) to that of the staggered
algorithm. The paper has 1,000 sets for each N and M; so has this with --full, which takes some hours; else 5.

(a) Warm: invocations one after another, as in the paper. (b) Cold: the paper moved between copies of the scheduler on
32 processors; here there are 64 copies, and before each is asked once, a buffer of one and a half times the largest
cache of this machine is written. Measured by `schedlab-rt measure pfair-slots`, which comes with the package: medians
of batches in which both schedulers take turns. Results are times of this machine: two runs never give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from schedlab.plots import Means, chosen_confidence, draw_means, footnote, mean_interval, paper_style, save_figure
from schedlab.plots.paper import CURVES, PAGE
from schedlab.runtime import ask
from schedlab.studies import Claim, Results, Study, Unit, grid, judge
from schedlab.studies.mutants import described

PROCESSORS = [2, 4, 8, 16]
TASKS = list(range(10, 501, 10))
CACHES = {"warm": "(a) warm cache", "cold": "(b) cold cache"}


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """Nanoseconds of a slot to one processor, by task set."""
    where = ["--processors", str(unit.parameters["processors"]), "--tasks", str(unit.parameters["tasks"])]
    which = ["--sets", str(len(unit.sets)), "--first", str(unit.first), "--seed", str(unit.seed)]
    cold = ["--cold"] if unit.parameters["cache"] == "cold" else []
    found = ask("measure", "pfair-slots", *where, *which, *cold)
    names = ("master_ns", "staggered_ns")
    columns = {name: [one[name] for one in found["sets"]] for name in names}
    return {**columns, "evicted_bytes": [found["evicted_bytes"]] * len(unit.sets)}


#: Mean ratio over the sets of a point, and its 99% confidence interval; by cache, M and N.
Ratios = dict[tuple[str, int, int], tuple[float, float, float]]


def ratios(results: Results) -> Ratios:
    """Of all points."""
    by_point: dict[tuple[str, int, int], list[float]] = {}
    for row in results.table.to_pylist():
        key = (row["cache"], row["processors"], row["tasks"])
        by_point.setdefault(key, []).append(row["master_ns"] / row["staggered_ns"])
    return {key: mean_interval(found) for key, found in by_point.items()}


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """Both insets."""
    import matplotlib.pyplot as plt

    found = ratios(results)
    with paper_style():
        figure, insets = plt.subplots(1, 2, figsize=(PAGE, 3.0), sharey=True)
        for axes, (cache, label) in zip(insets, CACHES.items(), strict=True):
            curves = [
                Means(f"M = {m}", [(tasks, *found[cache, m, tasks]) for tasks in TASKS], number)
                for number, m in enumerate(PROCESSORS)
            ]
            draw_means(axes, curves)
            for style, processors in zip(CURVES, PROCESSORS, strict=False):
                axes.axhline(processors, color=style["color"], linewidth=0.5, linestyle=":")
            axes.set_title(label)
            axes.set_xlabel("number of tasks N")
            axes.set_xlim(0, TASKS[-1])
        insets[0].set_ylim(0, 17)
        insets[0].set_ylabel("cost of a slot, master/slave : staggered")
        handles, labels = insets[0].get_legend_handles_labels()
        figure.legend(reversed(handles), reversed(labels), loc="outside right center")
        evicted = max(results.table.column("evicted_bytes").to_pylist())
        sets = results.provenance["sets"]
        footnote(
            figure,
            f"dotted: the factor M; {sets} sets per point, bands where apart: {chosen_confidence()} (t); "
            f"cold: {evicted / 2**20:.0f} MiB written before each 64 calls",
        )
        return save_figure(figure, directory / "2005-fig15")


def claims(results: Results) -> list[Claim]:
    """Section V-C."""
    found = ratios(results)

    def told(cache: str, of: Callable[[int], float] = lambda processors: 1) -> str:
        return ", ".join(f"{_typical(found, cache, m) / of(m):.2f} at M = {m}" for m in PROCESSORS)

    matched = [key for key, (_, _, high) in found.items() if key[0] == "warm" and high >= key[1]]
    warm = len(PROCESSORS) * len(TASKS)
    worst = min(found, key=lambda key: found[key][2])
    return [
        judge(
            "(a) the staggered algorithm approaches the factor-of-M improvement (at least 0.7 M, median over N)",
            all(_typical(found, "warm", m) >= 0.7 * m for m in PROCESSORS),
            f"median ratio over N, as a part of M: {told('warm', lambda m: m)}",
            described("a staggered scheduler as costly as the aligned one"),
        ),
        judge(
            "(a) it often matches the factor of M (its 99% interval reaches M at a quarter of the points or more)",
            len(matched) >= warm / 4,
            f"at {len(matched)} of {warm} points",
            described("a staggered scheduler as costly as the aligned one"),
        ),
        judge(
            "(b) caching effects close the performance gap substantially (a smaller ratio at each M, median over N)",
            all(_typical(found, "cold", m) < _typical(found, "warm", m) for m in PROCESSORS),
            f"cold {told('cold')}; warm {told('warm')}",
            described("cold caches that widen the gap"),
        ),
        judge(
            "(b) despite this, staggering provides a significant improvement (above 1.1, median over N)",
            all(_typical(found, "cold", m) > 1.1 for m in PROCESSORS),
            told("cold"),
            described("a staggered scheduler as costly as the aligned one with cold caches"),
        ),
        judge(
            "staggered scheduling should never produce more overhead (no 99% interval below 1)",
            found[worst][2] >= 1,
            f"the lowest interval ends at {found[worst][2]:.2f}: {worst[0]}, M = {worst[1]}, N = {worst[2]}",
            described("a staggered scheduler of twice the overhead"),
        ),
    ]


def _typical(found: Ratios, cache: str, processors: int) -> float:
    """The median over N of mean ratios."""
    return median(found[cache, processors, tasks][0] for tasks in TASKS)


study = Study(
    name="2005-fig15",
    title="staggered-pfair-2005, figure 15: scheduling overhead of a slot, master/slave beside staggered",
    source="Holman, Anderson: Adapting Pfair scheduling for symmetric multiprocessors, JEC 1(4), 2005",
    points=grid(cache=list(CACHES), processors=PROCESSORS, tasks=TASKS),
    evaluate=evaluate,
    plot=plot,
    claims=claims,
    sets=5,
    full_sets=1000,
    sets_per_unit=100,
    alone=True,
)  # fmt: skip
