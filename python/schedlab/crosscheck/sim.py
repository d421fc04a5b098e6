"""Family `sim`: schedules of small periodic task sets, job by job.

Times are whole numbers of any unit, since no test here depends on it: one unit is one nanosecond to us.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from schedlab import _native

Record = Mapping[str, Any]


def _schedule(scheduler: str) -> Callable[[Record], dict[str, Any]]:
    def test(record: Record) -> dict[str, Any]:
        until, observed = record["releases_until"], record["observe_releases_before"]
        if scheduler.startswith("N"):
            # Non-preemptive schedules were made with the observed jobs alone.
            until = observed
        partition = record.get("inputs", {}).get(scheduler, {}).get("cpu")
        offsets = record["offsets"]
        finish = _native.completions(scheduler, record["m"], record["tasks"], offsets, until, partition)
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


TESTS = {name: _schedule(name) for name in ("G-EDF", "G-RM", "G-DM", "G-FIFO", "P-EDF", "P-RM", "NG-EDF", "NG-RM")}
