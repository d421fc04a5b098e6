"""Family `partition`: which task goes to which processor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from schedlab import _native

Record = Mapping[str, Any]


def _packing(weight: str, heuristic: str, decreasing: bool) -> Callable[[Record], dict[str, Any]]:
    def test(record: Record) -> dict[str, Any]:
        tasks = record["tasks"]
        bins, misfit = _native.pack(tasks, record["m"], heuristic, weight, decreasing)
        found: dict[str, Any] = {"bins": bins, "misfit": misfit}
        # The verdicts of the bins stand only in records where both tools packed alike.
        theirs = record["results"].get(_name(weight, heuristic, decreasing), {})
        if "pedf_qpa" in theirs:
            found["pedf_qpa"] = [_native.uniprocessor_test("qpa", [tasks[i] for i in part]) for part in bins]
        if "pdm_rta" in theirs:
            found["pdm_rta"] = [_dm(tasks, part) for part in bins]
        return found

    return test


def _dm(tasks: list[list[int]], part: list[int]) -> bool:
    """Deadline-monotonic response-time analysis of one processor; ties by index."""
    ordered = [tasks[i] for i in sorted(part, key=lambda i: (tasks[i][2], i))]
    bounds = _native.response_time_analysis(ordered, None, None)
    return all(bound is not None and bound <= task[2] for bound, task in zip(bounds, ordered, strict=True))


def _name(weight: str, heuristic: str, decreasing: bool) -> str:
    return f"{weight}:{heuristic}{'_decreasing' if decreasing else ''}"


TESTS = {
    _name(weight, heuristic, decreasing): _packing(weight, heuristic, decreasing)
    for weight in ("utilization", "density")
    for heuristic in ("next_fit", "first_fit", "worst_fit", "best_fit")
    for decreasing in (False, True)
}
