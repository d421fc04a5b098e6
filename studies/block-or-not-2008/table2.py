"""Table 2 of block-or-not-2008: what an access to a shared object costs by the number of tasks that share it, really.

Section 4.4: one task of N operates, N from 2 to 32, 10,000 times. Reads and writes of a buffer of ten words take turns;
60% of the operations on queue and heap add. A heap holds 1,000 values at most, and so does the queue here, as the paper
states none. The largest hundredth is dropped, and a clear trend is a line in N (`schedlab-rt measure objects`). On a
lock-free object each operation is one iteration of its loop, as no other task operates. "Short" is the sequential
object: the paper charges its queue lock apart, so that this table has it in a row of its own, with the object.

The wait-free buffer is another one than the paper's, which relies on quanta or priorities. The paper's heap is binary;
here a value has eight children. Beside stands what people use for the same operations: arc-swap, crossbeam's queue, and
a mutex of parking_lot.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from schedlab.plots import PAGE
from schedlab.runtime import ask
from schedlab.studies import Claim, RealStudy, Results, Unit, grid, judge, sentence
from schedlab.studies.checks import Fact
from schedlab.studies.lines import Line, line
from schedlab.studies.mutants import described
from schedlab.studies.spread import spread

from ._sets import SOURCE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OBJECTS = ("buffer", "queue", "heap")
SCHEMES = {"sequential": "Short", "lock-free": "LF", "wait-free": "WF"}
#: Measured besides: the object with its lock, without contention.
LOCKED = "locked"
#: What people use, by object.
BESIDE = {
    "buffer": ("arc-swap", "parking_lot"),
    "queue": ("crossbeam", "parking_lot"),
    "heap": ("parking_lot",),
}
#: What the paper has, in microseconds: the mean and the largest.
PAPER = {
    ("buffer", "sequential"): ("0.38", "0.67"),
    ("buffer", "lock-free"): ("0.84", "1.12 + 0.01 N"),
    ("buffer", "wait-free"): ("2.62 + 0.01 N", "5.43 + 0.20 N"),
    ("queue", "sequential"): ("0.32", "0.58"),
    ("queue", "lock-free"): ("0.66", "1.25"),
    ("queue", "wait-free"): ("11.97", "13.49 + 0.68 N"),
    ("heap", "sequential"): ("1.04", "2.60"),
    ("heap", "lock-free"): ("11.31 + 0.04 N", "19.43 + 0.09 N"),
    ("heap", "wait-free"): ("16.28 + 0.08 N", "34.22 + 2.49 N"),
}
FEWEST, MOST = 2, 32
COLUMNS = {"mean_ns": "mean", "max_ns": "largest but 1%"}


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """A row for each object and scheme, and for each peer."""
    rows = []
    for index in unit.sets:
        for one in ask("measure", "objects", "--tasks", unit.parameters["tasks"]):
            found = spread(one["ns"])
            rows.append({"set": index, "object": one["object"], "scheme": one["scheme"], "count": found["count"],
                         "mean_ns": found["mean"], "max_ns": found["max"]})  # fmt: skip
    return {name: [row[name] for row in rows] for name in rows[0]}


def fit(results: Results, thing: str, scheme: str, column: str) -> tuple[Line, float]:
    """The line through all sets, and their mean, in microseconds."""
    table = results.where(object=thing, scheme=scheme).table
    costs = table.column(column).to_numpy() / 1e3
    return line(table.column("tasks").to_numpy(), costs), float(costs.mean())


def cell(results: Results, thing: str, scheme: str, column: str) -> str:
    """A line in N, or a constant; accesses take some nanoseconds here."""
    of, mean = fit(results, thing, scheme, column)
    return f"{of.intercept:.3f} + {of.slope:.4f} N" if of.rises(FEWEST, MOST) else f"{mean:.3f}"


def cells(results: Results) -> dict[str, list[str]]:
    """The table: by row what is measured here, and what the paper has, in microseconds."""
    found = {}
    for thing in OBJECTS:
        for scheme in (*SCHEMES, LOCKED, *BESIDE[thing]):
            here = [cell(results, thing, scheme, column) for column in COLUMNS]
            name = "Short with its lock" if scheme == LOCKED else SCHEMES.get(scheme, scheme)
            found[f"{thing}: {name}"] = [*here, *PAPER.get((thing, scheme), ("-", "-"))]
    return found


def draw(results: Results) -> Mapping[str, Figure]:
    """The table as a figure."""
    import matplotlib.pyplot as plt

    rows = cells(results)
    figure, axes = plt.subplots(figsize=(PAGE, 0.24 * len(rows) + 0.9))
    axes.axis("off")
    heads = [f"{whose}: {name}" for whose in ("here", "2008") for name in COLUMNS.values()]
    table = axes.table(
        cellText=list(rows.values()), rowLabels=list(rows), colLabels=heads, loc="center", cellLoc="center",
    )  # fmt: skip
    table.auto_set_font_size(False)
    table.set_fontsize(7)
    figure.supxlabel(
        "microseconds an access, one task of N operating, the largest hundredth dropped; what rises clearly with N is "
        "a line\nheaps: a value has eight children here, two in 2008"
    )
    return {"2008-table2": figure}


def claims(results: Results) -> list[Claim]:
    """What section 4.4 says of the table, and what the table shows."""
    fits = {(thing, scheme): fit(results, thing, scheme, "max_ns") for thing in OBJECTS for scheme in SCHEMES}
    means = {(thing, scheme): fit(results, thing, scheme, "mean_ns") for thing in OBJECTS for scheme in SCHEMES}
    linear = [key for key in fits if any(of[key][0].rises(FEWEST, MOST) for of in (fits, means))]
    said = ", ".join(f"{thing} {SCHEMES[scheme]}" for thing, scheme in linear) or "none"
    found = [
        judge(
            "roughly half of the implementations have a clear linear dependence on the number of tasks (4 to 6 of 9)",
            4 <= len(linear) <= 6, said,
            described("implementations whose costs no number of tasks changes"),
        ),
        judge(
            "all wait-free ones do", all((thing, "wait-free") in linear for thing in OBJECTS), said,
            described("wait-free implementations whose costs no number of tasks changes"),
        ),
    ]  # fmt: skip
    orders = {thing: {SCHEMES[scheme]: means[thing, scheme][1] for scheme in SCHEMES} for thing in OBJECTS}
    found.append(
        sentence(
            "an access costs the least under Short, apart from its lock, then lock-free, then wait-free (means)",
            {
                thing: Fact(
                    list(order.values()) == sorted(order.values()),
                    ", ".join(f"{name} {cost:.3f} us" for name, cost in order.items()),
                )
                for thing, order in orders.items()
            },
            described("wait-free implementations that cost less than the sequential object"),
        )
    )
    return found


study = RealStudy(
    name="2008-table2", title="block-or-not-2008, table 2: what accesses to shared objects cost", source=SOURCE,
    points=grid(tasks=[2, 8, 16, 24, 32]), full_points=grid(tasks=list(range(FEWEST, MOST + 1))),
    sets=3, full_sets=10, sets_per_unit=1, evaluate=evaluate, draw=draw, claims=claims,
)  # fmt: skip
