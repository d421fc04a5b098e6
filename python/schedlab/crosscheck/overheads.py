"""Family `overheads`: additions of requests for locks to costs, suspensions and critical sections.

Sums are exact: a record's decimals become whole nanoseconds before anything is added.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from schedlab import _native
from schedlab.crosscheck.records import Record, Test, Tests
from schedlab.errors import BadInput

#: Nanoseconds in a microsecond, the unit of records.
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
    """Returns the nanoseconds of a constant, or of `[a, b]`: a + b for each task."""
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
    """Returns requests in nanoseconds, without those of readers for semaphores, which have none."""
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


def in_floats(test: str, record: Record) -> dict[str, Any]:
    """Computes as SchedCAT does: sums in floating point and in its order, before they are rounded up."""
    per_request = _float_spinning(record) if test == "locking_spinlock" else _float_waiting(test, record)
    ok, tasks = True, []
    for (cost, period, deadline), rows in zip(record["tasks"], record["res"], strict=True):
        execution = suspension = 0.0
        given = []
        for resource, writes, length, reads, read_length in rows:
            if test != "locking_spinlock":
                reads = read_length = 0
            if not writes and not reads:
                continue
            row = [resource, writes, length if writes else 0, reads, read_length if reads else 0, None]
            if ok:
                if reads:
                    row[4] = math.ceil(read_length + per_request.read_section)
                    execution += reads * per_request.read_execution
                if writes:
                    row[2] = math.ceil(length + per_request.section)
                    row[5] = per_request.local_section and math.ceil(length + per_request.local_section)
                    execution += writes * per_request.execution
                    suspension += writes * per_request.suspension
                execution += (writes + reads) * per_request.kernel
            given.append(row)
        tasks.append([cost + math.ceil(execution), math.ceil(suspension), given])
        ok = ok and tasks[-1][0] <= min(period, deadline)
    return {"ok": ok, "tasks": tasks}


@dataclass(frozen=True)
class _PerRequest:
    """Additions of one request, in microseconds."""

    execution: float
    section: float
    suspension: float = 0.0
    #: Addition of each request, besides what depends on its kind.
    kernel: float = 0.0
    local_section: float | None = None
    read_execution: float = 0.0
    read_section: float = 0.0


def _float(value: Any, tasks: int) -> float:
    base, slope = value if isinstance(value, list) else (value, 0)
    return float(base + slope * tasks)


def _float_spinning(record: Record) -> _PerRequest:
    lock = {name: _float(value, len(record["tasks"])) for name, value in record["lock"].items()}
    read, write = lock["read_lock"] + lock["read_unlock"], lock["lock"] + lock["unlock"]
    kernel = lock["syscall_in"] + lock["syscall_out"]
    return _PerRequest(write, write, kernel=kernel, read_execution=read, read_section=read)


def _float_waiting(test: str, record: Record) -> _PerRequest:
    """Computes semaphores and the DPCP. Sums go from left to right, because another order may round otherwise."""
    tasks = len(record["tasks"])
    lock = {name: _float(value, tasks) for name, value in record["lock"].items()}
    of = {name: _float(value, tasks) for name, value in record["oh"].items()}
    enter, leave, ipi = lock["syscall_in"], lock["syscall_out"], of["ipi_latency"]
    switch, cache = of["schedule"] + of["ctx_switch"], _float(record["cpmd"][0], tasks)
    if test == "locking_dpcp":
        execution = enter + leave + 2 * switch + 2 * cache
        section = 3 * switch + enter + leave + lock["lock"] + lock["unlock"]
        return _PerRequest(execution, section, suspension=2 * ipi + section)
    execution = 3 * switch + 2 * enter + 2 * leave + lock["lock"] + lock["unlock"] + 2 * cache
    section = ipi + switch + leave + enter + lock["unlock"]
    preemptable, aware = "pre1" in test, "saware1" in test
    return _PerRequest(
        execution if aware else execution + ipi,
        section + switch if preemptable else section,
        suspension=ipi if aware else 0.0,
        local_section=None if preemptable else section + switch,
    )


def _charged(waiting: str) -> Test:
    def compute(record: Record) -> dict[str, Any]:
        operations, ok, tasks = _operations(record), True, []
        for (cost, period, deadline), rows in zip(record["tasks"], record["res"], strict=True):
            # The first task that no longer fits ends the accounting; the tasks after it stay as they were.
            requests = _requests(rows, waiting == "spinning")
            total, suspension, longer = _native.requests_with_overheads(
                waiting, cost * _US, requests, operations if ok else [0] * 8, _US
            )
            given = [_row(*row) if ok else _row(*row[:5], None) for row in longer]
            ok = ok and total // _US <= min(period, deadline)
            tasks.append([total // _US, suspension // _US, given])
        return {"ok": ok, "tasks": tasks}

    return compute


TESTS: Tests = {key: _charged(waiting) for key, waiting in _WAITING.items()}
