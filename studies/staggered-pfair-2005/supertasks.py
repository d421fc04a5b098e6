"""What staggered quanta cost the weights of supertasks: staggered-pfair-2005, section IV-F.

The paper reports, without the experiment's details, that staggering increases the overhead of supertasks by a factor of
about 2.5. Overhead is taken here as the least weight that guarantees the components' deadlines less their utilization.
The sets are our own: random utilizations with a given total, periods that are multiples of a quantum of 1 ms, implicit
deadlines, EDF inside; costs are whole quanta where components are scheduled by quanta.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from schedlab.plots import paper_style, save_figure
from schedlab.studies import Claim, Results, Study, Unit, grid, judge

QUANTUM = 1_000_000
PROCESSORS = (2, 4, 8, 16)
SCHEDULINGS = ("fully-preemptive", "quantum-based")
COMPONENTS = (2, 4, 8)
#: The paper says "approximately 2.5".
FACTOR, NEAR = 2.5, 0.5


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """By set: the overhead with aligned and with staggered quanta; None where no weight up to 1 is enough for both."""
    return {"set": list(unit.sets), **_columns([_overheads(unit, index) for index in unit.sets])}


def _columns(rows: Sequence[tuple[float, float] | None]) -> dict[str, list[Any]]:
    return {name: [row and row[at] for row in rows] for at, name in enumerate(("aligned", "staggered"))}


def _overheads(unit: Unit, index: int) -> tuple[float, float] | None:
    from schedlab import _native

    random = Random(unit.set_seed(index))
    by_quanta = unit.parameters["scheduling"] == "quantum-based"
    processors, count = int(unit.parameters["processors"]), int(unit.parameters["components"])
    components = _components(random, count, by_quanta)
    load = sum((Fraction(cost, period) for cost, period, _ in components), Fraction(0))
    delay = (processors - 1) * QUANTUM // processors
    weights = [_native.supertask_weight(components, True, QUANTUM, late, by_quanta) for late in (0, delay)]
    if any(weight is None for weight in weights):
        return None
    aligned, staggered = (float(Fraction(*weight) - load) for weight in weights if weight)
    return aligned, staggered


def _components(random: Random, count: int, by_quanta: bool) -> list[tuple[int, int, int]]:
    """Cost, period and relative deadline; utilizations that are uniform among those of a total from 0.1 to 0.8."""
    total = random.uniform(0.1, 0.8)
    cuts = [0.0, *sorted(random.uniform(0, total) for _ in range(count - 1)), total]
    found = []
    for low, high in pairwise(cuts):
        period = random.randint(10, 100) * QUANTUM
        cost = max(1, round((high - low) * period))
        if by_quanta:
            cost = max(1, cost // QUANTUM) * QUANTUM
        found.append((cost, period, period))
    return found


def means(results: Results, **where: Any) -> tuple[float, float, int, int]:
    """Mean overheads, aligned and staggered, of the sets that both guarantee; how many those are, and of how many."""
    rows = results.where(**where).table.to_pylist()
    both = [(row["aligned"], row["staggered"]) for row in rows if row["aligned"] is not None]
    aligned, staggered = (sum(column) / max(1, len(both)) for column in zip(*both, strict=True))
    return aligned, staggered, len(both), len(rows)


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """Mean overhead by number of processors."""
    import matplotlib.pyplot as plt

    with paper_style():
        figure, insets = plt.subplots(1, 2, figsize=(7, 2.6), sharey=True, layout="constrained")
        for axes, scheduling in zip(insets, SCHEDULINGS, strict=True):
            by_processors = [(m, means(results, scheduling=scheduling, processors=m)) for m in PROCESSORS]
            names = ("aligned quanta", "staggered quanta")
            points = [[(m, found[at]) for m, found in by_processors] for at in (0, 1)]
            for at, name in enumerate(names):
                axes.plot(*zip(*points[at], strict=True), marker="os"[at], label=name)
            axes.set_title(scheduling)
            axes.set_xlabel("processors")
            axes.set_ylim(bottom=0)
        insets[0].set_ylabel("mean of weight - utilization")
        insets[0].legend()
        return save_figure(figure, directory / "2005-supertasks")


def claims(results: Results) -> list[Claim]:
    """Section IV-F, for each way to schedule components and over all numbers of processors and components."""
    return [_factor(results, scheduling) for scheduling in SCHEDULINGS] + [_low(results)]


def _factor(results: Results, scheduling: str) -> Claim:
    aligned, staggered, both, of = means(results, scheduling=scheduling)
    ratio = staggered / aligned
    numbers = f"{staggered:.4f} / {aligned:.4f} = {ratio:.2f} over {both} of {of} sets that a weight up to 1 guarantees"
    text = f"staggering increases supertasking overhead by a factor of approximately 2.5 ({scheduling} components)"
    return judge(text, abs(ratio - FACTOR) <= NEAR, numbers)


def _low(results: Results) -> Claim:
    aligned, _, _, _ = means(results)
    return judge("supertasking overhead is typically very low (below 0.1 here)", aligned < 0.1, f"mean {aligned:.4f}")


study = Study(
    name="2005-supertasks",
    title="staggered-pfair-2005, IV-F: the cost of staggering on supertask weights",
    points=grid(scheduling=list(SCHEDULINGS), processors=list(PROCESSORS), components=list(COMPONENTS)),
    evaluate=evaluate,
    plot=plot,
    claims=claims,
    sets=200,
)
