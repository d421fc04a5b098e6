"""Family `ua`: one decision of the utility-accrual schedulers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from schedlab import _native
from schedlab.crosscheck.records import Record, Test, Tests
from schedlab.errors import BadInput
from schedlab.lines.json_lines import is_whole

Queues = list[list[int]]
#: Function from the queues to a result.
Shown = Callable[[Queues], Any]


def _is_job(job: Any) -> bool:
    return isinstance(job, list) and len(job) == 4 and all(map(is_whole, job))


def _queues(algorithm: str, record: Record, processors: int) -> Queues:
    jobs, now = record.get("jobs"), record.get("now")
    if not isinstance(jobs, list) or not all(map(_is_job, jobs)) or not is_whole(now):
        raise BadInput('"jobs" is a list of [remaining, wcet, absolute deadline, utility], "now" a time; whole numbers')
    return _native.utility_queues(algorithm, processors, jobs, now)


def _alone(algorithm: str, shown: Shown) -> Test:
    """Makes a test on one processor."""
    return lambda record: shown(_queues(algorithm, record, 1))


def _together(algorithm: str, shown: Shown) -> Test:
    return lambda record: shown(_queues(algorithm, record, record["m"]))


def _first(queues: Queues) -> list[int]:
    """Returns the job that runs, if any."""
    return queues[0][:1]


def _heads(queues: Queues) -> list[int]:
    """Returns by processor the job that runs, -1 if none."""
    return [queue[0] if queue else -1 for queue in queues]


def _joined(queues: Queues) -> list[int]:
    """Returns the queues one after the other: the schedule of one processor, or the m densest jobs of several."""
    return [job for queue in queues for job in queue]


TESTS: Tests = {
    "HVDF": _alone("hvdf", _first),
    "GHVDF": _together("hvdf", _joined),
    "LBESA": _alone("lbesa", _first),
    "LBESA_schedule": _alone("lbesa", _joined),
    "DASA_ND": _alone("dasa_nd", _first),
    "DASA_ND_schedule": _alone("dasa_nd", _joined),
    "GMUA": _together("gmua", _heads),
    "NGGUA": _together("ng_gua", _heads),
    "NGGUA_schedules": _together("ng_gua", list),
    "GGUA": _together("g_gua", _heads),
    "GGUA_schedules": _together("g_gua", list),
}
