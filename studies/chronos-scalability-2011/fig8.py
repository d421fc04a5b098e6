"""Figure 8 of chronos-scalability-2011: what system calls cost, beside the calls that begin and end a real-time
segment.

Section 3.5.4. In place of `begin_rt_seg()` and `end_rt_seg()`, which are system calls of ChronOS, stands the runtime's
one call for both: waiting for the next job, where it has arrived already. The calls that the runtime answers in memory
alone are shown beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import TYPE_CHECKING, Any

from schedlab.plots import BLACK, COLUMN, CURVES, chosen_confidence, mean_interval
from schedlab.runtime import ask
from schedlab.studies import Claim, RealStudy, Results, Unit, grid, judge
from schedlab.studies.mutants import described
from schedlab.studies.spread import spread

from ._paths import SOURCE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROUNDS = 1000
SEGMENT = "wait for the next job"
SHORT, LONG = ("gettid", "clock_getres"), ("sched_setaffinity", "sched_setscheduler")
#: What the runtime answers without the kernel.
MEMORY = ("lock and unlock, free", "non-preemptive section")


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """Percentiles of each call in nanoseconds, by set."""
    rows = [{"set": index, "call": row["call"], **spread(row["ns"])}
            for index in unit.sets
            for row in ask("measure", "calls", "--rounds", unit.parameters["rounds"])]  # fmt: skip
    return {name: [row[name] for row in rows] for name in rows[0]}


def calls(results: Results) -> dict[str, dict[str, list[float]]]:
    """By call: each set's percentiles."""
    found: dict[str, dict[str, list[float]]] = {call: {} for call in (*SHORT, *LONG, SEGMENT, *MEMORY)}
    for row in results.table.to_pylist():
        for name in ("mean", "median", "high", "worst"):
            found[row["call"]].setdefault(name, []).append(row[name])
    return found


def draw(results: Results) -> Mapping[str, Figure]:
    """A bar for each call."""
    import matplotlib.pyplot as plt

    found = calls(results)
    figure, axes = plt.subplots(figsize=(COLUMN * 1.5, 2.6))
    for number, (call, of) in enumerate(reversed(found.items())):
        mean, low, high = mean_interval(of["mean"])
        axes.barh(number, mean, color=CURVES[1 if call == SEGMENT else 6]["color"])
        axes.plot([low, high], [number, number], color=BLACK, linewidth=2)
        axes.plot([fmean(of["high"])], [number], color=BLACK, marker="|", linestyle="", markersize=6)
    axes.set_yticks(range(len(found)), [f"{call}()" if call in SHORT + LONG else call for call in reversed(found)])
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("nanoseconds")
    rounds = results.values("rounds")[0]
    figure.supxlabel(
        f"bars: means of {results.provenance['sets']} sets of {rounds:,} calls, the largest hundredth discarded; "
        f"lines: {chosen_confidence()} "
        "(t); ticks: 99th percentile. The last two make no system call"
    )
    return {"2011-fig8": figure}


def claims(results: Results) -> list[Claim]:
    """Section 3.5.4."""
    means = {call: fmean(of["mean"]) for call, of in calls(results).items()}
    told = ", ".join(f"{call} {mean:.0f} ns" for call, mean in means.items())
    return [
        judge(
            "the calls of a segment are quite long (twice gettid() and clock_getres() or more)",
            all(means[SEGMENT] >= 2 * means[call] for call in SHORT),
            told,
            described("calls of a segment that are as short as gettid()"),
        ),
        judge(
            "but not inordinately so when compared to sched_setaffinity() and sched_setscheduler() (at most "
            "three times)",
            all(means[SEGMENT] <= 3 * means[call] for call in LONG),
            told,
            described("calls of a segment that take ten times as long as sched_setaffinity()"),
        ),
        judge(
            "sched_setaffinity() and sched_setscheduler() are longer than gettid() and clock_getres()",
            all(means[long] > means[short] for long in LONG for short in SHORT),
            told,
            described("a sched_setaffinity() that is as short as gettid()"),
        ),
    ]


study = RealStudy(
    name="2011-fig8",
    title="chronos-scalability-2011, figure 8: costs of system calls",
    source=SOURCE,
    points=grid(rounds=[ROUNDS]),
    evaluate=evaluate,
    draw=draw,
    claims=claims,
    sets=10,
    full_points=grid(rounds=[10 * ROUNDS]),
    full_sets=10,
)
