"""Which part of a schedule a picture shows, so that it can be read, and the file that it becomes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedlab import _native
from schedlab.durations import exact_duration
from schedlab.errors import BadInput
from schedlab.files import write_whole
from schedlab.naming import job_id

if TYPE_CHECKING:
    from schedlab.schedule import Schedule, Time

#: A picture has no more boxes, lines and arrows than this: about a megabyte of SVG.
MOST = 10_000

#: A page has no more: about a hundred megabytes, the most that browsers open without trouble.
MOST_OF_PAGE = 4_000_000

#: How many jobs a picture shows where the first hyperperiod has more and nothing else is said.
JOBS = 100

#: After all that is in a trace, in nanoseconds.
FOREVER = 2**64 - 1

#: What the ending of a file says about the picture in it.
ENDINGS = {".svg": "svg", ".png": "png", ".pdf": "pdf", ".tex": "tikz", ".txt": "text", ".html": "page"}


def window(
    schedule: Schedule, start: Time = None, until: Time = None, around: str | None = None, jobs: int | None = None
) -> tuple[int, int]:
    """From when to when a picture shows `schedule`, in nanoseconds.

    `around` is a job, as in `Schedule.why`: with as much before and after as it takes. `jobs` is how many jobs, from
    `start` on. If nothing is said, the first hyperperiod, or its first `JOBS` jobs.
    """
    if sum(given is not None for given in (around, jobs, until)) > 1 or (around is not None and start is not None):
        raise BadInput("the window is named twice; allowed: around a job, or from a time until a time or for some jobs")
    if around is not None:
        return _around(schedule, job_id(schedule, around))
    start_ns, end_ns = 0 if start is None else _native.nanoseconds("from", start), schedule.scenario.horizon_ns
    if start_ns >= end_ns:
        begins, ends = exact_duration(start_ns), exact_duration(end_ns)
        raise BadInput(f"the window would begin at {begins}, and the schedule ends at {ends}; allowed: an earlier one")
    if until is not None:
        return start_ns, _native.nanoseconds("until", until)
    if jobs is None:
        periods: list[int] = schedule.scenario.tasks["period_ns"]
        length = math.lcm(*periods)
        if sum(length // period for period in periods) <= JOBS:
            return start_ns, min(start_ns + length, end_ns)
    return start_ns, max(schedule._native.end_of_jobs(start_ns, JOBS if jobs is None else jobs), start_ns + 1)


def part(schedule: Schedule, **shown: Any) -> tuple[int, int] | None:
    """The `window` of an export, which is all that follows if only its `start` is given; `None` if nothing is."""
    given = {name: value for name, value in shown.items() if value is not None}
    if not given:
        return None
    start, until = window(schedule, **given)
    if until < start:
        ends, begins = exact_duration(until), exact_duration(start)
        raise BadInput(f"the records would end at {ends}, before they begin at {begins}; allowed: a later end")
    return start, FOREVER if given.keys() == {"start"} else until


def _around(schedule: Schedule, job: str) -> tuple[int, int]:
    """From its arrival to its completion, or else its deadline, with half as much on either side."""
    span = schedule._native.span(job)
    if span is None:
        raise BadInput(f"{job} did not arrive in this trace; `schedlab trace --format csv` lists the jobs that did")
    arrival, end = span
    margin = max((end - arrival) // 2, 1)
    return max(0, arrival - margin), end + margin


def save(schedule: Schedule, path: Path | str, **shown: Any) -> Path:
    """Writes a picture of `schedule` as the ending of `path` says: SVG, PNG, PDF, TikZ, text, or a page (HTML).

    `shown` are `start`, `until`, `around` and `jobs` of `window`, and `lanes`: `processors` or `tasks`.
    """
    path = Path(path)
    kind = ENDINGS.get(path.suffix.lower())
    if kind is None:
        raise BadInput(f'"{path}" does not end like a picture; allowed: {", ".join(ENDINGS)}')
    if kind == "page":
        from schedlab.report import write_timelines

        if shown.pop("lanes", None) is not None:
            raise BadInput("a page has lanes of both kinds; leave out the lanes")
        return write_timelines({path.stem: schedule}, path, **shown)
    write_whole(path, picture(schedule, kind, **shown))
    return path


def picture(
    schedule: Schedule, kind: str, lanes: str | None = None, width: int | None = None, **shown: Any
) -> str | bytes:
    """A picture of a `kind`: text, svg, tikz, png or pdf. Text is folded to lines of at most `width` letters."""
    start, until = window(schedule, **shown)
    if kind in ("png", "pdf"):
        from schedlab.plots.timeline import rendered

        return rendered(schedule.drawing(until, start, most=MOST), schedule.scenario, lanes or "tasks", kind)
    if kind == "text":
        return schedule.to_text(start, until, lanes or "processors", width)
    drawn = {"svg": schedule.to_svg, "tikz": schedule.to_tikz}[kind]
    return drawn(start, until, lanes or "tasks")
