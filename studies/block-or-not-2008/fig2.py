"""Figure 2 of block-or-not-2008: the capacity that spinning and suspending leave for background jobs, really.

Section 4.3: six task sets of 32 identical tasks with a utilization of 0.125, of which they consume a quarter; so
background jobs should get 75% of the system where nothing is lost. Each job has one critical section, a part of its
execution called RCSL; tasks are in as many groups of equal size as there are resources, short (waiting jobs spin) or
long (they suspend), listed in a random order. The sets differ in their periods, from 40 ms to 1 s; the text does not
say which ones, nor under which scheduler: here the periods below, and G-EDF. With m processors a set has 8 m tasks, as
many to a processor as in the paper.

Background jobs are as many ordinary threads as processors that compute all the time, ahead of other processes as far
as this user may say so; what others get all the same is in the results (`noise_others`).
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING, Any

from schedlab.plots import COLUMN, CURVES, GREY
from schedlab.runtime import run_json
from schedlab.scenario import Scenario
from schedlab.studies import Claim, Point, RealStudy, Results, Unit, grid, judge, not_evaluated, processors
from schedlab.studies.mutants import described

from ._sets import SOURCE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: By task set, in milliseconds.
PERIODS = [40, 200, 1000, 100, 400, 700]
UTILIZATION, CONSUMED = 0.125, 0.25
#: Of a task set, by processor.
TASKS = 8
RESOURCES = [1, 2, 4]
LENGTHS = {"short": "fmlp-short", "long": "fmlp-long"}
#: What the sets should leave if nothing is lost, in percent: 8 tasks to a processor, each with a quarter of 0.125.
IDEAL = 100 * (1 - TASKS * UTILIZATION * CONSUMED)
#: The paper's machine, and where it found spinning to become detrimental there, by number of resources.
PAPERS_PROCESSORS, PAPERS = 4, {1: 0.2, 2: 0.4, 4: 0.6}
#: How many points of percent less than suspending is detrimental.
DETRIMENTAL = 5.0
#: Conclusion (vi): in less than this part of its time in sections, a system gains nothing appreciable by suspending.
LITTLE = 0.2


def scenario(period_ms: int, rcsl: float, resources: int, length: str, m: int, seconds: int) -> Scenario:
    """One of the sets. Not more than one task set in which a group is empty: there are at least 8 tasks."""
    cost = int(period_ms * 1e6 * UTILIZATION * CONSUMED)
    inside = int(cost * rcsl)
    before = (cost - inside) // 2
    lines = [
        f'schedlab = 1\nhorizon = "{seconds} s"\nscheduler = "G-EDF"\nprotocol = "{LENGTHS[length]}"',
        f"[platform]\nprocessors = {m}",
    ]
    lines += [f'[[resource]]\nname = "r{at}"' for at in range(resources)]
    # All arrive at once and execute in the order of the list. One in which neighbours always share a resource, or
    # never do, would decide how much they spin: it is drawn.
    groups = [at % resources for at in range(TASKS * m)]
    Random(period_ms).shuffle(groups)
    for at, group in enumerate(groups):
        resource = f"r{group}"
        lines += [
            f'[[task]]\nname = "t{at}"\nperiod = "{period_ms} ms"',
            f'program = ["execute {before} ns", "request {resource}", "execute {inside} ns", "release {resource}", '
            f'"execute {cost - inside - before} ns"]',
        ]
    return Scenario.parse("\n".join(lines), "task set")


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """One run for each task set: the part of all processors that background jobs got, in percent."""
    parameters, m = unit.parameters, processors()
    seconds = int(parameters["seconds"])
    shares, missed = [], []
    for index in unit.sets:
        tasks = scenario(
            PERIODS[index % len(PERIODS)], float(parameters["rcsl"]), int(parameters["resources"]),
            str(parameters["length"]), m, seconds,
        )  # fmt: skip
        found = run_json(tasks, ["--background", str(m)], ahead=True)
        got = sum(one or 0 for one in found["background_ns"])
        shares.append(100 * got / (m * seconds * 1e9))
        missed.append(found["jobs"]["missed"])
    return {"processors": [m] * len(shares), "background_percent": shares, "missed": missed}


#: By length and number of resources: percent by RCSL, averaged over task sets.
Curves = dict[tuple[str, int], dict[float, float]]


def curves(results: Results) -> Curves:
    """All curves."""
    found: dict[tuple[str, int], dict[float, list[float]]] = {}
    for row in results.table.to_pylist():
        by_rcsl = found.setdefault((row["length"], row["resources"]), {})
        by_rcsl.setdefault(row["rcsl"], []).append(row["background_percent"])
    return {key: {rcsl: fmean(values) for rcsl, values in one.items()} for key, one in found.items()}


def draw(results: Results) -> Mapping[str, Figure]:
    """All curves against RCSL."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(COLUMN * 1.4, 3.2))
    for at, ((length, resources), one) in enumerate(curves(results).items()):
        filled = {} if length == "short" else {"markerfacecolor": "white"}
        label = f"{length}, {resources} resource{'s' if resources > 1 else ''}"
        axes.plot(list(one), list(one.values()), label=label, **{**CURVES[at], **filled})
    axes.axhline(IDEAL, color=GREY, linewidth=0.6, linestyle=":")
    axes.set_xlabel("relative critical-section length (RCSL)")
    axes.set_ylabel("capacity for background jobs (%)")
    axes.set_ylim(0, 100)
    axes.legend()
    [m] = results.values("processors")
    seconds = results.values("seconds")[0]
    sets = min(results.provenance["sets"], len(PERIODS))
    figure.supxlabel(
        f"{TASKS} m = {TASKS * m} tasks on m = {m} processors (paper: 32 on 4) under G-EDF; averages over {sets} "
        f"task sets, {seconds} s each; dotted: what would be left if nothing were lost"
    )
    return {"2008-fig2": figure}


