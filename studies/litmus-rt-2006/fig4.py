"""Figure 4 of litmus-rt-2006: what preemptions and migrations, context switches and decisions cost, really.

(a) By working-set size, all processors at once, quanta aligned or staggered: what writing a cold working set costs
more than writing a warm one (`schedlab-rt measure reloads`); also for reads, of which the text speaks. (b), (c) by the
number of tasks, under each scheduler (`schedlab-rt measure sets`): from a decision until the chosen thread executes on
the same processor, and the time in which a policy decides. The largest hundredth of the values is dropped, as in
block-or-not-2008; the text of this paper says of the curves in (a) that they estimate the worst case.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

import numpy as np

from schedlab.plots import CURVES, PAGE
from schedlab.runtime import ask
from schedlab.studies import Claim, Point, RealStudy, Results, Unit, grid, judge, listed, not_evaluated
from schedlab.studies.mutants import described

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCHEDULERS = ["P-EDF", "G-EDF", "NG-EDF", "PD2", "S-PD2"]
BYTES = [size << 10 for size in (4, 32, 64, 128, 256)]
ALIGNMENTS = ["aligned", "staggered"]
REASONS = {"cache_related_preemption": "preemption", "cache_related_migration": "migration"}
OVERHEADS = {"context_switch": "(b) context switches", "deciding": "(c) decisions"}


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """Of working sets a row for each reason and path, of task sets one for each overhead."""
    parameters = unit.parameters
    rows: list[dict[str, Any]] = []
    for index in unit.sets:
        if parameters["inset"] == "a":
            flags = ["--staggered"] if parameters["quanta"] == "staggered" else []
            flags += ["--reads"] if parameters["access"] == "reads" else []
            found = ask("measure", "reloads", "--bytes", parameters["bytes"], "--rounds", 300, *flags)
        else:
            where = ["--scheduler", parameters["scheduler"], "--tasks", parameters["size"], "--set", index]
            overheads = ask("measure", "sets", *where, "--length", parameters["length"])
            found = [{"what": what, **overheads[what]} for what in OVERHEADS if what in overheads]
        rows += [{"set": index, "path": None, **one} for one in found]
    names = ("set", "what", "path", "count", "mean_ns", "max_ns")
    return {name: [row[name] for row in rows] for name in names}


def reload_means(results: Results, what: str, quanta: str, access: str, column: str) -> list[float]:
    """By size of the working set, in microseconds: over runs and paths."""
    found = results.where(inset="a", what=what, quanta=quanta, access=access)
    return [fmean(found.where(bytes=size).table.column(column).to_pylist()) / 1e3 for size in BYTES]


def set_means(results: Results, what: str, scheduler: str, column: str) -> dict[int, float]:
    """By number of tasks, in microseconds: over task sets."""
    by_size: dict[int, list[float]] = {}
    for row in results.where(inset="bc", what=what, scheduler=scheduler).table.to_pylist():
        by_size.setdefault(row["size"], []).append(row[column] / 1e3)
    return {size: fmean(values) for size, values in by_size.items()}


def draw(results: Results) -> Mapping[str, Figure]:
    """The three insets: means with markers, maxima as thin lines of the same colour."""
    import matplotlib.pyplot as plt

    figure, (first, *others) = plt.subplots(1, 3, figsize=(PAGE, 2.9))
    kib = [size >> 10 for size in BYTES]
    curves = [(what, quanta) for what in REASONS for quanta in ALIGNMENTS]
    for at, (what, quanta) in enumerate(curves):
        means, maxima = (reload_means(results, what, quanta, "writes", column) for column in ("mean_ns", "max_ns"))
        first.plot(kib, means, label=f"{REASONS[what]}, {quanta}", **CURVES[at])
        first.plot(kib, maxima, color=CURVES[at]["color"], linewidth=0.5)
    first.set_xlabel("working set (KiB)")
    first.set_ylabel("microseconds")
    first.set_title("(a) preemptions, migrations")
    _legend(first)
    for axes, (what, title) in zip(others, OVERHEADS.items(), strict=True):
        for at, scheduler in enumerate(SCHEDULERS):
            by_size, most = (set_means(results, what, scheduler, column) for column in ("mean_ns", "max_ns"))
            axes.plot(list(by_size), list(by_size.values()), label=scheduler, **CURVES[at])
            axes.plot(list(most), list(most.values()), color=CURVES[at]["color"], linewidth=0.5)
        axes.set_title(title)
        axes.set_xlabel("number of tasks")
        axes.set_ylim(bottom=0)
    _legend(others[0])
    sets = results.provenance["sets"]
    figure.supxlabel(
        f"markers: means; thin lines: maxima; both without the largest hundredth, over {sets} runs or task sets a "
        "point; (a): every line written, all processors at once"
    )
    return {"2006-fig4": figure}


def _legend(axes: Any) -> None:
    """A legend above the curves."""
    axes.set_ylim(0, 1.4 * axes.get_ylim()[1])
    axes.legend(fontsize=6, loc="upper left")


def claims(results: Results) -> list[Claim]:
    """Section 4.1, of means."""
    reloads = {
        (REASONS[what], quanta, access): reload_means(results, what, quanta, access, "mean_ns")
        for what in REASONS for quanta in ALIGNMENTS for access in ("writes", "reads")
    }  # fmt: skip

    def told(*curves: tuple[str, str]) -> str:
        lists = (
            f"{reason}, {quanta}: " + ", ".join(f"{value:.1f}" for value in reloads[reason, quanta, "writes"])
            for reason, quanta in curves
        )
        return "; ".join(lists) + " us at " + ", ".join(str(size >> 10) for size in BYTES) + " KiB"

    def above(one: tuple[str, str], other: tuple[str, str]) -> bool:
        pairs = zip(reloads[*one, "writes"], reloads[*other, "writes"], strict=True)
        return all(high > low for high, low in pairs)

    written = [(reason, quanta) for reason in REASONS.values() for quanta in ALIGNMENTS]
    fits = {curve: float(np.corrcoef(BYTES, reloads[*curve, "writes"])[0, 1]) ** 2 for curve in written}
    apart = [abs(a / b - 1) for a, b in zip(*(reloads["preemption", one, "writes"] for one in ALIGNMENTS), strict=True)]
    halves = [
        read / write
        for curve in written
        for read, write in zip(reloads[*curve, "reads"], reloads[*curve, "writes"], strict=True)
        if write > 0
    ]
    migrates = [(("migration", quanta), ("preemption", quanta)) for quanta in ALIGNMENTS]
    return [
        judge(
            "(a) migration costs are higher than preemption costs, for aligned and for staggered quanta",
            all(above(*pair) for pair in migrates), told(*(curve for pair in migrates for curve in pair)),
            described("migrations that cost less than preemptions"),
        ),
        judge(
            "(a) both scale linearly with the working set (r^2 of a line at least 0.95)",
            min(fits.values()) >= 0.95, ", ".join(f"{' '.join(curve)} {fit:.3f}" for curve, fit in fits.items()),
            described("preemptions that cost the same for all working sets"),
        ),
        judge(
            "(a) preemption costs are nearly identical for aligned and staggered quanta (within 10% at each size)",
            max(apart) <= 0.1, "apart by " + ", ".join(f"{one:.0%}" for one in apart),
            described("staggered preemptions of twice the cost of aligned ones"),
        ),
        judge(
            "(a) migration costs are higher with aligned quanta (at each size)",
            above(("migration", "aligned"), ("migration", "staggered")),
            told(("migration", "aligned"), ("migration", "staggered")),
            described("staggered migrations of twice the cost of aligned ones"),
        ),
        judge(
            "(a) with reads instead of writes all costs are roughly halved (median ratio from 0.4 to 0.6)",
            0.4 <= median(halves) <= 0.6, f"median ratio {median(halves):.2f}",
            described("reads that cost what writes do"),
        ),
        *_of_sets(results),
    ]  # fmt: skip


def _of_sets(results: Results) -> list[Claim]:
    """Insets (b) and (c), means over sizes."""
    typical = {
        (what, scheduler): fmean(set_means(results, what, scheduler, "mean_ns").values())
        for what in OVERHEADS for scheduler in SCHEDULERS
    }  # fmt: skip
    switches, decisions = ({one: typical[what, one] for one in SCHEDULERS} for what in OVERHEADS)
    numbers = [listed(found) + " us" for found in (switches, decisions)]
    return [
        judge(
            "(b) context switches cost least under P-EDF",
            min(switches, key=switches.__getitem__) == "P-EDF", numbers[0],
            described("context switches that cost most under P-EDF"),
        ),
        not_evaluated(
            "(b) a context switch costs several orders of magnitude less than all others",
            f"here it contains waking the chosen thread, which the paper counts elsewhere: {numbers[0]}",
        ),
        judge(
            "(c) decisions cost little, with the exception of G-EDF (the dearest, 1.5 times the median of the others)",
            decisions["G-EDF"] >= 1.5 * median(value for one, value in decisions.items() if one != "G-EDF")
            and max(decisions, key=decisions.__getitem__) == "G-EDF",
            numbers[1],
            described("a G-EDF that decides as fast as the others"),
        ),
    ]  # fmt: skip


def points(sizes: range, length: str) -> list[Point]:
    """Working sets, then task sets of these sizes."""
    return [
        *grid(inset=["a"], bytes=BYTES, quanta=ALIGNMENTS, access=["writes", "reads"]),
        *grid(inset=["bc"], scheduler=SCHEDULERS, size=list(sizes), length=[length]),
    ]


study = RealStudy(
    name="2006-fig4",
    title="litmus-rt-2006, figure 4: preemptions, migrations, context switches and decisions, measured",
    source="Calandrino, Leontyev, Block, Devi, Anderson: LITMUS-RT, RTSS 2006",
    points=points(range(10, 101, 30), "1s"),
    full_points=points(range(10, 101, 10), "10s"),
    evaluate=evaluate,
    draw=draw,
    claims=claims,
    sets=2,
    full_sets=10,
    sets_per_unit=1,
)
