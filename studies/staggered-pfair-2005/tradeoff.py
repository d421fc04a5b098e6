"""What staggered quanta cost weights and requests: the rest of section IV-F of staggered-pfair-2005.

The text gives no experiment. Here are random ones.

* Task weights: a task that requires a quanta every b slots, with strict deadlines. Its weight is the least with which
  no job is late (S-PD2 with `weights = "guaranteed"`).
* Synchronization: all tasks share one object, by zones (IV-D) or without locks (IV-C), with one request a job. As many
  tasks as four to a processor; requests of 1 to 10 us, periods of 10 to 100 ms, a quantum of 1 ms. Overhead is what a
  request adds to its job at most, by the task's period.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

from schedlab.plots import (
    CURVES,
    Means,
    chosen_confidence,
    draw_means,
    footnote,
    mean_interval,
    paper_style,
    save_figure,
)
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Parameter, Results, Settings, Study, Unit, grid, not_evaluated, sentence
from schedlab.studies.checks import Lies, Most, Never, more
from schedlab.studies.estimates import Estimate, less, mean, means_apart
from schedlab.studies.mutants import Row, by_row, scaled

QUANTUM = 1_000_000
PROCESSORS = (2, 4, 8, 16)
WEIGHTS = "task weights"
#: By protocol: its heading, and whether it is lock-free.
PROTOCOLS = {"zones": ("zones", False), "lock-free": ("lock-free", True)}
TASKS = Parameter("tasks", 4, "tasks that share the object, for each processor", low=1, high=64)
LONGEST = Parameter("longest_request", 10, "longest request, of at least 1 us", unit="us", low=1, high=900)
#: "Approximately", on average.
NEAR = 0.25
#: "When b is small", in slots.
SMALL = 10
#: "Very low", and "reasonable" if that may double: of a processor, for each task.
LOW = 0.01


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """By set what is lost with aligned and with staggered quanta; None where the published reasoning gives no bound."""
    kind, m = str(unit.parameters["kind"]), int(unit.parameters["processors"])
    rows = [
        _weight(Random(unit.set_seed(index)), m)
        if kind == WEIGHTS
        else _requests(Random(unit.set_seed(index)), m, PROTOCOLS[kind][1], unit.settings)
        for index in unit.sets
    ]
    names = ("aligned", "staggered", "estimate", "slots", "largest_ratio")
    return {"set": list(unit.sets), **{name: [row.get(name) for row in rows] for name in names}}


def _weight(random: Random, m: int) -> dict[str, float | None]:
    """The weights of a task beyond a/b, and the text's estimate of what staggering adds."""
    from schedlab import _native

    slots = random.randint(2, 100)
    quanta = random.randint(1, slots - 1)
    size = (quanta * QUANTUM, slots * QUANTUM)
    weights = [_native.guaranteed_weight(*size, m, QUANTUM, staggered) for staggered in (False, True)]
    above = [weight and float(Fraction(*weight) - Fraction(quanta, slots)) for weight in weights]
    estimate = float(Fraction(quanta, slots * (slots - 1)))
    return {"aligned": above[0], "staggered": above[1], "estimate": estimate, "slots": slots}


def _requests(random: Random, m: int, lock_free: bool, settings: Settings) -> dict[str, float | None]:
    """The mean overhead of a task, and by how many times the worst task's grows."""
    from schedlab import _native

    longest, number = settings[LONGEST] * 1000, settings[TASKS] * m
    tasks = [(random.randint(1_000, longest), random.randint(10, 100) * QUANTUM) for _ in range(number)]
    found = [_native.pfair_requests(tasks, m, QUANTUM, staggered, lock_free) for staggered in (False, True)]
    means = [
        None if None in added else fmean(ns / period for ns, (_, period) in zip(added, tasks, strict=True) if ns)
        for added in found
    ]
    pairs = [(low, high) for low, high in zip(*found, strict=True) if low and high]
    ratio = max((high / low for low, high in pairs), default=None)
    return {"aligned": means[0], "staggered": means[1], "largest_ratio": ratio}


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """Three insets by number of processors: what weights and requests lose."""
    import matplotlib.pyplot as plt

    with paper_style():
        figure, insets = plt.subplots(1, 3, figsize=(PAGE, 2.7))
        _draw_weights(insets[0], results)
        for axes, (kind, (heading, _)) in zip(insets[1:], PROTOCOLS.items(), strict=True):
            drawn = []
            for style, name in enumerate(("aligned", "staggered")):
                found = [(m, lost(results.where(kind=kind, processors=m), name)) for m in PROCESSORS]
                points = [(m, *mean_interval(values)) for m, values in found if len(values) > 1]
                drawn.append(Means(f"{name} quanta", points, style))
            draw_means(axes, drawn)
            axes.set_title(f"requests, {heading}")
            axes.set_xscale("log", base=2)
            axes.set_xticks(PROCESSORS, [str(m) for m in PROCESSORS])
            axes.set_xlabel("processors M")
            axes.set_ylim(bottom=0)
        insets[1].set_ylabel("weight lost by a task, mean")
        # Of a single set, nothing has an interval, and nothing is drawn.
        if insets[1].get_legend_handles_labels()[0]:
            insets[1].legend(loc="upper left")
        footnote(
            figure,
            f"weights: what staggering adds to a/b; requests: one a job, of 1 to "
            f"{results.settings[LONGEST]} us, all tasks share the object; "
            f"{results.provenance['sets']} sets per point, bands where apart: {chosen_confidence()} (t)",
        )
        return save_figure(figure, directory / "2005-tradeoff")