def threshold(found: Curves, resources: int) -> float | None:
    """The smallest RCSL from which on spinning leaves much less than suspending does."""
    short, long = found["short", resources], found["long", resources]
    worse = {rcsl: short[rcsl] < long[rcsl] - DETRIMENTAL for rcsl in sorted(short)}
    lasting = [rcsl for rcsl in worse if all(bad for other, bad in worse.items() if other >= rcsl)]
    return min(lasting, default=None)


def claims(results: Results) -> list[Claim]:
    """Section 4.3, "Spin-based utilization loss"."""
    found = curves(results)
    [m] = results.values("processors")
    long = [value for (length, _), one in found.items() if length == "long" for value in one.values()]
    apart = max(
        max(found["long", many][rcsl] for many in RESOURCES) - min(found["long", many][rcsl] for many in RESOURCES)
        for rcsl in found["long", 1]
    )
    from_ = {many: threshold(found, many) for many in RESOURCES}
    told = ", ".join(f"{many}: {'never' if at is None else f'from {at}'}" for many, at in from_.items())
    ends = [at if at is not None else 1.0 for at in from_.values()]
    text = "spinning becomes detrimental when RCSL surpasses 0.2 with one resource, roughly 0.4 with two, 0.6 with four"
    if m == PAPERS_PROCESSORS:
        near = all(abs(ends[at] - PAPERS[many]) <= 0.1 for at, many in enumerate(RESOURCES))
        thresholds = judge(
            text,
            near,
            f"by number of resources, {told}",
            described("spinning that loses nothing with one resource"),
        )
    else:
        thresholds = not_evaluated(
            text, f"{PAPERS_PROCESSORS} processors; with {m} at most {m} jobs meet at a resource: here {told}"
        )
    return [
        judge(
            "with long resources, background jobs get about 75% of the capacity (within 5 points everywhere)",
            all(abs(value - IDEAL) <= DETRIMENTAL for value in long), f"from {min(long):.1f}% to {max(long):.1f}%",
            described("background jobs that get half of the capacity with long resources"),
        ),
        judge(
            "the curves for long resources are almost identical (within 3 points of each other)",
            apart <= 3, f"at most {apart:.1f} points apart",
            described("one long resource that costs background jobs 10 points more than four"),
        ),
        thresholds,
        judge(
            "with less contention, the impact of spinning is lower (later with more resources)",
            ends[0] <= ends[1] <= ends[2] and ends[0] < ends[2], f"by number of resources, {told}",
            described("spinning that loses most with four resources"),
        ),
        _of_other_periods(results),
        *_little_in_sections(found, m),
    ]  # fmt: skip


