"""Table 1 of block-or-not-2008: the overheads of this machine, mean and maximum under P-EDF and G-EDF, really.

Section 4.1: as in appendix A, summed up over all sizes; a maximum that rises clearly with the number N of tasks is a
line. Preemption and migration are those of a working set of 4K that is written whole; acquiring and releasing locks
exclude waiting, and are of all numbers of waiters (`schedlab-rt measure locks`, `reloads`, `calls`). The paper times
ways into the kernel and out of it apart; here a call that does nothing is timed, there and back.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import TYPE_CHECKING, Any

from schedlab.plots import PAGE
from schedlab.runtime import ask
from schedlab.studies import Claim, Point, Results, Unit, grid, judge
from schedlab.studies.lines import line
from schedlab.studies.mutants import described
from schedlab.studies.spread import spread

from ._overheads import SCHEDULERS, as_columns, by_size, rises, set_points, set_rows, study_of_sets, told

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BYTES = 4096
PROTOCOLS = {"fmlp-long": "long group lock", "srp": "SRP resource", "fmlp-short": "short group lock"}
#: Rows of the table that both schedulers share: what is stored, and what it is called.
SHARED = {
    "cache_related_preemption": "preemption",
    "cache_related_migration": "migration",
    **{
        f"{protocol} {what}": f"{name}: {verb}"
        for protocol, name in PROTOCOLS.items()
        for what, verb in (("lock_acquire", "acquire"), ("lock_release", "release"))
    },
    "call": "system call that does nothing",
}
OF_SETS = {
    "context_switch": "context switch",
    "scheduling": "scheduling",
    "release": "tick (here: release)",
    "leaving_np_section": "leaving a non-preemptive section",
}


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """Rows of table 1: summed up by run."""
    return as_columns([row for index in unit.sets for row in _rows(unit.parameters, index)])


def _rows(parameters: Mapping[str, Any], index: int) -> list[dict[str, Any]]:
    if parameters["kind"] == "reloads":
        found = ask("measure", "reloads", "--bytes", BYTES, "--rounds", 500)
        return [{"set": index, **{name: one[name] for name in ("what", "count", "mean_ns", "max_ns")}} for one in found]
    if parameters["kind"] == "calls":
        found = ask("measure", "calls", "--rounds", 500)
        return [_row(index, "call", one["ns"]) for one in found if one["call"] == "gettid"]
    if parameters["kind"] == "locks":
        protocol = parameters["protocol"]
        found = ask("measure", "locks", "--protocol", protocol, "--length", parameters["length"])["rows"]
        whats = dict.fromkeys(one["what"] for one in found)
        return [
            _row(index, f"{protocol} {what}", [ns for one in found if one["what"] == what for ns in one["ns"]])
            for what in whats
        ]
    return set_rows(parameters, index)


def _row(index: int, what: str, values: list[int]) -> dict[str, Any]:
    found = spread(values)
    return {"set": index, "what": what, "count": found["count"], "mean_ns": found["mean"], "max_ns": found["max"]}


def cells(results: Results) -> dict[str, list[str]]:
    """The table: by row its cell or cells, in microseconds."""
    found: dict[str, list[str]] = {}
    for what, name in SHARED.items():
        rows = results.where(what=what).table.to_pylist()
        if rows:
            mean, most = fmean(row["mean_ns"] for row in rows) / 1e3, max(row["max_ns"] for row in rows) / 1e3
            found[name] = [f"{mean:.2f} / {most:.2f}"] * len(SCHEDULERS)
    for what, name in OF_SETS.items():
        found[name] = [_of_sets(results, what, scheduler) for scheduler in SCHEDULERS]
    # Migration does not happen under a partitioned scheduler, and the SRP is none of a global one.
    for name, at in (("migration", 0), ("SRP resource: acquire", 1), ("SRP resource: release", 1)):
        if name in found:
            found[name][at] = "-"
    return found


def _of_sets(results: Results, what: str, scheduler: str) -> str:
    sizes, maxima = by_size(results, what, scheduler, "max_ns")
    fit = line(sizes, maxima)
    most = f"{fit.intercept:.2f} + {fit.slope:.3f} N" if rises(fit) else f"{maxima.max():.2f}"
    return f"{by_size(results, what, scheduler, 'mean_ns')[1].mean():.2f} / {most}"


def draw(results: Results) -> Mapping[str, Figure]:
    """The table as a figure."""
    import matplotlib.pyplot as plt

    rows = cells(results)
    figure, axes = plt.subplots(figsize=(PAGE * 0.8, 0.24 * len(rows) + 0.9))
    axes.axis("off")
    table = axes.table(
        cellText=list(rows.values()), rowLabels=list(rows), colLabels=[f"{one}: mean / max" for one in SCHEDULERS],
        loc="center", cellLoc="center", colWidths=[0.3, 0.3],
    )  # fmt: skip
    table.auto_set_font_size(False)
    table.set_fontsize(7)
    figure.supxlabel(
        "microseconds, the largest hundredth dropped; maxima that rise clearly with the number N of tasks as a line; "
        f"working set of {BYTES >> 10}K"
    )
    return {"2008-table1": figure}


def claims(results: Results) -> list[Claim]:
    """What section 4.1 says of the table, and what the table shows."""

    def mean(what: str) -> float:
        return fmean(results.where(what=what).table.column("mean_ns").to_pylist()) / 1e3

    fits = {
        (what, scheduler): line(*by_size(results, what, scheduler, "max_ns"))
        for what in OF_SETS for scheduler in SCHEDULERS
    }  # fmt: skip
    linear = [(what, scheduler) for (what, scheduler), fit in fits.items() if rises(fit)]
    short, long = (mean(f"fmlp-{length} lock_acquire") for length in ("short", "long"))
    preemption, migration = mean("cache_related_preemption"), mean("cache_related_migration")
    return [
        judge(
            "only the worst-case tick and scheduling overheads under G-EDF show a clear linear trend",
            sorted(linear) == [("release", "G-EDF"), ("scheduling", "G-EDF")],
            "; ".join(f"{OF_SETS[what]} under {one}: {told(fits[what, one])}" for what, one in linear) or "none does",
            described("context switches that get longer with each task"),
        ),
        judge(
            "short resources are acquired at less cost than long ones (on average)", short < long,
            f"{short:.2f} and {long:.2f} us",
            described("short resources that are acquired at twice the cost of long ones"),
        ),
        judge(
            "a migration costs about as much as a preemption for 4K (means within 5%)",
            abs(migration / preemption - 1) <= 0.05, f"{migration:.2f} and {preemption:.2f} us",
            described("a migration of twice the cost of a preemption"),
        ),
    ]  # fmt: skip


def points(sizes: range, length: str) -> list[Point]:
    """Sets of these sizes, runs of this length, and what does not depend on a set."""
    return [
        *set_points(sizes, length),
        *grid(kind=["reloads", "calls"]),
        *grid(kind=["locks"], protocol=list(PROTOCOLS), length=[length]),
    ]


study = study_of_sets(
    "2008-table1", "block-or-not-2008, table 1: the overheads of this machine, measured",
    points, 2, evaluate, draw, claims,
)  # fmt: skip
