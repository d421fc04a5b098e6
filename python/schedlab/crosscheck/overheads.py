"""Family `overheads`: what requests for locks add to costs, suspensions and critical sections.

Sums are exact: a record's decimals become whole nanoseconds before anything is added.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from schedlab import _native
from schedlab.errors import BadInput

Record = Mapping[str, Any]

#: Nanoseconds in a microsecond, which records count in.
_US = 1000

_WAITING = {
    "locking_spinlock": "spinning",
    "locking_semaphore_pre0_saware0": "semaphore",
    "locking_semaphore_pre0_saware1": "semaphore-aware",
    "locking_semaphore_pre1_saware0": "semaphore-preemptable",
    "locking_semaphore_pre1_saware1": "semaphore-preemptable-aware",
    "locking_dpcp": "distributed",
}


def _ns(value: Any, tasks: int) -> int:
    """A constant, or `[a, b]`: a + b for each task."""
    base, slope = value if isinstance(value, list) else (value, 0)
    exact = (Fraction(str(base)) + Fraction(str(slope)) * tasks) * _US
    if exact.denominator != 1:
        raise BadInput(f"{value} is not a whole number of nanoseconds")
    return int(exact)


def _operations(record: Record) -> list[int]:
    tasks = len(record["tasks"])
    lock = {name: _ns(value, tasks) for name, value in record["lock"].items()}
    of = {name: _ns(value, tasks) for name, value in record["oh"].items()}
    return [
        lock["lock"],
        lock["unlock"],
        lock["read_lock"],
        lock["read_unlock"],
        lock["syscall_in"] + lock["syscall_out"],
        of["schedule"] + of["ctx_switch"],
        _ns(record["cpmd"][0], tasks),
        of["ipi_latency"],
    ]


def _requests(rows: list[list[int]], readers: bool) -> list[tuple[int, int, int, int, int]]:
    """Semaphores have no readers."""
    kept = []
    for resource, writes, write_length, reads, read_length in rows:
        if not readers:
            reads, read_length = 0, 0
        if writes or reads:
            kept.append((resource, writes, write_length * _US, reads, read_length * _US))
    return kept


def _row(resource: int, writes: int, length: int, reads: int, read_length: int, local: int | None) -> list[int | None]:
    lengths = (length // _US if writes else 0, read_length // _US if reads else 0)
    return [resource, writes, lengths[0], reads, lengths[1], None if local is None else local // _US]


def is_tipped(test: str, record: Record, theirs: Any) -> bool:
    """Whether only costs and suspensions of a whole exact sum differ, recorded as one more: sums in floating point."""
    ours = TESTS[test](record)
    if theirs["ok"] != ours["ok"] or len(theirs["tasks"]) != len(ours["tasks"]):
        return False
    operations = _operations(record)
    for at, (their, our) in enumerate(zip(theirs["tasks"], ours["tasks"], strict=True)):
        rows = _requests(record["res"][at], _WAITING[test] == "spinning")
        cost, suspension, _ = _native.requests_with_overheads(
            _WAITING[test], record["tasks"][at][0] * _US, rows, operations, 1
        )
        for exact, their_sum, our_sum in zip((cost, suspension), their, our, strict=False):
            tips = exact % _US == 0 and their_sum == our_sum + 1
            if their_sum != our_sum and not tips:
                return False
        if their[2] != our[2]:
            return False
    return True


def _charged(waiting: str) -> Callable[[Record], dict[str, Any]]:
    def compute(record: Record) -> dict[str, Any]:
        operations, ok, tasks = _operations(record), True, []
        for (cost, period, deadline), rows in zip(record["tasks"], record["res"], strict=True):
            # The first task that no longer fits ends the accounting: the others stay as they were.
            requests = _requests(rows, waiting == "spinning")
            total, suspension, longer = _native.requests_with_overheads(
                waiting, cost * _US, requests, operations if ok else [0] * 8, _US
            )
            given = [_row(*row) if ok else _row(*row[:5], None) for row in longer]
            ok = ok and total // _US <= min(period, deadline)
            tasks.append([total // _US, suspension // _US, given])
        return {"ok": ok, "tasks": tasks}

    return compute


TESTS: Mapping[str, Callable[[Record], Any]] = {key: _charged(waiting) for key, waiting in _WAITING.items()}