def _of_other_periods(results: Results) -> Claim:
    """Sets differ in their periods, costs and absolute lengths of sections, and in nothing else."""
    text = "only RCSLs and the number of resources had an impact (sets of other periods are within 5 points)"
    found: dict[tuple[str, int, float], list[float]] = {}
    for row in results.table.to_pylist():
        found.setdefault((row["length"], row["resources"], row["rcsl"]), []).append(row["background_percent"])
    if min(map(len, found.values())) < 2:
        return not_evaluated(text, "one task set, so one period")
    apart = {key: max(values) - min(values) for key, values in found.items()}
    most = max(apart, key=lambda key: apart[key])
    length, resources, rcsl = most
    where = f"{length}, {resources} resource{'s' if resources > 1 else ''}, RCSL {rcsl}"
    return judge(
        text,
        apart[most] <= DETRIMENTAL,
        f"at most {apart[most]:.1f} points apart ({where})",
        described("sets of other periods that leave background jobs 10 points less"),
    )


def _little_in_sections(found: Curves, m: int) -> list[Claim]:
    """Conclusion (vi), and that losses should often be negligible in practice."""
    gains = {
        rcsl: max(found["long", many][rcsl] - found["short", many][rcsl] for many in RESOURCES)
        for rcsl in found["long", 1]
        if rcsl < LITTLE
    }
    texts = (
        f"(vi): suspending does not lead to appreciably better results (by {DETRIMENTAL:.0f} points) unless a system "
        "spends at least 20% of its time in sections",
        f"where it spends less, what spinning loses is negligible (on average, below {DETRIMENTAL / 2:.1f} points)",
    )
    if not gains:
        return [not_evaluated(text, f"no RCSL below {LITTLE}") for text in texts]
    told = ", ".join(f"{gain:+.1f} points at an RCSL of {rcsl}" for rcsl, gain in gains.items())
    mean = fmean(found["long", many][rcsl] - found["short", many][rcsl] for many in RESOURCES for rcsl in gains)
    return [
        judge(
            texts[0],
            max(gains.values()) <= DETRIMENTAL,
            f"suspending leaves at most {told} more; m = {m}",
            described("suspending that leaves background jobs 10 points more at small RCSLs"),
        ),
        judge(
            texts[1],
            mean <= DETRIMENTAL / 2,
            f"{mean:.1f} points on average; m = {m}",
            described("spinning that loses 10 points at small RCSLs"),
        ),
    ]


def points(steps: list[float], seconds: int) -> list[Point]:
    """The grid for these relative lengths and runs of so many seconds."""
    return grid(seconds=[seconds], length=list(LENGTHS), resources=RESOURCES, rcsl=steps)


study = RealStudy(
    name="2008-fig2",
    title="block-or-not-2008, figure 2: capacity left for background jobs by spinning and suspending, measured",
    source=SOURCE,
    points=points([0.1, 0.3, 0.5, 0.7, 0.9], 2),
    full_points=points([tenth / 10 for tenth in range(1, 11)], 60),
    evaluate=evaluate,
    draw=draw,
    claims=claims,
    sets=2,
    full_sets=len(PERIODS),
    sets_per_unit=1,
)
