"""Table II of chronos-scalability-2011: what it costs the kernel to migrate a ready task, by scheduling architecture.

Section 3.5.2 explains the difference by the lock of the run queue that a task is pulled from: under stop-the-world its
processor is likely to be in the scheduler itself, under the concurrent architecture it is not. The runtime has one
architecture and the kernel's own migration, so that cause is measured: a ready thread is pulled from a processor that
executes a program, and from one that switches between two threads all the time. Ticks are those of the time-stamp
counter, as in the paper.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any

from schedlab.plots import PAGE, mean_interval
from schedlab.runtime import ask
from schedlab.studies import Claim, RealStudy, Results, Unit, grid, judge
from schedlab.studies.spread import spread

from ._paths import SOURCE, need_two

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The other processor's state, the architecture that has it, and the paper's average, deviation and worst in ticks.
STATES = {
    "executes": ("concurrent", (4516, 1423, 48459)),
    "schedules": ("stop-the-world", (14866, 8401, 38867)),
}


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """Ticks of a pull by set and state; the average and the deviation are of all pulls, as in the paper."""
    need_two()
    rows = []
    for index in unit.sets:
        found = ask("probe", "pulls", "--rounds", unit.parameters["pulls"])
        rows += [
            {"set": index, "state": state, "ticks_per_us": found["ticks_per_us"], **spread(found[state]),
             "mean": fmean(found[state]), "deviation": pstdev(found[state])}
            for state in STATES
        ]  # fmt: skip
    return {name: [row[name] for row in rows] for name in rows[0]}


def columns(results: Results, state: str) -> dict[str, list[float]]:
    """By name: each set's value."""
    table = results.where(state=state).table
    return {
        name: table.column(name).to_pylist()
        for name in ("mean", "deviation", "median", "high", "worst", "ticks_per_us")
    }


def draw(results: Results) -> Mapping[str, Figure]:
    """The table, beside the paper's."""
    import matplotlib.pyplot as plt

    cells = []
    for state, (_, paper) in STATES.items():
        of = columns(results, state)
        mean, low, high = mean_interval(of["mean"])
        here = [f"{mean:.0f} ({low:.0f} to {high:.0f})", f"{fmean(of['deviation']):.0f}", f"{max(of['worst']):.0f}"]
        cells.append([*here, f"{fmean(of['median']):.0f}", f"{fmean(of['high']):.0f}", *map(str, paper)])
    figure, axes = plt.subplots(figsize=(PAGE, 1.3))
    axes.set_axis_off()
    table = axes.table(
        cellText=cells,
        rowLabels=[f"{architecture} (it {state})" for state, (architecture, _) in STATES.items()],
        colLabels=["average", "st. dev.", "worst", "median", "99%", "paper: average", "st. dev.", "worst"],
        colWidths=[0.19, 0.075, 0.075, 0.075, 0.075, 0.14, 0.075, 0.075],
        loc="center",
        cellLoc="right",
    )
    table.auto_set_font_size(False)
    table.set_fontsize(7)
    for cell in table.get_celld().values():
        cell.set_linewidth(0.4)
    rate = fmean(columns(results, "executes")["ticks_per_us"])
    figure.supxlabel(
        f"ticks of a pull, {rate:.0f} to a microsecond; {results.provenance['sets']} sets of "
        f"{results.values('pulls')[0]:,}, in parentheses "
        "99% confidence (t). Paper: 48 processors at 1.7 GHz; its architectures are stood for by what the other "
        "processor does"
    )
    return {"2011-table2": figure}


def claims(results: Results) -> list[Claim]:
    """Section 3.5.2."""
    of = {state: columns(results, state) for state in STATES}
    intervals = {state: mean_interval(found["mean"]) for state, found in of.items()}
    worst = {state: max(found["worst"]) for state, found in of.items()}
    told = ", ".join(f"{state} {mean:.0f} ({low:.0f} to {high:.0f})" for state, (mean, low, high) in intervals.items())
    return [
        judge(
            "the average is lower under the concurrent architecture (99% intervals apart)",
            intervals["executes"][2] < intervals["schedules"][1],
            f"the other processor {told} ticks",
        ),
        judge(
            "its worst is significantly higher",
            worst["executes"] > worst["schedules"],
            ", ".join(f"{state} {ticks:.0f}" for state, ticks in worst.items()),
        ),
    ]


study = RealStudy(
    name="2011-table2",
    title="chronos-scalability-2011, table II: the kernel's cost of a migration",
    source=SOURCE,
    points=grid(pulls=[4000]),
    evaluate=evaluate,
    draw=draw,
    claims=claims,
    sets=10,
    full_sets=100,
)
