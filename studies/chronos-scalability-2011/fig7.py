"""Figure 7 of chronos-scalability-2011: a histogram of context switch times.

Section 3.5.3: switching to a task that has migrated costs more than to one that was there before; the paper's platform
shows a peak for each path. Here a switch is timed from a decision until the thread that it chose for its own processor
executes, so what moves a thread in the kernel is part of it. Sets of 30 tasks at 60% of the processors; the paper does
not say which scheduler it took.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from schedlab.plots import CURVES, PAGE
from schedlab.runtime import ask
from schedlab.studies import Claim, RealStudy, Results, Unit, grid, judge, not_evaluated
from schedlab.studies.mutants import described
from schedlab.studies.spread import kept, percentile

from ._paths import PATHS, SOURCE, absent, need_two

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCHEDULERS = ["G-EDF", "G-RM", "P-EDF"]
TASKS = 30
LOCAL = "same core"
#: Bins of the histogram to a microsecond, and its width in microseconds.
BINS, WIDTH = 4, 25


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """Nanoseconds of each switch."""
    need_two()
    asked = ("--scheduler", unit.parameters["scheduler"], "--tasks", TASKS)
    rows = [(index, row["path"], ns) for index in unit.sets
            for row in ask("measure", "switches", *asked, "--set", index) for ns in row["ns"]]  # fmt: skip
    sets, paths, times = zip(*rows, strict=True)
    return {"set": list(sets), "path": list(paths), "ns": list(times)}


def switches(results: Results, scheduler: str) -> dict[str, list[float]]:
    """All times in microseconds by path, the local one first."""
    rows = results.where(scheduler=scheduler).table.to_pylist()
    found: dict[str, list[float]] = {path: [] for path in [LOCAL, "shared L1", "shared L2", *PATHS]}
    for row in rows:
        found[row["path"]].append(row["ns"] / 1e3)
    return {path: times for path, times in found.items() if times}


def draw(results: Results) -> Mapping[str, Figure]:
    """An inset for each scheduler."""
    import matplotlib.pyplot as plt

    figure, insets = plt.subplots(1, len(SCHEDULERS), figsize=(PAGE, 2.5))
    for axes, scheduler in zip(insets, SCHEDULERS, strict=True):
        found = switches(results, scheduler)
        styles = [CURVES[number + 1] for number in range(len(found))]
        axes.hist(list(found.values()), bins=[at / BINS for at in range(BINS * WIDTH + 1)], stacked=True,
                  color=[style["color"] for style in styles],
                  label=["not migrated" if path == LOCAL else f"migrated, {path}" for path in found])  # fmt: skip
        for style, times in zip(styles, found.values(), strict=True):
            axes.axvline(percentile(times, 0.5), color=style["color"], linewidth=0.8, linestyle="--")
        beyond = sum(time > WIDTH for times in found.values() for time in times)
        axes.set_title(f"{scheduler} ({beyond} beyond {WIDTH} us)")
        axes.set_xlabel("context switch (microseconds)")
        axes.set_xlim(0, WIDTH)
    insets[0].set_ylabel("switches")
    insets[0].legend()
    figure.supxlabel(
        f"from a decision until the chosen thread executes on its processor; {results.provenance['sets']} sets of "
        f"{TASKS} tasks, 1 s "
        f"each; dashed: medians. This machine does not have: {absent(results.values('path'))}"
    )
    return {"2011-fig7": figure}


def claims(results: Results) -> list[Claim]:
    """Section 3.5.3."""
    medians, told = {}, []
    for scheduler in SCHEDULERS:
        found = switches(results, scheduler)
        medians[scheduler] = {path: percentile(times, 0.5) for path, times in found.items()}
        for path, times in found.items():
            middle, most = percentile(times, 0.5), kept(times)[-1]
            told.append(f"{scheduler}, {path}: median {middle:.1f}, 99% below {most:.1f} us, n = {len(times)}")
    moved = [(of[LOCAL], of[path]) for of in medians.values() for path in of if path != LOCAL]
    return [
        judge(
            "the cache misses of switching to a migrated task are quite costly (its median is above the local one)",
            bool(moved) and all(there > here for here, there in moved),
            "; ".join(told),
            described("switches to migrated tasks that take no longer than local ones"),
        ),
        not_evaluated(
            "there are three peaks: the local one and two migration paths",
            f"this machine has no path {absent(results.values('path'))}",
        ),
    ]


study = RealStudy(
    name="2011-fig7",
    title="chronos-scalability-2011, figure 7: context switch times",
    source=SOURCE,
    points=grid(scheduler=SCHEDULERS),
    evaluate=evaluate,
    draw=draw,
    claims=claims,
    sets=6,
    full_sets=60,
    sets_per_unit=2,
)
