"""Family `partition`: placement of tasks on processors."""

from __future__ import annotations

from typing import Any

from schedlab import _native
from schedlab.crosscheck.records import Record, Test, Tests


def _packing(rule: str) -> Test:
    def test(record: Record) -> dict[str, Any]:
        tasks = record["tasks"]
        bins, misfit = _native.pack(tasks, record["m"], rule)
        found: dict[str, Any] = {"bins": bins, "misfit": misfit}
        # Only records where both tools packed alike have the verdicts of the bins.
        theirs = record["results"].get(rule, {})
        if "pedf_qpa" in theirs:
            found["pedf_qpa"] = [_native.is_proved("qpa", [tasks[i] for i in part], 1, edf=True) for part in bins]
        if "pdm_rta" in theirs:
            found["pdm_rta"] = [_native.is_proved("response_time", _dm(tasks, part), 1, edf=False) for part in bins]
        return found

    return test


def _dm(tasks: list[list[int]], part: list[int]) -> list[list[int]]:
    """Returns the tasks of one processor by falling deadline-monotonic priority; ties by index."""
    return [tasks[i] for i in sorted(part, key=lambda i: (tasks[i][2], i))]


_RULES = [
    f"{weight}:{heuristic}{order}"
    for weight in ("utilization", "density")
    for heuristic in ("next_fit", "first_fit", "worst_fit", "best_fit", "almost_worst_fit")
    for order in ("", "_decreasing")
]

TESTS: Tests = {rule: _packing(rule) for rule in _RULES}
