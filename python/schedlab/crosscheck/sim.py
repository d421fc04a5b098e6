"""Family `sim`: schedules of small periodic task sets, job by job.

Times are whole numbers of any unit, since no test here depends on it: one unit is one nanosecond to us.
"""

from __future__ import annotations

from typing import Any

from schedlab import _native
from schedlab.crosscheck.pfair import slots
from schedlab.crosscheck.records import Record, Test, Tests


def _schedule(scheduler: str) -> Test:
    def test(record: Record) -> dict[str, Any]:
        until, observed = record["releases_until"], record["observe_releases_before"]
        if scheduler.startswith("N"):
            # Non-preemptive schedules were made with the observed jobs alone.
            until = observed
        partition = record.get("inputs", {}).get(scheduler, {}).get("cpu")
        offsets = record["offsets"]
        finish, _ = _native.completions(scheduler, record["m"], record["tasks"], offsets, until, partition)
        rows = [
            [task, job, at] for task, job, at in finish if offsets[task] + job * record["tasks"][task][1] < observed
        ]
        rows.sort()
        return {"finish": rows, "misses": sum(_is_late(record, *row) for row in rows)}

    return test


def _is_late(record: Record, task: int, job: int, at: int) -> bool:
    _, period, relative_deadline = record["tasks"][task]
    absolute_deadline: int = record["offsets"][task] + job * period + relative_deadline
    return at > absolute_deadline


def _pd2(record: Record) -> dict[str, Any]:
    """Computes synchronous sets of whole quanta: the schedule slot by slot, and job by job."""
    quantum: int = record["inputs"]["PD2"]["quantum"]
    tasks, observed = record["tasks"], record["observe_releases_before"]
    until = record["releases_until"]
    finish, _ = _native.completions("PD2", record["m"], tasks, record["offsets"], until, None, quantum)
    filled = slots("PD2", record["m"], tasks, record["hyperperiod"], quantum)
    return {
        "finish": sorted([task, job, at] for task, job, at in finish if job * tasks[task][1] < observed),
        "missed_subtasks": sum(_late_subtasks(filled, task, *tasks[task][:2]) for task in range(len(tasks))),
        "slots": filled,
    }


def _late_subtasks(filled: list[int], task: int, cost: int, period: int) -> int:
    """Counts the subtasks that run after their windows: the i-th one's window ends at ceil(i / weight)."""
    ran = [slot for slot, tasks in enumerate(filled) if tasks >> task & 1]
    return sum(slot >= -(-number * period // cost) for number, slot in enumerate(ran, 1))


TESTS: Tests = {"PD2": _pd2} | {
    name: _schedule(name) for name in ("G-EDF", "G-RM", "G-DM", "G-FIFO", "P-EDF", "P-RM", "NG-EDF", "NG-RM")
}
