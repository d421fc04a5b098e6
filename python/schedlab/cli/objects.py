"""`schedlab measure objects`: what operations on shared buffers, queues and heaps cost on this machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from schedlab.cli.rows import Rows
from schedlab.errors import BadInput
from schedlab.runtime import ask
from schedlab.studies.spread import spread

#: Numbers of tasks that the objects are made for: block-or-not-2008, section 4.4.
QUICK, ALL = (2, 32), (2, 4, 8, 12, 16, 20, 24, 28, 32)


def measure_objects(quick: bool, others: Sequence[str]) -> int:
    """Measures and prints a row for each object, scheme and number of tasks."""
    if others:
        name = others[0].removeprefix("as_")
        raise BadInput(f"measure objects: --{name} does not go with it; allowed: --quick")
    rows = Rows("", ["object", "scheme", "tasks", "mean ns", "largest but 1%", "attempts at most"], ["scheme"])
    for cells in table(QUICK if quick else ALL):
        rows.row(*cells)
    rows.print()
    return 0


def table(sizes: Iterable[int]) -> list[list[str]]:
    """One task of so many operates 10,000 times; the largest hundredth is dropped, as in block-or-not-2008."""
    found = {tasks: ask("measure", "objects", "--tasks", tasks) for tasks in sizes}
    cells = []
    for one in sorted(
        ({"tasks": tasks, **row} for tasks, rows in found.items() for row in rows),
        key=lambda row: (row["object"], row["scheme"], row["tasks"]),
    ):
        costs = spread(one["ns"])
        attempts = one["bound"].get("attempts")
        cells.append([one["object"], one["scheme"], str(one["tasks"]), f"{costs['mean']:.1f}", f"{costs['max']:.0f}",
                      "-" if attempts is None else str(attempts)])  # fmt: skip
    return cells
