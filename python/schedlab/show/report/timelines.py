"""A page of one schedule, or of two beside each other: the timeline of a comparison, without the comparison."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedlab import _native
from schedlab.base.durations import duration
from schedlab.base.files import writing_whole
from schedlab.core.linux import LINUX_SCHEDULERS
from schedlab.core.naming import job_id
from schedlab.core.window import MOST_OF_PAGE, Time, window
from schedlab.show.report.page import TIMELINE, rendered

if TYPE_CHECKING:
    from schedlab.core.schedule import Schedule

#: Place of a schedule in the page, which is written around it, because as a Python value it takes ten times its memory.
#: JSON and HTML escape quotes, so that no name looks like this.
_HOLE, _FILLED = '"schedule":null', '"schedule":'

_TASK = ("index", "name", "wcet_ns", "period_ns", "relative_deadline_ns", "offset_ns")

#: Entries of a header about the origin of a trace, with their names on a page.
_PROVENANCE = {
    "producer": "written by",
    "backend": "scheduled by",
    "machine": "machine",
    "kernel": "kernel",
    "source": "source",
}

#: Who decides, by the name of the backend in a header.
_BACKENDS = {
    "simulation": "a simulation",
    "threads": "schedlab, for threads of Linux that stop at gates",
    "scx": "schedlab, for threads that a scheduler in the kernel executes",
    "scx-native": "schedlab's scheduler in the kernel",
}

#: The kernel's classes by their names in scenarios, in the order in which they go before each other.
_CLASSES = {"deadline": LINUX_SCHEDULERS[2], "fifo": LINUX_SCHEDULERS[1], "ordinary": "SCHED_OTHER"}


def write_timelines(
    schedules: Mapping[str, Schedule],
    path: Path | str,
    *,
    start: Time = None,
    until: Time = None,
    around: str | None = None,
    jobs: int | None = None,
    difference: Mapping[str, Any] | None = None,
    told: str | None = None,
) -> Path:
    """Writes a page of the schedules, by name, to `path`, whole or not at all, and returns the path.

    The page holds the part from `start` until `until`, or for a number of `jobs`; else everything. It opens at the
    `difference` of the two schedules, which is `told` in words, or at the job that `around` names.
    """
    path = Path(path)
    first = next(iter(schedules.values()))
    chosen = None if around is None else job_id(first._native, first.scenario, around)
    from_ns, until_ns = (0, None)
    if start is not None or until is not None or jobs is not None:
        from_ns, until_ns = window(first._native, first.scenario, start, until, None, jobs)
        if until is None and jobs is None:
            until_ns = None
    differs = None if difference is None or difference["schedule"] is None else difference["schedule"]["at_ns"]
    drawn = [one._native.drawn(from_ns, until_ns, MOST_OF_PAGE) for one in schedules.values()]
    traces = [trace_of(name, schedule, one) for (name, schedule), one in zip(schedules.items(), drawn, strict=True)]
    last = max(trace["drawn_until_ns"] for trace in traces)
    for trace in traces:
        trace |= {"drawn_until_ns": last, "differs_at_ns": differs}
    data = {"traces": traces, "differs_at_ns": differs, "job": _numbers(chosen)}
    model = {
        "title": _title(schedules),
        "command": "schedlab view" if told is None else "schedlab diff",
        "version": traces[0]["version"],
        "difference": told,
        "differs": differs is not None,
        "example": f"{traces[0]['tasks'][0]['name']} 0, or T0J0",
        "traces": [
            _told(schedule, trace, one) for schedule, trace, one in zip(schedules.values(), traces, drawn, strict=True)
        ],
    }
    parts = rendered("view.html.j2", model, data, (*TIMELINE, "view.js")).split(_HOLE)
    assert len(parts) == len(drawn) + 1, "the page has a hole for each schedule, and text has none"
    with writing_whole(path, "wb") as stream:
        for part, one in zip(parts, drawn, strict=False):
            stream.write(f"{part}{_FILLED}".encode())
            one.write_json(stream.write)
        stream.write(parts[-1].encode())
    return path


def _title(schedules: Mapping[str, Schedule]) -> str:
    """Returns the titles of the scenarios, or what the schedules are called where a scenario has none."""
    titles = [schedule.scenario.name or name for name, schedule in schedules.items()]
    return " and ".join(dict.fromkeys(titles))


def _mode(schedule: Schedule) -> str:
    """Returns the lanes with which the page opens: tasks where resources or priorities matter, else processors."""
    prioritized = any(task["fixed_priority"] is not None for task in map(dict, schedule.scenario.tasks))
    return "task" if prioritized or schedule._native.resources() else "processor"


def trace_of(name: str, schedule: Schedule, drawn: _native.Drawn) -> dict[str, Any]:
    """Returns what the scripts of a page know of a schedule besides the schedule itself."""
    scenario = schedule.scenario
    return {
        "name": name,
        "version": _native.__version__,
        "processors": scenario.processors,
        "tasks": [{column: task[column] for column in _TASK} for task in map(dict, scenario.tasks)],
        "resources": schedule._native.resources(),
        "mode": _mode(schedule),
        "drawn_from_ns": drawn.window[0],
        "drawn_until_ns": drawn.window[1],
        "schedule": None,
    }


def _told(schedule: Schedule, trace: Mapping[str, Any], drawn: _native.Drawn) -> dict[str, Any]:
    """Returns the texts of the page about one schedule."""
    facts = [
        ("scheduler", schedule.header.get("scheduler", "unknown")),
        ("tasks", len(trace["tasks"])),
        ("processors", trace["processors"]),
        ("drawn", f"{duration(drawn.window[0])} to {duration(drawn.window[1])}"),
        ("jobs", drawn.arrivals),
        ("missed", drawn.misses),
    ]
    facts += [("deadlock", deadlock["text"]) for deadlock in schedule.metrics().deadlocks]
    if overflowed := schedule.scenario.overflowed:
        facts.append(("placed best-effort", f"{', '.join(overflowed)}, which fit nowhere"))
    header = {**schedule.header, "backend": _backend(schedule)}
    known = [(word, header[name]) for name, word in _PROVENANCE.items() if header.get(name) is not None]
    return {
        "name": trace["name"],
        "facts": facts,
        "left_out": schedule.scenario.left_out,
        **_rests_on(schedule),
        "account": _account(schedule),
        "provenance": [("schedlab", trace["version"]), *known],
        "scenario": schedule.header["scenario"],
    }


def _backend(schedule: Schedule) -> str | None:
    """Says who decided which job executes; for the kernel's own classes, which class has which threads."""
    backend = schedule.header.get("backend")
    if backend != "class":
        return None if backend is None else _BACKENDS.get(backend, backend)
    if "classes" in schedule.header:
        return f"Linux itself, each thread by its class ({schedule.header['classes']})"
    by_class: dict[str, list[str]] = {}
    for task in tomllib.loads(schedule.scenario.to_toml())["task"]:
        by_class.setdefault(_CLASSES[task.get("class", "fifo")], []).append(task["name"])
    if len(by_class) > 1:
        told = [f"{name}: {_first_of(by_class[name])}" for name in _CLASSES.values() if name in by_class]
        return f"Linux itself, each thread by its class ({'; '.join(told)})"
    return f"Linux itself, under {schedule.header['scheduler']}"


def _first_of(names: Sequence[str], most: int = 6) -> str:
    """Returns the first names, and how many others there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _rests_on(schedule: Schedule) -> dict[str, list[str]]:
    """Returns what a simulation rests on, and which overheads it lacks; a real machine takes its own overheads."""
    if schedule.account is not None:
        return {"rests_on": [], "overheads_unknown": []}
    unknown = [kind.replace("_", " ") for kind in schedule.scenario.overheads_unknown]
    return {"rests_on": schedule.scenario.rests_on, "overheads_unknown": unknown}


def _account(schedule: Schedule) -> list[str]:
    """Returns, for a real run, who took processor time and the results of checks; else nothing."""
    account = schedule.account
    if account is None:
        return []
    judged = [
        f"{'holds' if found['holds'] else 'VIOLATED'} {found['name']}"
        + (f": {found['detail']}" if found["detail"] else "")
        for found in account["judgements"]
    ]
    return [*account["text"].splitlines(), *judged]


def _numbers(job: str | None) -> list[int] | None:
    """Returns the task and the number of a job such as "T3J7"."""
    return None if job is None else [int(part) for part in job.removeprefix("T").split("J")]
