"""Figure 5 of litmus-rt-2006: how well quanta are aligned, really.

The paper: between the first and the last invocation of a timer interrupt on all processors, 100 of them. Here a
quantum begins on a processor when the thread that was chosen for it executes there; its lateness is counted from the
processor's ideal boundary, so that staggered quanta have an error too: the difference of the processors' latenesses.
Every processor begins with another thread at every boundary (`schedlab-rt measure quanta`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from schedlab.plots import CURVES, GREY, PAGE
from schedlab.runtime import ask
from schedlab.studies import Claim, RealStudy, Results, Unit, grid, judge, not_evaluated
from schedlab.studies.mutants import described

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ALIGNMENTS = ["aligned", "staggered"]
QUANTA = 100
#: "alignment error never exceeds approximately 25 us with our method"
PAPERS = 25.0


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """A row for each quantum of each run."""
    staggered = ["--staggered"] if unit.parameters["quanta"] == "staggered" else []
    columns: dict[str, list[Any]] = {"set": [], "quantum": [], "first_ns": [], "last_ns": []}
    for index in unit.sets:
        late = ask("measure", "quanta", "--quanta", QUANTA, *staggered)["late_ns"]
        columns["set"] += [index] * len(late)
        columns["quantum"] += range(len(late))
        columns["first_ns"] += [min(one) for one in late]
        columns["last_ns"] += [max(one) for one in late]
    return columns


def errors(results: Results, alignment: str) -> np.ndarray[Any, Any]:
    """Of each quantum, in microseconds."""
    table = results.where(quanta=alignment).table
    apart = np.subtract(table.column("last_ns").to_numpy(), table.column("first_ns").to_numpy())
    return np.asarray(apart / 1e3)


def draw(results: Results) -> Mapping[str, Figure]:
    """One run's quanta in their order, and the distribution over all runs."""
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, 2.7))
    for at, alignment in enumerate(ALIGNMENTS):
        style = CURVES[at]
        one = errors(results.where(set=0), alignment)
        left.plot(range(len(one)), one, label=alignment, **{**style, "linestyle": "", "markersize": 2.5})
        every = np.sort(errors(results, alignment))
        shares = 100 * np.arange(1, len(every) + 1) / len(every)
        right.plot(every, shares, label=alignment, **{**style, "marker": ""})
    left.set_xlabel("quantum of the first run")
    left.set_ylabel("alignment error (us)")
    left.set_yscale("log")
    left.legend()
    right.set_xlabel("alignment error (us)")
    right.set_ylabel("quanta with at most\nthat error (%)")
    right.set_xscale("log")
    right.axvline(PAPERS, color=GREY, linewidth=0.6, linestyle=":")
    runs = results.provenance["sets"]
    figure.supxlabel(
        f"from the first to the last processor that begins a quantum; {runs} runs of {QUANTA} quanta of 1 ms; "
        f"dotted: {PAPERS:.0f} us, which the paper's four processors never exceeded"
    )
    return {"2006-fig5": figure}


def claims(results: Results) -> list[Claim]:
    """Section 4.1."""
    aligned = errors(results, "aligned")
    told = (
        ", ".join(f"{q}%: {np.percentile(aligned, q):.1f} us" for q in (50, 99)) + f", largest {aligned.max():.1f} us"
    )
    drift = _drift(results)
    return [
        judge(
            "alignment error never exceeds approximately 25 us", bool(aligned.max() <= PAPERS), told,
            described("a quantum that begins 100 us after another processor's"),
        ),
        judge(
            "it does not change significantly over time (medians of the first and last quarter within a half)",
            max(drift) <= 1.5 * min(drift), f"medians {drift[0]:.1f} and {drift[1]:.1f} us",
            described("errors that double from the first quarter to the last"),
        )
        if min(drift) > 0
        else not_evaluated("it does not change significantly over time", "a median error of nothing"),
    ]  # fmt: skip


def _drift(results: Results) -> tuple[float, float]:
    """The median errors of each run's first and last quarter."""
    rows = results.where(quanta="aligned")
    numbers, found = rows.table.column("quantum").to_numpy(), errors(rows, "aligned")
    return (
        float(np.median(found[numbers < QUANTA / 4])),
        float(np.median(found[numbers >= 3 * QUANTA / 4])),
    )


study = RealStudy(
    name="2006-fig5",
    title="litmus-rt-2006, figure 5: the alignment of quanta, measured",
    source="Calandrino, Leontyev, Block, Devi, Anderson: LITMUS-RT, RTSS 2006",
    points=grid(quanta=ALIGNMENTS),
    evaluate=evaluate,
    draw=draw,
    claims=claims,
    sets=10,
    full_sets=100,
    sets_per_unit=5,
)
