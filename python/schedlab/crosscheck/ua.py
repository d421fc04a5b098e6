"""Family `ua`: one decision of the utility-accrual schedulers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from schedlab import _native
from schedlab.errors import BadInput
from schedlab.json_lines import is_whole

Record = Mapping[str, Any]


def _is_job(job: Any) -> bool:
    return isinstance(job, list) and len(job) == 4 and all(map(is_whole, job))


def _queues(algorithm: str, record: Record, processors: int) -> list[list[int]]:
    jobs, now = record.get("jobs"), record.get("now")
    if not isinstance(jobs, list) or not all(map(_is_job, jobs)) or not is_whole(now):
        raise BadInput('"jobs" is a list of [remaining, wcet, absolute deadline, utility], "now" a time; whole numbers')
    return _native.utility_queues(algorithm, processors, jobs, now)


def _first(algorithm: str) -> Callable[[Record], list[int]]:
    """On one processor: the job that runs, if any."""
    return lambda record: _queues(algorithm, record, 1)[0][:1]


def _schedule(algorithm: str) -> Callable[[Record], list[int]]:
    return lambda record: _queues(algorithm, record, 1)[0]


def _heads(algorithm: str) -> Callable[[Record], list[int]]:
    """By processor: the job that runs, -1 if none."""
    return lambda record: [queue[0] if queue else -1 for queue in _queues(algorithm, record, record["m"])]


def _schedules(algorithm: str) -> Callable[[Record], list[list[int]]]:
    return lambda record: _queues(algorithm, record, record["m"])


def _densest(record: Record) -> list[int]:
    """The m densest, in order."""
    return [job for queue in _queues("hvdf", record, record["m"]) for job in queue]


TESTS: Mapping[str, Callable[[Record], Any]] = {
    "HVDF": _first("hvdf"),
    "GHVDF": _densest,
    "LBESA": _first("lbesa"),
    "LBESA_schedule": _schedule("lbesa"),
    "DASA_ND": _first("dasa_nd"),
    "DASA_ND_schedule": _schedule("dasa_nd"),
    "GMUA": _heads("gmua"),
    "NGGUA": _heads("ng_gua"),
    "NGGUA_schedules": _schedules("ng_gua"),
    "GGUA": _heads("g_gua"),
    "GGUA_schedules": _schedules("g_gua"),
}
