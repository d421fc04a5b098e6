"""Names of jobs in commands: an id, a task's name or number, or none for the worst job."""

from __future__ import annotations

import re
from collections.abc import Sequence

from schedlab import _native
from schedlab.core.scenario import Scenario
from schedlab.errors import BadInput


def job_id(trace: _native.Trace, scenario: Scenario, named: str | None) -> str:
    """Returns the id such as "T3J7" of a job of `trace`, which came from `scenario`.

    `named` is an id, a task ("control", "T1" or "1"), a task and the job's number ("control 3"), or None. A task means
    its worst job, None the worst job of all. Names take precedence over numbers. Raises `BadInput` if there is no such
    job.
    """
    if named is None:
        return worst_job(trace, scenario, None)
    names: list[str] = scenario.tasks["name"]
    if (task := _task(named, names)) is not None:
        return worst_job(trace, scenario, task)
    if re.fullmatch(r"T\d+J\d+", named):
        return named
    of, _, number = named.rpartition(" ")
    task = _task(of.strip(), names)
    if task is None or not re.fullmatch(r"J?\d+", number):
        listed = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
        raise BadInput(f'"{named}" is no job and no task; allowed: T1J3, a task ({listed}), or a task and a number')
    return f"T{task}J{number.removeprefix('J')}"


def _task(named: str, names: Sequence[str]) -> int | None:
    """Returns the index of a task by its name, or by its number; None if there is no such task."""
    if named in names:
        return names.index(named)
    found = re.fullmatch(r"T?(\d{1,9})", named)
    return int(found[1]) if found and int(found[1]) < len(names) else None


def worst_job(trace: _native.Trace, scenario: Scenario, task: int | None) -> str:
    """Returns the job, of a task or of all, that was latest or came closest to its deadline; ties by job id."""
    worst = trace.worst_job(task, scenario.horizon_ns)
    if worst is None:
        whose = "" if task is None else f" of {scenario.tasks[task]['name']}"
        raise BadInput(f"no job{whose} was complete or late in this trace; name one, such as T{task or 0}J0")
    return worst
