"""Figure 12 of litmus-rt-2006: how long continuously backlogged tasks take for BACKTEST, really.

Section 4.3: each task executes 5,000,000 iterations times its weight, so that ideally all complete at once, which is
when is measured: the average task completion time (ATC) and its standard deviation; three task sets, three sizes of
arrays. A job ends at its budget and the program goes on in the next. The sets are for four processors; with m of them
there are ceil(count * m / 4) of each of the paper's tasks. Processors of today do the paper's iterations within most
tasks' first jobs, where only the order of first jobs shows: usual runs have a hundred times as many; --full has both.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import TYPE_CHECKING, Any

from schedlab.plots import CURVES, PAGE
from schedlab.runtime import run_json
from schedlab.studies import Claim, RealStudy, Results, StudyError, Unit, grid, judge, not_evaluated, processors
from schedlab.studies.mutants import described

from ._backtest import SETS, counts, scenario

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ARRAYS = [16, 64, 128]
SCHEDULERS = ["P-EDF", "G-EDF", "NG-EDF", "PD2", "S-PD2"]
PAPERS, USUAL = 5_000_000, 500_000_000
#: Times the mean of the others.
REASONABLE = 1.2


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """One run for each set: when its tasks completed their programs."""
    parameters = unit.parameters
    m = processors()
    tasks = scenario(
        str(parameters["tasks"]), str(parameters["scheduler"]), m, int(parameters["array_kib"]),
        int(parameters["iterations"]),
    )  # fmt: skip
    runs = [run_json(tasks) for _ in unit.sets]
    for found in runs:
        if found["ending"] != "programs_completed":
            raise StudyError(f"{unit}: not all programs were completed: {found['ending']}")
    programs = [found["programs"] for found in runs if found["programs"] is not None]
    return {
        "processors": [m] * len(runs),
        "count": [found["count"] for found in programs],
        "mean_ns": [found["mean_ns"] for found in programs],
        "deviation_ns": [found["deviation_ns"] for found in programs],
        "missed": [found["jobs"]["missed"] for found in runs],
    }


#: By task set, array and scheduler: mean over runs of a column, in milliseconds.
Times = dict[tuple[str, int, str], float]


def times(results: Results, column: str, iterations: int) -> Times:
    """Of one number of iterations."""
    found: dict[tuple[str, int, str], list[float]] = {}
    for row in results.where(iterations=iterations).table.to_pylist():
        found.setdefault((row["tasks"], row["array_kib"], row["scheduler"]), []).append(row[column] / 1e6)
    return {key: fmean(values) for key, values in found.items()}


def draw(results: Results) -> Mapping[str, Figure]:
    """A figure for each number of iterations, with an inset for each set."""
    figures = {}
    for iterations in results.values("iterations"):
        name = "2006-fig12" if iterations == USUAL else f"2006-fig12-{iterations}-iterations"
        figures[name] = _draw(results, iterations)
    return figures


def _draw(results: Results, iterations: int) -> Figure:
    import matplotlib.pyplot as plt

    [m] = results.values("processors")
    means, deviations = (times(results, column, iterations) for column in ("mean_ns", "deviation_ns"))
    figure, insets = plt.subplots(1, len(SETS), figsize=(PAGE, 2.8), sharey=True)
    width = 0.8 / len(SCHEDULERS)
    for axes, name in zip(insets, SETS, strict=True):
        for at, scheduler in enumerate(SCHEDULERS):
            places = [group + (at - len(SCHEDULERS) / 2 + 0.5) * width for group in range(len(ARRAYS))]
            axes.bar(
                places, [means[name, array, scheduler] for array in ARRAYS], width,
                yerr=[deviations[name, array, scheduler] for array in ARRAYS],
                label=scheduler, color=CURVES[at]["color"], alpha=0.6,  # the error bars show on black, too
                error_kw={"linewidth": 0.7, "capsize": 1.5},
            )  # fmt: skip
        axes.set_xticks(range(len(ARRAYS)), [f"{array} KiB" for array in ARRAYS])
        axes.set_title(f"set ({name}): {sum(counts(name, m))} tasks")
        axes.set_xlabel("array size")
        axes.grid(axis="x", visible=False)
    insets[0].set_ylabel("average task completion time (ms)")
    handles, labels = insets[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center")
    runs = results.provenance["sets"]
    figure.supxlabel(
        f"with m = {m} processors a set has ceil(count m/4) of each of the paper's tasks; {iterations:,} iterations "
        f"times weight (paper: {PAPERS:,}); means of {runs} runs; bars: standard deviation over tasks"
    )
    return figure


def claims(results: Results) -> list[Claim]:
    """Section 4.3, of the largest number of iterations."""
    iterations = max(results.values("iterations"))
    means, deviations = (times(results, column, iterations) for column in ("mean_ns", "deviation_ns"))
    cases = [(name, array) for name in SETS for array in ARRAYS]

    def least(found: Times, name: str, array: int) -> str:
        return min(SCHEDULERS, key=lambda scheduler: found[name, array, scheduler])

    def told(found: Times, some: list[tuple[str, int]], *schedulers: str) -> str:
        return "; ".join(
            f"{name}, {array} KiB: " + ", ".join(f"{one} {found[name, array, one]:.1f} ms" for one in schedulers)
            for name, array in some
        )

    def least_everywhere(name: str, scheduler: str, text: str) -> Claim:
        some = [(name, array) for array in ARRAYS]
        mutant = described(f"a {scheduler} whose ATC is the largest")
        return judge(
            text, all(least(means, *case) == scheduler for case in some), told(means, some, *SCHEDULERS), mutant
        )

    smallest = [case for case in cases if least(means, *case) == "P-EDF"]
    widest = [case for case in cases if max(SCHEDULERS, key=lambda one: deviations[*case, one]) == "P-EDF"]
    fair = [
        case for case in cases
        if max(deviations[*case, one] for one in ("PD2", "S-PD2"))
        < min(deviations[*case, one] for one in ("P-EDF", "G-EDF", "NG-EDF"))
    ]  # fmt: skip
    reasonable = [
        case for case in cases
        if max(means[*case, one] for one in ("PD2", "S-PD2"))
        <= REASONABLE * fmean(means[*case, one] for one in ("P-EDF", "G-EDF", "NG-EDF"))
    ]  # fmt: skip
    higher = [case for case in cases if means[*case, "NG-EDF"] > means[*case, "G-EDF"]]
    total = len(cases)
    return [
        judge(
            "the ATC of P-EDF is not the smallest for any array size", not smallest,
            f"the smallest in {len(smallest)} of {total} cases",
            described("a P-EDF whose ATC is the smallest"),
        ),
        judge(
            "P-EDF has large standard deviations (the largest in most cases)", len(widest) > total / 2,
            f"the largest in {len(widest)} of {total} cases",
            described("completion times that never vary under P-EDF"),
        ),
        least_everywhere("C", "PD2", "for set (C), PD2 has the lowest ATC of any scheme"),
        judge(
            "for every set and array size, NG-EDF has a higher ATC than G-EDF", len(higher) == total,
            f"in {len(higher)} of {total} cases: {told(means, cases, 'G-EDF', 'NG-EDF')}",
            described("an NG-EDF whose ATC is below G-EDF's"),
        ),
        least_everywhere("A", "S-PD2", "for set (A), S-PD2 has the best ATC of any scheme"),
        judge(
            "both Pfair schemes tend to do better in terms of standard deviation (than each EDF scheme in most cases)",
            len(fair) > total / 2, f"in {len(fair)} of {total} cases: {told(deviations, cases, *SCHEDULERS)}",
            described("Pfair schemes whose completion times vary most"),
        ),
        judge(
            "both Pfair schemes compare reasonably to the others in terms of ATC (within 20% of the EDF schemes' mean, "
            "in most cases)",
            len(reasonable) > total / 2, f"in {len(reasonable)} of {total} cases",
            described("Pfair schemes whose ATC is twice that of the others"),
        ),
        not_evaluated(
            "for each algorithm, scenarios exist in which it is the preferred choice",
            "it sums up all figures; each has its own claims, and the text has no measure of preference",
        ),
    ]  # fmt: skip


def points(*iterations: int) -> list[Any]:
    """The grid for these numbers of iterations."""
    return grid(iterations=list(iterations), tasks=list(SETS), array_kib=ARRAYS, scheduler=SCHEDULERS)


study = RealStudy(
    name="2006-fig12",
    title="litmus-rt-2006, figure 12: completion times of BACKTEST, measured",
    source="Calandrino, Leontyev, Block, Devi, Anderson: LITMUS-RT, RTSS 2006",
    points=points(USUAL),
    full_points=points(PAPERS, USUAL),
    evaluate=evaluate,
    draw=draw,
    claims=claims,
    sets=2,
    full_sets=10,
    sets_per_unit=1,
)
