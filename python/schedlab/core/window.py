"""The part of a schedule that a picture shows, so that it can be read."""

from __future__ import annotations

import math
from typing import Any

from schedlab import _native
from schedlab.base.durations import exact_duration
from schedlab.core.naming import job_id
from schedlab.core.scenario import Scenario
from schedlab.errors import BadInput

#: A point in time: nanoseconds, or text such as "2.5 ms"; None where a schedule begins or ends.
Time = str | int | None

#: Largest number of boxes, lines and arrows of a picture: about a megabyte of SVG.
MOST = 10_000

#: Largest number of them on a page: about a hundred megabytes, the most that browsers open without trouble.
MOST_OF_PAGE = 4_000_000

#: Number of jobs that a picture shows if the first hyperperiod has more and no other part is asked for.
JOBS = 100

#: An instant after everything that is in a trace, in nanoseconds.
FOREVER = 2**64 - 1


def window(
    trace: _native.Trace,
    scenario: Scenario,
    start: Time = None,
    until: Time = None,
    around: str | None = None,
    jobs: int | None = None,
) -> tuple[int, int]:
    """Returns the begin and the end, in nanoseconds, of the part of `trace` (of `scenario`) that a picture shows.

    `around` is a job, as in `Schedule.why`: the part has half of the job's span on either side. `jobs` is a number of
    jobs, from `start` on. Without these, the part is the first hyperperiod, or its first `JOBS` jobs.
    """
    if sum(given is not None for given in (around, jobs, until)) > 1 or (around is not None and start is not None):
        raise BadInput("the window is named twice; allowed: around a job, or from a time until a time or for some jobs")
    if around is not None:
        return _around(trace, job_id(trace, scenario, around))
    start_ns, end_ns = 0 if start is None else _native.nanoseconds("from", start), scenario.horizon_ns
    if start_ns >= end_ns:
        begins, ends = exact_duration(start_ns), exact_duration(end_ns)
        raise BadInput(f"the window would begin at {begins}, and the schedule ends at {ends}; allowed: an earlier one")
    if until is not None:
        return start_ns, _native.nanoseconds("until", until)
    if jobs is None:
        periods: list[int] = scenario.tasks["period_ns"]
        length = math.lcm(*periods)
        if sum(length // period for period in periods) <= JOBS:
            return start_ns, min(start_ns + length, end_ns)
    return start_ns, max(trace.end_of_jobs(start_ns, JOBS if jobs is None else jobs), start_ns + 1)


def part(trace: _native.Trace, scenario: Scenario, **given: Any) -> tuple[int, int]:
    """Returns the `window` of an export; if only its `start` is given, everything that follows."""
    start, until = window(trace, scenario, **given)
    if until < start:
        ends, begins = exact_duration(until), exact_duration(start)
        raise BadInput(f"the records would end at {ends}, before they begin at {begins}; allowed: a later end")
    return start, FOREVER if given.keys() == {"start"} else until


def _around(trace: _native.Trace, job: str) -> tuple[int, int]:
    """Returns the span from a job's arrival to its completion, or else its deadline, and half as much on each side."""
    span = trace.span(job)
    if span is None:
        raise BadInput(f"{job} did not arrive in this trace; `schedlab trace --format csv` lists the jobs that did")
    arrival, end = span
    margin = max((end - arrival) // 2, 1)
    return max(0, arrival - margin), end + margin
