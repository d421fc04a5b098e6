"""`schedlab measure objects`: what operations on shared buffers, queues and heaps cost on this machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from schedlab._native import overheads_of_objects
from schedlab.cli.rows import Rows
from schedlab.errors import BadInput
from schedlab.files import expect_folder
from schedlab.runtime import ask
from schedlab.studies.spread import spread

#: Numbers of tasks that the objects are made for: block-or-not-2008, section 4.4.
QUICK, ALL = (2, 32), (2, 4, 8, 12, 16, 20, 24, 28, 32)
#: Those of which an overheads file speaks: others are measured for comparison.
SCHEMES = ("locked", "lock-free", "wait-free")
TITLE = "Operations on shared objects, measured on this machine"
SOURCE = "schedlab measure objects: one task of N operates 10,000 times, as in block-or-not-2008, section 4.4"
NOTES = """The largest hundredth of all values was dropped.
Of objects, N is the number of tasks that share one: {fewest} to {most} were measured.
A lock-free access is one iteration of its loop. A locked one includes its queue lock without contention.
Nothing else was measured: with a line `extends = "overheads.toml"` the rest is as there."""


@dataclass(frozen=True)
class Costs:
    """What an operation costs by the number of tasks that the object is made for, in nanoseconds."""

    mean: dict[int, float]
    largest: dict[int, float]
    attempts: dict[int, int | None]


def measure_objects(quick: bool, out: Path | None, others: Sequence[str]) -> int:
    """Measures and prints a row for each object, scheme and number of tasks; writes an overheads file if asked."""
    if others:
        name = others[0].removeprefix("as_")
        raise BadInput(f"measure objects: --{name} does not go with it; allowed: --quick and --out")
    if out is not None:
        expect_folder(out)
    found = measured(QUICK if quick else ALL)
    rows = Rows("", ["object", "scheme", "tasks", "mean ns", "largest but 1%", "attempts at most"], ["scheme"])
    for (thing, scheme), costs in found.items():
        for tasks, mean in costs.mean.items():
            attempts = costs.attempts[tasks]
            most = "-" if attempts is None else str(attempts)
            rows.row(thing, scheme, str(tasks), f"{mean:.1f}", f"{costs.largest[tasks]:.0f}", most)
    rows.print()
    if out is not None:
        out.write_text(overheads(found), encoding="utf-8")
        print(out)
    return 0


def measured(sizes: Iterable[int]) -> dict[tuple[str, str], Costs]:
    """One task of so many operates 10,000 times; the largest hundredth is dropped, as in block-or-not-2008."""
    found: dict[tuple[str, str], Costs] = {}
    for tasks in sizes:
        for row in ask("measure", "objects", "--tasks", tasks):
            costs = found.setdefault((row["object"], row["scheme"]), Costs({}, {}, {}))
            values = spread(row["ns"])
            costs.mean[tasks], costs.largest[tasks] = values["mean"], values["max"]
            costs.attempts[tasks] = row["bound"].get("attempts")
    return dict(sorted(found.items()))


def line(costs: Mapping[int, float]) -> tuple[int, int]:
    """A line in N, as flat as a least-squares fit and not falling, that no measured value is above.

    In nanoseconds: where it begins, and by how much it rises for each task.
    """
    middle = sum(costs) / len(costs)
    spans = sum((tasks - middle) ** 2 for tasks in costs)
    rise = sum((tasks - middle) * cost for tasks, cost in costs.items()) / spans if spans else 0.0
    slope = max(round(rise), 0)
    first = max(ceil(cost - slope * tasks) for tasks, cost in costs.items())
    # A line that would begin below zero begins there, and is above the values.
    return max(first, 0), slope


def overheads(found: Mapping[tuple[str, str], Costs]) -> str:
    """The text of an overheads file."""
    sizes = sorted({tasks for costs in found.values() for tasks in costs.mean})
    notes = NOTES.format(fewest=sizes[0], most=sizes[-1])
    lines = [
        (thing, scheme, line(costs.largest), line(costs.mean))
        for (thing, scheme), costs in found.items()
        if scheme in SCHEMES
    ]
    return overheads_of_objects(TITLE, SOURCE, notes, lines)
