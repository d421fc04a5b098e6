"""Family `np_jitter`: completion times of non-preemptive jobs, with release jitter and varying costs.

On several processors, values are those of the published rule, which merges states whenever it may.
"""

from __future__ import annotations

from typing import Any

from schedlab import _native
from schedlab.crosscheck.records import Record, Test, Tests, expect_by_task, expect_jobs

#: The work budget of an exploration, as of `schedlab jobs`.
_MOST_STATES = 4_194_304


def is_looser(test: str, record: Record, theirs: Any) -> bool:
    """True if our own bounds on several processors are within theirs, or prove what theirs do not.

    The published rule leaves open which states merge first, and bounds depend on it (docs/peers.md).
    """
    ours = _explored(test, record, published=False)
    if record["m"] == 1 or not ours["schedulable"]:
        return False
    if not theirs["schedulable"]:
        return True
    if len(theirs["completion"]) != len(ours["completion"]):
        return False
    rows = zip(theirs["completion"], ours["completion"], strict=True)
    return all(their[:2] == our[:2] and their[2] <= our[2] and our[3] <= their[3] for their, our in rows)


def _explored(test: str, record: Record, *, published: bool) -> dict[str, Any]:
    found = _native.explore_job_set(_job_set(test, record), "record.csv", record["m"], _MOST_STATES, published)
    if found["answer"] != "schedulable":
        return {"completion": None, "schedulable": False}
    rows = [[job["task"], job["job"], job["best_completion"], job["worst_completion"]] for job in found["jobs"]]
    return {"completion": rows, "schedulable": True}


def _job_set(test: str, record: Record) -> bytes:
    """Returns the jobs that arrive in the hyperperiod after the last offset, or before, in the format of `nptest`."""
    end = record["hyperperiod"] + max(record["offsets"], default=0)
    lines = ["Task ID, Job ID, Release min, Release max, Cost min, Cost max, Deadline, Priority"]
    by_task = {name: record[name] for name in ("bcet", "offsets", "jitter")}
    expect_jobs(record, end)
    expect_by_task(record, **by_task)
    for task, ((cost, period, relative_deadline), least, offset, jitter) in enumerate(
        zip(record["tasks"], *by_task.values(), strict=True)
    ):
        for job, arrival in enumerate(range(offset, end, period)):
            due = arrival + relative_deadline
            priority = due if test.startswith("NP-EDF") else period
            lines.append(f"{task}, {job}, {arrival}, {arrival + jitter}, {least}, {cost}, {due}, {priority}")
    return "\n".join(lines).encode()


def _explore(test: str) -> Test:
    return lambda record: _explored(test, record, published=True)


TESTS: Tests = {test: _explore(test) for test in ("NP-EDF", "NP-RM", "NP-EDF/-m1", "NP-RM/-m1")}
