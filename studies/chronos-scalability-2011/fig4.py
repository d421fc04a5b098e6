"""Figure 4 of chronos-scalability-2011: what the scheduling algorithm costs by the number of tasks in the scheduler.

Section 3.5.1: a timestamp before the algorithm is called and one after it, and how many tasks the scheduler has then.
Here jobs arrive one after another, faster than processors execute them, and then complete: every number of ready jobs
is met. What is timed is the policy and the engine's own bookkeeping, without the engine's lock and without what
carries the decision out. The paper ran one set for each of six distributions, 158 readings a point; here six random
orders of priorities.

Section 2 has two ways of carrying decisions out, and a queue lock for either: (a) and (b) have each scheduler as the
paper has it. (c) and (d) have what those ways cost, under either lock: the whole decision, from asking for the lock,
with the other processor's standstill, to when threads may go on.

The paper's figure has no utility-accrual schedulers, though its section 3.4.2 explains figures 3 and 11 by what their
decisions take. They are in a figure of their own here, in the architecture that the authors' code gives them. C-EDF
needs two clusters of two processors: a machine with fewer than four has no points of it.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from statistics import fmean
from typing import TYPE_CHECKING, Any

from schedlab.plots import PAGE, Means, chosen_confidence, draw_means, mean_interval
from schedlab.runtime import ask
from schedlab.studies import Claim, RealStudy, Results, Unit, grid, judge, listed, not_evaluated, processors
from schedlab.studies.mutants import described
from schedlab.studies.spread import percentile, spread

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
#: Those of figures 3 and 11, and the non-preemptive one of the text on 16 processors.
UTILITY_ACCRUAL = {
    "P-LBESA": "P-LBESA",
    "P-DASA-ND": "P-DASA-ND",
    "gMUA": "gMUA",
    "G-GUA": "G-GUA",
    "NG-GUA": "NG-GUA",
    "NG-HVDF": "G-NP-HVDF",
}
#: Processors of the smallest machine with two clusters of two or more.
LEAST_CLUSTERED = 4
EVENTS = {"completion": "(a) a job is complete", "arrival": "(b) a job arrives"}
#: Where ChronOS has each of its global schedulers: the architecture, and the lock of what all processors write.
ARCHITECTURES = CONCURRENT, STOPPED = ["concurrent", "stop-the-world"]
LOCKS = ["ticket", "mcs"]
BUILT = {
    "G-EDF": (STOPPED, "mcs"),
    "G-RM": (STOPPED, "mcs"),
    "NG-EDF": (CONCURRENT, "ticket"),
    "G-FIFO": (CONCURRENT, "ticket"),
}
#: Where the authors' code has the global utility-accrual schedulers; C-EDF is G-EDF in each cluster.
ALSO_BUILT = {
    **dict.fromkeys(("gMUA", "G-GUA", "NG-GUA", "C-EDF"), (STOPPED, "mcs")),
    "NG-HVDF": (CONCURRENT, "ticket"),
}
#: Those whose whole decisions are drawn.
WHOLE = {"G-EDF": "(c) G-EDF: all of it, when a job is complete", "G-FIFO": "(d) G-FIFO: all of it"}
WAYS = list(itertools.product(ARCHITECTURES, LOCKS))
#: Tasks under a global scheduler; for each processor under a partitioned one, as in the paper.
GLOBAL, PARTITIONED = 100, 16
#: A number of ready jobs is drawn if each set has met it so often.
READINGS = 20
#: Not on a machine with fewer processors: its points depend on it, as its results do.
CLUSTERED = ["C-EDF"] if processors() >= LEAST_CLUSTERED else []


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """Nanoseconds of a decision, by set, event and number of ready jobs."""
    scheduler = unit.parameters["scheduler"]
    tasks = PARTITIONED * processors() if str(scheduler).startswith("P-") else GLOBAL
    clusters = ("--cluster-size", processors() // 2) if scheduler == "C-EDF" else ()
    columns: dict[str, list[Any]] = {}
    for index in unit.sets:
        found = ask(
            "measure", "decisions", "--scheduler", scheduler, "--tasks", tasks, "--set", index, "--seed", unit.seed,
            "--architecture", unit.parameters["architecture"], "--dispatch-lock", unit.parameters["lock"], *clusters,
        )  # fmt: skip
        for row in found:
            one = {"set": index, "event": row["event"], "ready": row["ready"], **spread(row["ns"]),
                   "whole": spread(row["whole_ns"])["mean"]}  # fmt: skip
            for name, value in one.items():
                columns.setdefault(name, []).append(value)
    return columns


#: By event and number of ready jobs: each set's mean.
ByEvent = dict[tuple[str, int], list[float]]


def means(results: Results, scheduler: str, way: tuple[str, str] | None = None, of: str = "mean") -> ByEvent:
    """Of the numbers of ready jobs that all sets have met often enough; by default as the paper has the scheduler."""
    architecture, lock = way or _built(scheduler)
    found: ByEvent = {}
    for row in results.where(scheduler=scheduler, architecture=architecture, lock=lock).table.to_pylist():
        if row["count"] >= READINGS:
            found.setdefault((row["event"], row["ready"]), []).append(row[of])
    sets = results.provenance["sets"]
    return {key: each for key, each in found.items() if len(each) == sets}


def _built(scheduler: str) -> tuple[str, str]:
    """The architecture and the lock that a scheduler has by default."""
    return {**BUILT, **ALSO_BUILT}.get(scheduler, (CONCURRENT, "ticket"))


def line(style: int, label: str, found: ByEvent, event: str) -> Means:
    """A curve in microseconds."""
    points = [(ready, mean_interval(each)) for (name, ready), each in sorted(found.items()) if name == event]
    return Means(label, [(ready, mean / 1e3, low / 1e3, high / 1e3) for ready, (mean, low, high) in points], style)


def draw(results: Results) -> Mapping[str, Figure]:
    """The algorithms by event, and the whole decision by architecture and lock."""
    import matplotlib.pyplot as plt

    figure, (alone, whole) = plt.subplots(2, 2, figsize=(PAGE, 4.8), sharex="row", sharey="row")
    drawn: dict[str, list[float]] = {"alone": [], "whole": []}
    for axes, (event, title) in zip(alone, EVENTS.items(), strict=True):
        of_schedulers = enumerate(SCHEDULERS.items())
        curves = [line(style, label, means(results, name), event) for style, (name, label) in of_schedulers]
        draw_means(axes, curves)
        drawn["alone"] += [mean for curve in curves for _, mean, _, _ in curve.points]
        axes.set_title(title)
    for axes, (scheduler, title) in zip(whole, WHOLE.items(), strict=True):
        curves = [
            line(style, ", ".join(way), means(results, scheduler, way, "whole"), "completion")
            for style, way in enumerate(WAYS)
        ]
        draw_means(axes, curves)
        drawn["whole"] += [mean for curve in curves for _, mean, _, _ in curve.points]
        axes.set_title(title)
        axes.set_xlabel("tasks in the scheduler")
    alone[0].set_ylabel("algorithm (microseconds)")
    whole[0].set_ylabel("decision (microseconds)")
    for row, lines in zip((alone, whole), drawn.values(), strict=True):
        if lines:
            row[0].set_ylim(0, 1.5 * percentile(lines, 0.99))
        row[1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    figure.supxlabel(
        f"means of {results.provenance['sets']} sets, bands where apart: {chosen_confidence()} (t); "
        "the largest hundredth discarded; "
        "P-: tasks of one processor. What the host took away now and then is cut off "
        "above. (a), (b): G-EDF and G-RMS stop the world under an MCS lock, the others do not, "
        "under a ticket lock. (b) begins on an idle machine, with cold caches"
    )
    return {"2011-fig4": figure, "2011-fig4-utility": draw_utility(results)}


def draw_utility(results: Results) -> Figure:
    """The utility-accrual algorithms by event, and G-EDF and C-EDF, where that was measured, to compare with."""
    import matplotlib.pyplot as plt

    compared = {"G-EDF": "G-EDF", **({"C-EDF": "C-EDF"} if has_clusters(results) else {})}
    figure, insets = plt.subplots(1, 2, figsize=(PAGE, 2.6), sharex=True, sharey=True)
    for axes, (event, title) in zip(insets, EVENTS.items(), strict=True):
        shown = enumerate({**UTILITY_ACCRUAL, **compared}.items())
        draw_means(axes, [line(style, label, means(results, name), event) for style, (name, label) in shown])
        axes.set_title(title)
        axes.set_xlabel("tasks in the scheduler")
        axes.set_yscale("log")
    insets[0].set_ylabel("algorithm (microseconds)")
    insets[1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    figure.supxlabel(
        f"means of {results.provenance['sets']} sets, bands where apart: {chosen_confidence()} (t); the largest "
        "hundredth discarded; jobs of random worth until the ends of their periods, in underload; P-: tasks of one "
        "processor. gMUA, G-GUA, NG-GUA stop the world under an MCS lock, G-NP-HVDF does not, under a ticket lock"
    )
    return figure


def has_clusters(results: Results) -> bool:
    """Whether the machine had two clusters of two processors."""
    return "C-EDF" in results.values("scheduler")


def level(found: ByEvent, of: ByEvent) -> float:
    """The mean of completions over the numbers of ready jobs that both have met."""
    common = [key for key in found if key in of and key[0] == "completion"]
    return fmean(fmean(found[key]) for key in common) if common else float("nan")


def rise(found: ByEvent) -> float:
    """Of completions: from the least quarter of numbers of ready jobs to the largest quarter."""
    line = [fmean(each) for (event, _), each in sorted(found.items()) if event == "completion"]
    quarter = max(len(line) // 4, 1)
    return fmean(line[-quarter:]) / fmean(line[:quarter]) if line else float("nan")


def by_set(found: ByEvent) -> tuple[float, float, float]:
    """The mean of completions over all numbers of ready jobs, with its interval over sets."""
    lines = [each for (event, _), each in found.items() if event == "completion"]
    each_set = [fmean(each) for each in zip(*lines, strict=True)]
    return mean_interval(each_set) if each_set else (float("nan"),) * 3


def claims(results: Results) -> list[Claim]:
    """Sections 2, 3.5.1 and 5."""
    built = {scheduler: means(results, scheduler) for scheduler in SCHEDULERS}

    def ratio(one: str, other: str) -> float:
        return level(built[one], built[other]) / level(built[other], built[one])

    flat = {name: rise(built[name]) for name in ("G-FIFO", "NG-EDF", "P-EDF", "P-RM")}
    apart = {f"{one} : {other}": ratio(one, other) for one in ("G-EDF", "G-RM") for other in ("G-FIFO", "NG-EDF")}
    on_top = {f"{one} : {other}": ratio(one, other) for one, other in (("G-FIFO", "NG-EDF"), ("P-RM", "P-EDF"))}
    return [
        judge(
            "G-FIFO, G-NP-EDF, P-EDF and P-RMS schedule in O(1) time (completions: at most a quarter more with "
            "many ready)",
            all(factor <= 1.25 for factor in flat.values()),
            f"largest quarter of sizes : smallest: {listed(flat)}; ready jobs are in a heap here",
            described("a G-FIFO whose decisions take twice as long with many ready jobs"),
        ),
        judge(
            "G-EDF and G-RMS exhibit high scheduling overheads (completions: a tenth above G-FIFO and G-NP-EDF)",
            all(factor > 1.1 for factor in apart.values()),
            listed(apart),
            described("a G-EDF that decides as fast as G-FIFO"),
        ),
        judge(
            "G-FIFO and G-NP-EDF are on top of each other, as P-RMS and P-EDF are (within a tenth)",
            all(abs(factor - 1) <= 0.1 for factor in on_top.values()),
            listed(on_top),
            described("a G-FIFO whose decisions take twice as long as G-NP-EDF's"),
        ),
        *dispatching(results),
        *utility_accrual(results),
        clustered(results, built["G-EDF"]),
        not_evaluated(
            "G-EDF, C-EDF and G-RMS schedule in O(m): linear with less than m tasks",
            "ready jobs are in a heap here: what is read grows with its depth",
        ),
        not_evaluated(
            "even a simple linked list as the global queue does not become a bottleneck on 48 processors",
            "ready jobs are in a heap here, and this machine has fewer processors",
        ),
    ]


def clustered(results: Results, globally: ByEvent) -> Claim:
    """Section 3.5.1, on C-EDF."""
    text = "the overhead drastically decreases with C-EDF (completions: at most half of G-EDF's)"
    if not has_clusters(results):
        return not_evaluated(text, f"it needs {LEAST_CLUSTERED} processors: two clusters of two")
    mine = means(results, "C-EDF")
    share = level(mine, globally) / level(globally, mine)
    mutant = described("a C-EDF whose decisions take as long as G-EDF's")
    return judge(text, share <= 0.5, f"C-EDF : G-EDF {share:.2f}", mutant)


def utility_accrual(results: Results) -> list[Claim]:
    """Section 3.4.2 explains two orders of schedulers by what their decisions take."""
    ratios = {}
    for cheap, dear in (("P-LBESA", "P-DASA-ND"), ("gMUA", "NG-GUA")):
        lower, higher = means(results, cheap), means(results, dear)
        ratios[cheap] = level(higher, lower) / level(lower, higher)
    return [
        judge(
            "when in underload, P-LBESA's approach results in significantly lower overheads than P-DASA-ND's "
            "(completions: by a tenth)",
            ratios["P-LBESA"] > 1.1,
            f"P-DASA-ND : P-LBESA {ratios['P-LBESA']:.2f}",
            described("a P-LBESA that decides as slowly as P-DASA-ND"),
        ),
        judge(
            "the overheads of gMUA and NG-GUA differ: NG-GUA's are higher (completions: by a tenth)",
            ratios["gMUA"] > 1.1,
            f"NG-GUA : gMUA {ratios['gMUA']:.2f}; for tasks that share nothing",
            described("an NG-GUA that decides as fast as gMUA"),
        ),
    ]


def dispatching(results: Results) -> list[Claim]:
    """What the architectures and their locks cost whole decisions of those that the paper stops the world for."""
    stopping = [scheduler for scheduler, (architecture, _) in BUILT.items() if architecture == STOPPED]
    took = {
        (scheduler, *way): by_set(means(results, scheduler, way, "whole")) for scheduler in stopping for way in WAYS
    }

    def least(lower: tuple[str, str], higher: tuple[str, str]) -> bool:
        return all(took[one, *lower][2] < took[one, *higher][1] for one in stopping)

    def told(*ways: tuple[str, str]) -> str:
        each = (f"{one} {', '.join(way)} {took[one, *way][0] / 1e3:.1f}" for one in stopping for way in ways)
        return "; ".join(each) + " us"

    stopped = [(STOPPED, lock) for lock in ("mcs", "ticket")]
    return [
        judge(
            "G-EDF and G-RMS suffer from synchronization between processors (whole decisions under stop-the-world, "
            "with its MCS lock, above concurrent ones, with their ticket lock: 99% intervals apart)",
            least((CONCURRENT, "ticket"), (STOPPED, "mcs")),
            told((CONCURRENT, "ticket"), (STOPPED, "mcs")),
            described("stopping the world that takes no longer than concurrent decisions"),
        ),
        judge(
            "stopping the world, an MCS lock is drastically better than a ticket lock (99% intervals apart)",
            least(*stopped),
            f"{told(*stopped)}; of two processors at most one waits",
            described("an MCS lock that is as slow as a ticket lock"),
        ),
    ]


study = RealStudy(
    name="2011-fig4",
    title="chronos-scalability-2011, figure 4: scheduling overheads by number of tasks",
    source=SOURCE,
    points=[
        *grid(scheduler=list(BUILT), architecture=ARCHITECTURES, lock=LOCKS),
        *grid(scheduler=["P-EDF", "P-RM", "P-LBESA", "P-DASA-ND"], architecture=[CONCURRENT], lock=["ticket"]),
        *grid(scheduler=["gMUA", "G-GUA", "NG-GUA", *CLUSTERED], architecture=[STOPPED], lock=["mcs"]),
        *grid(scheduler=["NG-HVDF"], architecture=[CONCURRENT], lock=["ticket"]),
    ],
    evaluate=evaluate,
    draw=draw,
    claims=claims,
    sets=6,
    full_sets=30,
    sets_per_unit=1,
)  # fmt: skip
