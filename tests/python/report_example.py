"""A comparison as `schedlab.compare` defines it, made by a few lines of Python: the page's tests need nothing native.

The simulator below is global EDF or FIFO without overheads; it exists to give the page consistent data.
"""

from __future__ import annotations

from typing import Any

MS = 1_000_000

#: Name, WCET and period in milliseconds: the generic avionics platform in miniature.
AVIONICS = [
    ("weapon release", 3, 10),
    ("radar tracking", 2, 40),
    ("target tracking", 4, 40),
    ("flight data", 8, 50),
    ("heads-up display", 6, 50),
    ("multi-purpose display", 8, 50),
    ("weapon aim", 3, 50),
    ("navigation", 8, 59),
    ("status", 3, 100),
    ("countermeasures", 7, 200),
]


def comparison(copies: int = 4, processors: int = 4, scale: float = 0.72, drawn_ms: int = 400) -> dict[str, Any]:
    """Two schedulers on copies of the avionics tasks, and one that cannot be applied."""
    tasks = [
        {
            "index": index,
            "name": f"{name} {copy + 1}" if copies > 1 else name,
            "wcet_ns": round(wcet * scale * MS),
            "period_ns": period * MS,
            "relative_deadline_ns": period * MS,
            "offset_ns": 0,
            "utilization": wcet * scale / period,
        }
        for index, (copy, (name, wcet, period)) in enumerate(
            (copy, task) for copy in range(copies) for task in AVIONICS
        )
    ]
    utilization = sum(task["utilization"] for task in tasks)
    drawn_until = drawn_ms * MS
    return {
        "format": "schedlab-comparison",
        "version": 1,
        "title": f"avionics, {copies} copies",
        "schedlab_version": "0.1.0",
        "scenario": 'version = 1\ntitle = "avionics </script> & co"\n\n[platform]\nprocessors = 4\n'
        + "# a long line " * 30,
        "overheads": "none",
        "processors": processors,
        "utilization": {"exact": f"{utilization}", "value": utilization},
        "seed": 1,
        "horizon_ns": drawn_until,
        "drawn_until_ns": drawn_until,
        "tasks": tasks,
        "schedulers": [
            _scheduler("G-EDF", tasks, processors, drawn_until, bounded=True),
            _scheduler("G-FIFO", tasks, processors, drawn_until, bounded=False),
            {"name": "P-EDF", "description": "", "error": "task 'weapon release 4' fits no processor"},
        ],
    }


def _scheduler(
    name: str, tasks: list[dict[str, Any]], processors: int, horizon: int, *, bounded: bool
) -> dict[str, Any]:
    jobs, segments = simulate(tasks, processors, horizon, edf=name == "G-EDF")
    observed = [_observed(task, jobs, bounded) for task in tasks]
    misses = [job for job in jobs if _missed(job, horizon)]
    tardiness = [max(0, job["end"] - job["deadline"]) for job in jobs if job["end"] is not None]
    return {
        "name": name,
        "description": "global, preemptive, " + ("earliest deadline first" if bounded else "first in, first out"),
        "error": None,
        "placement": None,
        "verdicts": _verdicts(len(tasks)) if bounded else [],
        "tasks": observed,
        "totals": {
            "jobs": len(jobs),
            "misses": len(misses),
            "preemptions": sum(job["preemptions"] for job in jobs),
            "migrations": sum(job["migrations"] for job in jobs),
            "max_tardiness_ns": max(tardiness, default=0),
            "overhead_ns": 0,
            "load": 0.8,
        },
        "invariants": [
            {"name": "work_conserving", "holds": True, "detail": None},
            {"name": "respects_priority", "holds": True, "detail": None},
            {"name": "one_processor_at_a_time", "holds": True, "detail": None},
        ],
        "schedule": {
            "segments": segments,
            "overheads": [],
            "arrivals": [[job["task"], job["number"], job["arrival"]] for job in jobs],
            "deadlines": [[j["task"], j["number"], j["deadline"]] for j in jobs if j["deadline"] <= horizon],
            "completions": [[j["task"], j["number"], j["end"]] for j in jobs if j["end"] is not None],
            "misses": [[job["task"], job["number"], job["deadline"]] for job in misses],
        },
    }


def _verdicts(tasks: int) -> list[dict[str, Any]]:
    return [
        {
            "test": "gfb",
            "source": "Goossens, Funk, Baruah 2003, theorem 4",
            "kind": "hard",
            "answer": "unknown",
            "reason": "the utilization exceeds m - (m - 1) times the largest utilization",
            "assumptions": ["implicit deadlines", "independent tasks", "no overheads"],
            "response_time_bounds_ns": None,
            "tardiness_bounds_ns": None,
        },
        {
            "test": "da_x",
            "source": "Devi, Anderson 2005",
            "kind": "soft",
            "answer": "schedulable",
            "reason": "the utilization is at most the number of processors",
            "assumptions": ["implicit deadlines", "no overheads"],
            "response_time_bounds_ns": None,
            "tardiness_bounds_ns": [20 * MS] * tasks,
        },
    ]


