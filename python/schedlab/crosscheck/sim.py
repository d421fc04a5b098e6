"""Family `sim`: schedules of small periodic task sets, job by job."""

from __future__ import annotations

from typing import Any

from schedlab.crosscheck.records import Record, Test, Tests
from schedlab.crosscheck.schedules import finish, simulated, slots


def _schedule(scheduler: str) -> Test:
    def test(record: Record) -> dict[str, Any]:
        until, observed = record["releases_until"], record["observe_releases_before"]
        if scheduler.startswith("N"):
            # Non-preemptive schedules were made with the observed jobs alone.
            until = observed
        cpus = record.get("inputs", {}).get(scheduler, {}).get("cpu")
        jobs = [job for job in simulated(record, scheduler, until, processor=cpus).jobs if job["arrival_ns"] < observed]
        return {"finish": finish(jobs), "misses": sum(job["missed"] for job in jobs)}

    return test


def _pd2(record: Record) -> dict[str, Any]:
    """Computes synchronous sets of whole quanta: the schedule slot by slot, and job by job."""
    quantum: int = record["inputs"]["PD2"]["quantum"]
    schedule = simulated(record, "PD2", record["releases_until"], f'platform.quantum = "{quantum} ns"')
    filled = slots(schedule, record["hyperperiod"] // quantum, quantum)
    return {
        "finish": finish(job for job in schedule.jobs if job["arrival_ns"] < record["observe_releases_before"]),
        "missed_subtasks": sum(_late_subtasks(filled, task, *row[:2]) for task, row in enumerate(record["tasks"])),
        "slots": filled,
    }


def _late_subtasks(filled: list[int], task: int, cost: int, period: int) -> int:
    """Counts the subtasks that run after their windows: the i-th one's window ends at ceil(i / weight)."""
    ran = [slot for slot, tasks in enumerate(filled) if tasks >> task & 1]
    return sum(slot >= -(-number * period // cost) for number, slot in enumerate(ran, 1))


TESTS: Tests = {"PD2": _pd2} | {
    name: _schedule(name) for name in ("G-EDF", "G-RM", "G-DM", "G-FIFO", "P-EDF", "P-RM", "NG-EDF", "NG-RM")
}
