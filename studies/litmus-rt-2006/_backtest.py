"""The task sets of section 4.3 of litmus-rt-2006, for as many processors as there are, executing BACKTEST."""

from __future__ import annotations

from schedlab.scenario import Scenario

#: What the sets were made for.
PROCESSORS = 4
#: How many tasks of which cost and period in milliseconds.
SETS = {
    "A": [(28, 10, 500), (12, 35, 350), (12, 12, 240), (32, 9, 300)],
    "B": [(4, 76, 300), (4, 4, 16), (5, 9, 90), (25, 10, 500)],
    "C": [(4, 18, 30), (5, 4, 40), (25, 4, 200)],
}
#: Nothing takes that long.
HORIZON = "600 s"


def counts(name: str, processors: int) -> list[int]:
    """How many there are of each of a set's tasks with so many processors: ceil(count * m / 4)."""
    return [-(-count * processors // PROCESSORS) for count, _, _ in SETS[name]]


def scenario(name: str, scheduler: str, processors: int, array_kib: int, iterations: int) -> Scenario:
    """A set whose tasks execute ``iterations`` of BACKTEST times their weights; a job ends at its budget.

    Worst fit gives all processors nearly the same utilization under P-EDF.
    """
    lines = [
        'schedlab = 1\noverruns = "cut"',
        f'horizon = "{HORIZON}"',
        f'[scheduler]\nname = "{scheduler}"',
        '[scheduler.placement]\nfit = "worst"\noverflow = "refuse"',
        f"[platform]\nprocessors = {processors}",
    ]
    for at, ((_, cost, period), copies) in enumerate(zip(SETS[name], counts(name, processors), strict=True)):
        lines += [
            f'[[task]]\nname = "{name}{at}"\ncopies = {copies}',
            f'wcet = "{cost} ms"\nperiod = "{period} ms"',
            f'workload = "backtest {iterations}"\nworking_set = "{array_kib} KiB"',
        ]
    return Scenario.parse("\n".join(lines), f"set {name}")
