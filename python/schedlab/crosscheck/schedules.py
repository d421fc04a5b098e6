"""Simulations of the task sets in records. Times are whole numbers of any unit: one unit is one nanosecond here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from schedlab.core.scenario import Scenario
from schedlab.core.schedule import Schedule
from schedlab.core.simulation import simulate
from schedlab.crosscheck.records import Record, expect_by_task, expect_jobs
from schedlab.errors import BadInput
from schedlab.outputs.tables import JobRow


def simulated(
    record: Record, scheduler: str, until: int, *settings: str, processor: Sequence[int] | None = None, **of_task: Any
) -> Schedule:
    """Simulates the strictly periodic tasks of a record, whose jobs arrive before `until`, until all are complete.

    `settings` are further lines of the scenario, `of_task` further fields of its tasks, as lists by task.
    """
    tasks, offsets = record["tasks"], record.get("offsets", [0] * len(record["tasks"]))
    if processor is not None:
        of_task["processor"] = processor
    elif scheduler.startswith("P-") and record["m"] > 1:
        raise BadInput("a partitioned scheduler needs a processor for each task")
    expect_jobs(record, until)
    expect_by_task(record, offsets=offsets, **of_task)
    horizon = until + max(offsets, default=0) + sum(cost * -(-until // period) for cost, period, _ in tasks) + 1
    lines = ["schedlab = 1", f'horizon = "{horizon} ns"', f'scheduler.name = "{scheduler}"']
    lines += [f"platform.processors = {record['m']}", *settings]
    for task, (cost, period, deadline) in enumerate(tasks):
        times = {"wcet": cost, "period": period, "deadline": deadline, "offset": offsets[task], "leave": until}
        lines += ["[[task]]", f'name = "T{task}"', "wcet_may_exceed_deadline = true"]
        lines += [f'{field} = "{time} ns"' for field, time in times.items()]
        lines += [f"{field} = {values[task]}" for field, values in of_task.items()]
    return simulate(Scenario.parse("\n".join(lines), str(record["id"])))


def finish(jobs: Iterable[JobRow]) -> list[list[int | None]]:
    """Returns the completions of jobs as records have them."""
    return [[job["task"], job["job"], job["completion_ns"]] for job in jobs]


def slots(schedule: Schedule, count: int, quantum: int) -> list[int]:
    """Returns the tasks of each of the first quanta: a bit mask of task indices."""
    filled = [0] * count
    rows = schedule.segments(count * quantum)
    for task, start, end in zip(rows["task"], rows["start_ns"], rows["end_ns"], strict=True):
        for slot in range(start // quantum, -(-end // quantum)):
            filled[slot] |= 1 << task
    return filled
