"""Table II of chronos-scalability-2011: what it costs the kernel to migrate a task, by scheduling architecture.

The first two rows are the runtime's own migrations under G-EDF, whose decisions stop the world or do not; the last
column says what a whole decision takes there, the standstill included. Section 3.5.2 explains the difference by the
lock of the run queue that a ready task is pulled from: under stop-the-world its processor is likely to be in the
scheduler itself. The runtime mostly moves threads that sleep at their gates, so that cause is measured by itself, too:
a ready thread is pulled from a processor that executes a program, and from one that switches between two threads all
the time. Ticks are those of the time-stamp counter, as in the paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any

from schedlab.plots import PAGE, chosen_confidence, mean_interval
from schedlab.runtime import ask
from schedlab.studies import Claim, RealStudy, Results, Unit, grid, judge, not_evaluated
from schedlab.studies.mutants import described
from schedlab.studies.spread import spread

from ._paths import SOURCE, need_two

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The paper's average, deviation and worst, in ticks.
ARCHITECTURES = {"concurrent": (4516, 1423, 48459), "stop-the-world": (14866, 8401, 38867)}
#: What the processor does that a thread is pulled from.
STATES = ["executes", "schedules"]
TASKS, LENGTH = 20, "2s"


def row(index: int, case: str, ticks: list[float], decisions: list[float]) -> dict[str, Any]:
    """Of all migrations, as in the paper."""
    decision = fmean(decisions) if decisions else 0.0
    return {"set": index, "case": case, **spread(ticks), "mean": fmean(ticks), "deviation": pstdev(ticks),
            "decision": decision}  # fmt: skip


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """Ticks of a migration by set and architecture, and of a pull by what the other processor does."""
    need_two()
    rows = []
    for index in unit.sets:
        pulls = ask("measure", "pulls", "--rounds", unit.parameters["pulls"])
        for architecture in ARCHITECTURES:
            ran = ask("measure", "architectures", "--scheduler", "G-EDF", "--tasks", TASKS, "--set", index,
                      "--length", LENGTH, "--architecture", architecture)  # fmt: skip
            ticks, decisions = (
                [ns * pulls["ticks_per_us"] / 1e3 for ns in ran[what]] for what in ("migrations_ns", "decisions_ns")
            )
            rows.append({**row(index, architecture, ticks, decisions), "ticks_per_us": pulls["ticks_per_us"]})
        rows += [{**row(index, state, pulls[state], []), "ticks_per_us": pulls["ticks_per_us"]} for state in STATES]
    return {name: [one[name] for one in rows] for name in rows[0]}


def columns(results: Results, case: str) -> dict[str, list[float]]:
    """By name: each set's value."""
    table = results.where(case=case).table
    return {
        name: table.column(name).to_pylist()
        for name in ("mean", "deviation", "median", "high", "worst", "decision", "count", "ticks_per_us")
    }


def line(results: Results, case: str) -> list[str]:
    """A row of the table."""
    of = columns(results, case)
    mean, low, high = mean_interval(of["mean"])
    here = [f"{mean:.0f} ({low:.0f} to {high:.0f})", f"{fmean(of['deviation']):.0f}", f"{max(of['worst']):.0f}"]
    paper = [str(ticks) for ticks in ARCHITECTURES.get(case, ())] or [""] * 3
    decision = f"{fmean(of['decision']):.0f}" if case in ARCHITECTURES else ""
    return [*here, f"{fmean(of['median']):.0f}", f"{fmean(of['high']):.0f}", *paper, decision]


def draw(results: Results) -> Mapping[str, Figure]:
    """The table, beside the paper's."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(PAGE, 1.6))
    axes.set_axis_off()
    table = axes.table(
        cellText=[line(results, case) for case in (*ARCHITECTURES, *STATES)],
        rowLabels=[*ARCHITECTURES, *(f"pull: it {state}" for state in STATES)],
        colLabels=["average", "st. dev.", "worst", "median", "99%", "paper: average", "st. dev.", "worst", "decision"],
        colWidths=[0.19, 0.075, 0.075, 0.075, 0.075, 0.14, 0.075, 0.075, 0.085],
        loc="center",
        cellLoc="right",
    )
    table.auto_set_font_size(False)
    table.set_fontsize(7)
    for cell in table.get_celld().values():
        cell.set_linewidth(0.4)
    rate = fmean(columns(results, STATES[0])["ticks_per_us"])
    migrations = min(sum(columns(results, architecture)["count"]) for architecture in ARCHITECTURES)
    figure.supxlabel(
        f"ticks, {rate:.0f} to a microsecond; {results.provenance['sets']} sets, at least {migrations:,.0f} migrations "
        f"in all, {results.values('pulls')[0]:,} pulls each; in parentheses {chosen_confidence()} (t). Decision: the "
        "average, the standstill included. Paper: 48 processors at 1.7 GHz"
    )
    return {"2011-table2": figure}


def claims(results: Results) -> list[Claim]:
    """Section 3.5.2."""
    cases = (*ARCHITECTURES, *STATES)
    of = {case: columns(results, case) for case in cases}
    means = {case: mean_interval(found["mean"]) for case, found in of.items()}
    worst = {case: max(found["worst"]) for case, found in of.items()}

    def told(cases: Iterable[str]) -> str:
        each = ((case, *means[case]) for case in cases)
        return ", ".join(f"{case} {mean:.0f} ({low:.0f} to {high:.0f})" for case, mean, low, high in each) + " ticks"

    return [
        judge(
            "the average is lower under the concurrent architecture (99% intervals apart)",
            means["concurrent"][2] < means["stop-the-world"][1],
            told(ARCHITECTURES),
            described("concurrent migrations that take as long as under stop-the-world"),
        ),
        judge(
            "its worst is significantly higher",
            worst["concurrent"] > worst["stop-the-world"],
            ", ".join(f"{case} {worst[case]:.0f}" for case in ARCHITECTURES),
            described("concurrent migrations whose worst is below that of stop-the-world"),
        ),
        judge(
            "a processor often has to wait for one that is in the scheduler (pulls; 99% intervals apart)",
            means["executes"][2] < means["schedules"][1],
            f"the other processor {told(STATES)}",
            described("migrations that take no longer while the other processor is in the scheduler"),
        ),
        not_evaluated(
            "migrations cost nearly the same under all algorithms that share an architecture",
            "one scheduler, G-EDF, runs under both; the kernel's part of a migration knows no scheduler",
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
