"""Figure 15 of staggered-pfair-2005: what a slot costs a master/slave scheduler beside the staggered algorithm.

Section V-C: random sets of N = 10, 20, ..., 500 independent tasks, M in {2, 4, 8, 16}; the ratio of the average
per-slot overhead of master/slave PD2 (here aligned PD2, one processor deciding for all) to that of the staggered
algorithm. (a) warm: invocations one after another. (b) cold: the paper moved between copies on 32 processors; here a
64 MB buffer is written before each invocation. Measured on this machine (`pfair_cost`, medians), so results are times:
two runs never give the same bytes. The paper has 1,000 sets for each N and M; here 3, and fewer N.
"""

from __future__ import annotations

import math
import statistics
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from schedlab.plots import paper_style, save_figure
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Results, Study, Unit, grid, judge

ROOT = Path(__file__).resolve().parents[2]
PROCESSORS = [2, 4, 8, 16]
TASKS = [10, 50, 100, 200, 300, 400, 500]
CACHES = {"warm": "(a) warm cache", "cold": "(b) cold cache"}
#: Student's t of 99% confidence, by degrees of freedom.
STUDENT_99 = {1: 63.657, 2: 9.925, 3: 5.841, 4: 4.604, 5: 4.032, 9: 3.250}


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """Nanoseconds of a slot to one processor, by task set."""
    processors, tasks = unit.parameters["processors"], unit.parameters["tasks"]
    wanted = ["--sets", str(len(unit.sets)), "--first", str(unit.first), "--seed", str(unit.seed % 2**32)]
    cold = ["--cold"] if unit.parameters["cache"] == "cold" else []
    command = ["cargo", "run", "--release", "--quiet", "--package", "schedlab-tests", "--bin", "pfair_cost", "--"]
    run = [*command, "ratio", str(processors), str(tasks), *wanted, *cold]
    lines = subprocess.run(run, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    pairs = [tuple(map(float, line.split())) for line in lines]
    return {"master_ns": [pair[0] for pair in pairs], "staggered_ns": [pair[1] for pair in pairs]}


def ratio(results: Results, cache: str, processors: int, tasks: int) -> tuple[float, float]:
    """The mean ratio over task sets, and half of its 99% confidence interval."""
    rows = results.where(cache=cache, processors=processors, tasks=tasks).table.to_pylist()
    found = [row["master_ns"] / row["staggered_ns"] for row in rows]
    if len(found) < 2:
        return found[0], 0.0
    student = STUDENT_99.get(len(found) - 1, 2.576 if len(found) > 30 else 3.5)
    return statistics.mean(found), student * statistics.stdev(found) / math.sqrt(len(found))


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """Both insets."""
    import matplotlib.pyplot as plt

    with paper_style():
        figure, insets = plt.subplots(1, 2, figsize=(PAGE, 2.6), sharey=True)
        for axes, (cache, label) in zip(insets, CACHES.items(), strict=True):
            for processors in PROCESSORS:
                points = [ratio(results, cache, processors, tasks) for tasks in TASKS]
                axes.errorbar(
                    TASKS,
                    [mean for mean, _ in points],
                    yerr=[half for _, half in points],
                    capsize=2,
                    label=f"M = {processors}",
                )
            axes.set_title(label)
            axes.set_xlabel("number of tasks; bars: 99% confidence (t)")
            axes.set_ylim(bottom=0)
        insets[0].set_ylabel("master/slave : staggered")
        insets[0].legend()
        return save_figure(figure, directory / "2005-fig15")


def claims(results: Results) -> list[Claim]:
    """Section V-C."""
    means = {
        (cache, processors): statistics.median(ratio(results, cache, processors, tasks)[0] for tasks in TASKS)
        for cache in CACHES
        for processors in PROCESSORS
    }
    told = {
        cache: ", ".join(f"{means[cache, processors]:.2f} at M = {processors}" for processors in PROCESSORS)
        for cache in CACHES
    }
    least = min(ratio(results, *where, tasks)[0] for where in means for tasks in TASKS)
    return [
        judge(
            "warm: staggering approaches the factor of M (at least 0.7 M, median over N)",
            all(means["warm", processors] >= 0.7 * processors for processors in PROCESSORS),
            told["warm"],
        ),
        judge(
            "cold: caching effects close the gap substantially (a smaller ratio at each M)",
            all(means["cold", processors] < means["warm", processors] for processors in PROCESSORS),
            told["cold"],
        ),
        judge(
            "cold: still a significant improvement (above 1.1)",
            min(means["cold", m] for m in PROCESSORS) > 1.1,
            told["cold"],
        ),
        judge("staggered scheduling never produces more overhead", least >= 1, f"the least ratio is {least:.2f}"),
    ]


study = Study(
    name="2005-fig15",
    title="staggered-pfair-2005, figure 15: scheduling overhead of a slot, master/slave beside staggered",
    source="Holman, Anderson: Adapting Pfair scheduling for symmetric multiprocessors, JEC 1(4), 2005",
    points=grid(cache=list(CACHES), processors=PROCESSORS, tasks=TASKS),
    evaluate=evaluate,
    plot=plot,
    claims=claims,
    sets=3,
    sets_per_unit=1000,
)  # fmt: skip
