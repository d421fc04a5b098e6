"""Figure 4 of chronos-scalability-2011: what the scheduling algorithm costs by the number of tasks in the scheduler.

Section 3.5.1: a timestamp before the algorithm is called and one after it, and how many tasks the scheduler has then.
Here jobs arrive one after another, faster than processors execute them, and then complete: every number of ready jobs
is met. What is timed is the policy and the engine's own bookkeeping, without the engine's lock and without what
carries the decision out. The paper ran one set for each of six distributions, 158 readings a point; here six random
orders of priorities.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import TYPE_CHECKING, Any

from schedlab.plots import CURVES, PAGE, mean_interval
from schedlab.runtime import ask
from schedlab.studies import Claim, RealStudy, Results, Unit, grid, judge, listed, not_evaluated, processors
from schedlab.studies.spread import spread

from ._paths import SOURCE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The paper's names, by ours.
SCHEDULERS = {
    "G-EDF": "G-EDF",
    "G-RM": "G-RMS",
    "NG-EDF": "G-NP-EDF",
    "G-FIFO": "G-FIFO",
    "P-EDF": "P-EDF",
    "P-RM": "P-RMS",
}
EVENTS = {"completion": "(a) a job is complete", "arrival": "(b) a job arrives"}
#: Tasks under a global scheduler; for each processor under a partitioned one, as in the paper.
GLOBAL, PARTITIONED = 100, 16
#: A number of ready jobs is drawn if each set has met it so often.
READINGS = 20


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """Nanoseconds of a decision, by set, event and number of ready jobs."""
    scheduler = unit.parameters["scheduler"]
    tasks = PARTITIONED * processors() if str(scheduler).startswith("P-") else GLOBAL
    columns: dict[str, list[Any]] = {}
    for index in unit.sets:
        found = ask("probe", "decisions", "--scheduler", scheduler, "--tasks", tasks, "--set", index, "--seed",
                    unit.seed)  # fmt: skip
        for row in found:
            one = {"set": index, "event": row["event"], "ready": row["ready"], **spread(row["ns"])}
            for name, value in one.items():
                columns.setdefault(name, []).append(value)
    return columns


#: By scheduler, event and number of ready jobs: each set's mean.
Means = dict[tuple[str, str, int], list[float]]


def means(results: Results) -> Means:
    """Of the numbers of ready jobs that all sets have met often enough."""
    found: Means = {}
    for row in results.table.to_pylist():
        if row["count"] >= READINGS:
            found.setdefault((row["scheduler"], row["event"], row["ready"]), []).append(row["mean"])
    sets = results.provenance["sets"]
    return {key: each for key, each in found.items() if len(each) == sets}


def draw(results: Results) -> Mapping[str, Figure]:
    """Both insets."""
    import matplotlib.pyplot as plt

    found = means(results)
    figure, insets = plt.subplots(1, 2, figsize=(PAGE, 2.8), sharey=True)
    for axes, (event, title) in zip(insets, EVENTS.items(), strict=True):
        for style, (scheduler, label) in zip(CURVES, SCHEDULERS.items(), strict=False):
            points = [
                (key[2], *mean_interval(each)) for key, each in sorted(found.items()) if key[:2] == (scheduler, event)
            ]
            if points:
                ready, mean, low, high = zip(*points, strict=True)
                micro = [[value / 1e3 for value in values] for values in (mean, low, high)]
                axes.fill_between(ready, micro[1], micro[2], color=style["color"], alpha=0.15, linewidth=0)
                axes.plot(ready, micro[0], label=label, **{**style, "markevery": 8, "markersize": 3})
        axes.set_title(title)
        axes.set_xlabel("tasks in the scheduler")
    insets[0].set_ylabel("decision (microseconds)")
    insets[0].set_ylim(0, 6)
    handles, labels = insets[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center")
    figure.supxlabel(
        f"means of {results.provenance['sets']} sets, bands: 99% confidence (t); the largest hundredth discarded; "
        "P-: tasks "
        "of one processor. (b) begins on an idle machine, with cold caches. C-EDF would be P-EDF on two processors"
    )
    return {"2011-fig4": figure}


def claims(results: Results) -> list[Claim]:
    """Section 3.5.1."""
    found = means(results)

    def level(scheduler: str, event: str = "completion", of: str = "") -> float:
        """The mean over the numbers of ready jobs that ``of`` has met, too."""
        common = {ready for name, at, ready in found if (name, at) == (of or scheduler, event)}
        here = [
            fmean(each)
            for (name, at, ready), each in found.items()
            if (name, at) == (scheduler, event) and ready in common
        ]
        return fmean(here) if here else float("nan")

    def rise(scheduler: str) -> float:
        """From the least quarter of numbers of ready jobs to the largest quarter."""
        line = [fmean(each) for (name, at, _), each in sorted(found.items()) if (name, at) == (scheduler, "completion")]
        quarter = max(len(line) // 4, 1)
        return fmean(line[-quarter:]) / fmean(line[:quarter])

    flat = {name: rise(name) for name in ("G-FIFO", "NG-EDF", "P-EDF", "P-RM")}
    apart = {f"{one} : {other}": level(one, of=other) / level(other, of=one)
             for one in ("G-EDF", "G-RM") for other in ("G-FIFO", "NG-EDF")}  # fmt: skip
    on_top = {f"{one} : {other}": level(one, of=other) / level(other, of=one)
              for one, other in (("G-FIFO", "NG-EDF"), ("P-RM", "P-EDF"))}  # fmt: skip
    return [
        judge(
            "G-FIFO, G-NP-EDF, P-EDF and P-RMS schedule in O(1) time (completions: at most a quarter more with "
            "many ready)",
            all(factor <= 1.25 for factor in flat.values()),
            f"largest quarter of sizes : smallest: {listed(flat)}; ready jobs are in a heap here",
        ),
        judge(
            "G-EDF and G-RMS exhibit high scheduling overheads (completions: a tenth above G-FIFO and G-NP-EDF)",
            all(factor > 1.1 for factor in apart.values()),
            listed(apart),
        ),
        judge(
            "G-FIFO and G-NP-EDF are on top of each other, as P-RMS and P-EDF are (within a tenth)",
            all(abs(factor - 1) <= 0.1 for factor in on_top.values()),
            listed(on_top),
        ),
        not_evaluated(
            "G-EDF, C-EDF and G-RMS schedule in O(m): linear with less than m tasks; C-EDF costs much less than G-EDF",
            "two processors have no clusters between them, and m is 2",
        ),
    ]


study = RealStudy(
    name="2011-fig4",
    title="chronos-scalability-2011, figure 4: scheduling overheads by number of tasks",
    source=SOURCE,
    points=grid(scheduler=list(SCHEDULERS)),
    evaluate=evaluate,
    draw=draw,
    claims=claims,
    sets=6,
    full_sets=30,
    sets_per_unit=1,
)  # fmt: skip
