"""What staggered quanta cost the weights of supertasks: staggered-pfair-2005, section IV-F.

The paper reports, without the experiment's details, that staggering increases the overhead of supertasks by a factor of
about 2.5. Overhead is taken here as the least weight that guarantees the components' deadlines less their utilization.
The sets are our own: random utilizations with a given total, periods that are multiples of a quantum of 1 ms, implicit
deadlines, EDF inside; costs are whole quanta where components are scheduled by quanta. All numbers of processors see
the same sets. Where demand matters over very long intervals, weights are found to 1/4096.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from schedlab.plots import Means, chosen_confidence, draw_means, footnote, mean_interval, paper_style, save_figure
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Parameter, Point, Results, Settings, Study, Unit, grid, not_evaluated, sentence
from schedlab.studies.checks import Check, more
from schedlab.studies.estimates import means_apart
from schedlab.studies.mutants import scaled

QUANTUM = 1_000_000
PROCESSORS = (2, 4, 8, 16)
SCHEDULINGS = {"fully-preemptive": "fully preemptive components", "quantum-based": "components scheduled by quanta"}
COMPONENTS = (2, 4, 8)
NUMBERS = Parameter("components", COMPONENTS, "numbers of components of a supertask", low=1, high=64)
LARGEST = Parameter("largest_total", 0.8, "largest total utilization of a supertask", low=0.1, high=1)
LONGEST = Parameter("longest_period", 100, "longest period", unit="quanta", low=10, high=10_000)
#: The column of aligned quanta, and of staggered ones by number of processors.
ALIGNED, STAGGERED = "aligned", {processors: f"staggered_{processors}" for processors in PROCESSORS}
UNKNOWN = "the text does not give the supertasks of which it is said"


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """By set: the overhead with aligned and with staggered quanta; None where no weight up to 1 is enough for all."""
    rows = [_overheads(unit, index) for index in unit.sets]
    names = (ALIGNED, *STAGGERED.values())
    return {"set": list(unit.sets), **{name: [row and row[at] for row in rows] for at, name in enumerate(names)}}


def _overheads(unit: Unit, index: int) -> tuple[float, ...] | None:
    from schedlab import _native

    random = Random(unit.set_seed(index))
    by_quanta = unit.parameters["scheduling"] == "quantum-based"
    largest, longest = unit.settings[LARGEST], unit.settings[LONGEST]
    components = _components(random, int(unit.parameters["components"]), by_quanta, largest, longest)
    load = sum((Fraction(cost, period) for cost, period, _ in components), Fraction(0))
    delays = (0, *((processors - 1) * QUANTUM // processors for processors in PROCESSORS))
    weights = [_native.supertask_weight(components, True, QUANTUM, late, by_quanta) for late in delays]
    if any(weight is None for weight in weights):
        return None
    return tuple(float(Fraction(*weight) - load) for weight in weights if weight)


def _components(
    random: Random, count: int, by_quanta: bool, largest: float, longest: int
) -> list[tuple[int, int, int]]:
    """Cost, period and relative deadline; utilizations that are uniform among those of a total from 0.1 to the largest.

    Periods are from 10 quanta to the longest.
    """
    total = random.uniform(0.1, largest)
    cuts = [0.0, *sorted(random.uniform(0, total) for _ in range(count - 1)), total]
    found = []
    for low, high in pairwise(cuts):
        period = random.randint(10, longest) * QUANTUM
        cost = max(1, round((high - low) * period))
        if by_quanta:
            cost = max(1, cost // QUANTUM) * QUANTUM
        found.append((cost, period, period))
    return found


def overheads(results: Results, column: str, **where: Any) -> list[float | None]:
    """By set; None of one that cannot be guaranteed."""
    found: list[float | None] = results.where(**where).table.column(column).to_pylist()
    return found


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """Mean overhead by number of processors."""
    import matplotlib.pyplot as plt

    with paper_style():
        figure, insets = plt.subplots(1, 2, figsize=(PAGE, 2.7), sharey=True)
        for axes, (scheduling, title) in zip(insets, SCHEDULINGS.items(), strict=True):
            curves = {
                "aligned quanta": [ALIGNED] * len(PROCESSORS),
                "staggered quanta": list(STAGGERED.values()),
            }
            drawn = []
            for style, (name, columns) in enumerate(curves.items()):
                values = [overheads(results, column, scheduling=scheduling) for column in columns]
                found = [mean_interval([one for one in of if one is not None]) for of in values]
                points = [(processors, *each) for processors, each in zip(PROCESSORS, found, strict=True)]
                drawn.append(Means(name, points, style))
            draw_means(axes, drawn)
            axes.set_title(title)
            axes.set_xscale("log", base=2)
            axes.set_xticks(PROCESSORS, [str(processors) for processors in PROCESSORS])
            axes.set_xlabel("processors M")
            axes.set_ylim(bottom=0)
        insets[0].set_ylabel("overhead: weight less utilization, mean")
        insets[1].legend(loc="upper left")
        sets = results.provenance["sets"] * len(results.settings[NUMBERS])
        footnote(
            figure,
            f"{sets} supertasks of {', '.join(map(str, results.settings[NUMBERS]))} components each; "
            f"bands where apart: {chosen_confidence()} (t)",
        )
        return save_figure(figure, directory / "2005-supertasks")


def claims(results: Results) -> list[Claim]:
    """Section IV-F, for each way to schedule components and over all numbers of processors and components.

    How much more, and how much it is, depends on the supertasks: the text has neither their number nor their tasks.
    """
    checks: dict[str, Check] = {}
    told = []
    for scheduling in SCHEDULINGS:
        aligned = overheads(results, ALIGNED, scheduling=scheduling)
        for m, name in STAGGERED.items():
            staggered = overheads(results, name, scheduling=scheduling)
            checks[f"{scheduling}, M = {m}"] = more(means_apart(staggered, aligned, ("staggered", "aligned")))
        known = [(a, b) for a, b in zip(aligned, staggered, strict=True) if a is not None and b is not None]
        told.append(f"{scheduling} {sum(b for _, b in known) / sum(a for a, _ in known):.2f} at M = {PROCESSORS[-1]}")
    low = [one for one in overheads(results, ALIGNED) if one is not None]
    return [
        sentence(
            "staggering increases supertasking overhead",
            checks,
            scaled("staggered supertasks that need a tenth of the overhead", 0.1, *STAGGERED.values()),
        ),
        not_evaluated("it does so by a factor of approximately 2.5", f"{UNKNOWN}; here {', '.join(told)}"),
        not_evaluated("supertasking overhead is typically very low", f"{UNKNOWN}; here {sum(low) / len(low):.4f}"),
    ]


def points(settings: Settings) -> list[Point]:
    """The grid."""
    return grid(scheduling=list(SCHEDULINGS), components=settings[NUMBERS])


study = Study(
    name="2005-supertasks",
    title="staggered-pfair-2005, IV-F: the cost of staggering on supertask weights",
    source="Holman, Anderson: Adapting Pfair scheduling for symmetric multiprocessors, JEC 1(4), 2005",
    points=points(Settings()),
    settable=(NUMBERS, LARGEST, LONGEST),
    regrid=points,
    evaluate=evaluate,
    plot=plot,
    claims=claims,
    sets=200,
)