def _draw_weights(axes: Any, results: Results) -> None:
    """What staggering adds, by the number of slots: a mark for each task."""
    rows = _weights(results)
    axes.plot(
        [row["slots"] for row in rows], [_increase(row) for row in rows], linestyle="", marker=".", markersize=3,
        color=CURVES[1]["color"],
    )  # fmt: skip
    axes.set_title("task weights")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("b: slots of a task")
    axes.set_ylabel("increase of its weight")


def _weights(results: Results) -> list[dict[str, Any]]:
    """The tasks that have a weight both ways."""
    rows = results.where(kind=WEIGHTS).table.to_pylist()
    return [row for row in rows if None not in (row["aligned"], row["staggered"])]


def lost(results: Results, column: str) -> list[float]:
    """Of the sets that have a bound."""
    return [value for value in results.table.column(column).to_pylist() if value is not None]


def claims(results: Results) -> list[Claim]:
    """Section IV-F: task weights, suspensions, synchronization."""
    return [
        *_of_weights(results),
        _doubles(results),
        *_overheads(results),
        not_evaluated(
            "suspensions are infrequent in the global schedule and contribute little to the cost of staggering",
            "it is what designs should achieve by supertasks; what one suspension wastes is in 2005-fig8 and 2005-fig9",
        ),
    ]


def _free_if_small(row: Row) -> Row:
    if not row["slots"] or row["aligned"] is None:
        return {}
    return {"staggered": row["aligned"] + (0.0 if row["slots"] <= SMALL else 1.0)}


def _of_weights(results: Results) -> list[Claim]:
    rows = _weights(results)
    small, large = (
        mean([_increase(row) for row in rows if (row["slots"] <= SMALL) is is_small], name)
        for is_small, name in ((True, f"up to {SMALL} slots"), (False, "beyond"))
    )
    found, estimate = [_increase(row) for row in rows], [row["estimate"] for row in rows]

    def beyond(factor: float) -> Estimate:
        return means_apart(found, [factor * one for one in estimate], ("increase", f"{factor:g} of the estimate"))

    heavier = scaled("staggered weights of twice the size", 2, "staggered")
    return [
        sentence(
            f"the increase in weight is approximately a / (b (b - 1)) (within {NEAR:.0%} on average)",
            {"not less": more(beyond(1 - NEAR)), "not more": Lies(beyond(1 + NEAR), high=0.0)},
            heavier,
        ),
        sentence(
            f"weights are most impacted when b is small (up to {SMALL} slots, against more)",
            more(less(small, large)),
            by_row("staggering that costs nothing if b is small, and a whole processor if not", _free_if_small),
        ),
    ]  # fmt: skip


def _doubles(results: Results) -> Claim:
    checks = {}
    for kind in PROTOCOLS:
        ratios = lost(results.where(kind=kind), "largest_ratio")
        worst = max(ratios, default=0.0)
        checks[kind] = Never(sum(one > 2 for one in ratios), len(ratios), f"at most doubled (the largest {worst:.3f})")
    return sentence(
        "staggering at most doubles the overhead of synchronization",
        checks,
        scaled("staggered requests of three times the overhead", 3, "largest_ratio"),
    )


def _overheads(results: Results) -> list[Claim]:
    texts = {
        "aligned": (f"synchronization tends to produce very low overhead in most cases (below {LOW:.0%})", LOW),
        "staggered": (f"its cost remains reasonable under staggering (below {2 * LOW:.0%} in most cases)", 2 * LOW),
    }
    return [
        sentence(
            text,
            Most(
                {
                    f"{kind}, M = {m}": Lies(mean(lost(results.where(kind=kind, processors=m), side)), high=limit)
                    for kind in PROTOCOLS
                    for m in PROCESSORS
                },
                0.5,
            ),
            scaled("overheads of a hundred times the size", 100, side),
        )
        for side, (text, limit) in texts.items()
    ]


def _increase(row: Mapping[str, Any]) -> float:
    return float(row["staggered"] - row["aligned"])


study = Study(
    name="2005-tradeoff",
    title="staggered-pfair-2005, IV-F: the cost of staggering on weights and requests",
    source="Holman, Anderson: Adapting Pfair scheduling for symmetric multiprocessors, JEC 1(4), 2005",
    points=grid(kind=[WEIGHTS, *PROTOCOLS], processors=list(PROCESSORS)),
    evaluate=evaluate,
    settable=(TASKS, LONGEST),
    plot=plot,
    claims=claims,
    sets=200,
)