def _observed(task: dict[str, Any], jobs: list[dict[str, Any]], bounded: bool) -> dict[str, Any]:
    mine = [job for job in jobs if job["task"] == task["index"]]
    times = sorted(job["end"] - job["arrival"] for job in mine if job["end"] is not None)
    late = [max(0, job["end"] - job["deadline"]) for job in mine if job["end"] is not None]
    return {
        "index": task["index"],
        "jobs": len(mine),
        "misses": sum(value > 0 for value in late),
        "preemptions": sum(job["preemptions"] for job in mine),
        "migrations": sum(job["migrations"] for job in mine),
        "response_time_ns": {
            "max": times[-1],
            "mean": sum(times) / len(times),
            "p50": times[len(times) // 2],
            "p95": times[len(times) * 95 // 100],
            "p99": times[len(times) * 99 // 100],
        }
        if times
        else None,
        "tardiness_ns": {"max": max(late), "mean": sum(late) / len(late)} if times else None,
        "response_time_bound_ns": task["period_ns"] + 20 * MS if bounded else None,
        "tardiness_bound_ns": 20 * MS if bounded else None,
        "histogram": _histogram(times),
    }


def _histogram(times: list[int], bins: int = 20) -> dict[str, list[int]]:
    top = times[-1] if times else 0
    edges = [top * number // bins for number in range(bins + 1)]
    counts = [0] * bins
    for value in times:
        counts[min(bins - 1, value * bins // max(1, top))] += 1
    return {"edges_ns": edges, "counts": counts}


def _missed(job: dict[str, Any], horizon: int) -> bool:
    deadline: int = job["deadline"]
    return deadline <= horizon and (job["end"] is None or job["end"] > deadline)


def simulate(
    tasks: list[dict[str, Any]], processors: int, horizon: int, *, edf: bool
) -> tuple[list[dict[str, Any]], list[list[int]]]:
    """Jobs and segments of a global preemptive schedule."""
    jobs = sorted(
        (
            {
                "task": task["index"], "number": number, "arrival": at, "deadline": at + task["relative_deadline_ns"],
                "left": task["wcet_ns"], "end": None, "cpu": None, "preemptions": 0, "migrations": 0,
            }
            for task in tasks
            for number, at in enumerate(range(0, horizon, task["period_ns"]))
        ),
        key=lambda job: (job["arrival"], job["task"]),
    )  # fmt: skip
    segments: list[list[int]] = []
    running: list[dict[str, Any]] = []
    now, arrived = 0, 0
    ready: list[dict[str, Any]] = []
    while now < horizon:
        while arrived < len(jobs) and jobs[arrived]["arrival"] <= now:
            ready.append(jobs[arrived])
            arrived += 1
        eligible = [job for job in ready if not any(_precedes(other, job) for other in ready)]
        eligible.sort(key=lambda job: (job["deadline"] if edf else job["arrival"], job["task"]))
        chosen = eligible[:processors]
        for job in running:
            job["preemptions"] += job["left"] > 0 and job not in chosen
        _assign(chosen, processors)
        upcoming = jobs[arrived]["arrival"] if arrived < len(jobs) else horizon
        until = min([horizon, upcoming, *(now + job["left"] for job in chosen)])
        for job in chosen:
            _extend(segments, job, now, until)
            job["left"] -= until - now
            if job["left"] == 0:
                job["end"] = until
                ready.remove(job)
        running, now = chosen, until
    return jobs, sorted(segments, key=lambda segment: (segment[3], segment[0]))


def _precedes(other: dict[str, Any], job: dict[str, Any]) -> bool:
    return bool(other["task"] == job["task"] and other["number"] < job["number"])


def _assign(chosen: list[dict[str, Any]], processors: int) -> None:
    """Back to the last processor where that is free, else to any."""
    free = set(range(processors))
    waiting = []
    for job in chosen:
        if job["cpu"] in free:
            free.remove(job["cpu"])
        else:
            waiting.append(job)
    for job in waiting:
        job["migrations"] += job["cpu"] is not None
        job["cpu"] = min(free)
        free.remove(job["cpu"])


def _extend(segments: list[list[int]], job: dict[str, Any], start: int, end: int) -> None:
    for segment in reversed(segments[-16:]):
        if segment[:3] == [job["cpu"], job["task"], job["number"]] and segment[4] == start:
            segment[4] = end
            return
    segments.append([job["cpu"], job["task"], job["number"], start, end])
