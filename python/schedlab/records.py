"""Task sets as JSON records, one a line, and verdicts of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from schedlab.analysis import Analysis, analyze
from schedlab.errors import BadInput
from schedlab.scenario import Scenario

__all__ = ["verdict_records"]

#: What a record may have besides its tasks.
FIELDS = ("id", "m", "scheduler", "tasks", "offsets", "jitter")


def verdict_records(
    lines: Iterable[str],
    source: str,
    schedulers: Sequence[str] | None,
    tests: Sequence[str] | None,
    overrides: Mapping[str, Any],
) -> Iterator[dict[str, Any]]:
    """For each line and scheduler what is proved; a line that cannot be read is an error with its number."""
    settings = {name: value for name, value in overrides.items() if value is not None}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = f"{source}:{number}"
        record = _record(line, place)
        for scheduler in schedulers or [record.get("scheduler", "G-EDF")]:
            try:
                scenario = _scenario(record, scheduler, place)
                scenario = scenario.replace(**settings) if settings else scenario
                [found] = analyze(scenario, tests=tests)
            except BadInput as error:
                raise BadInput(f"{place}: {error}") from error
            yield {"id": record.get("id", number), **_verdict(found)}


def _record(line: str, place: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise BadInput(f"{place}: {error}") from error
    if not isinstance(record, dict) or not isinstance(record.get("tasks"), list) or not record["tasks"]:
        raise BadInput(f"{place}: expected an object with `tasks`; it may have {', '.join(FIELDS)}")
    return record


def _scenario(record: Mapping[str, Any], scheduler: str, place: str) -> Scenario:
    """Tasks are `[wcet, period, relative deadline]` or objects with the columns of task tables, in nanoseconds."""
    rows = []
    for at, task in enumerate(record["tasks"]):
        if isinstance(task, dict):
            row = dict(task)
        elif isinstance(task, list) and len(task) in (2, 3):
            row = dict(zip(("wcet_ns", "period_ns", "relative_deadline_ns"), task, strict=False))
        else:
            raise BadInput(f"tasks[{at}]: expected [wcet, period, relative deadline] or an object")
        for field, column in (("offsets", "offset_ns"), ("jitter", "jitter_ns")):
            if field in record:
                if not isinstance(record[field], list) or len(record[field]) != len(record["tasks"]):
                    raise BadInput(f"{field}: expected one value for each task")
                row[column] = record[field][at]
        rows.append(row)
    processors = record.get("m", 1)
    if not isinstance(processors, int) or isinstance(processors, bool) or processors < 1:
        raise BadInput("m: expected a number of processors from 1")
    return Scenario.from_tasks(rows, processors=processors, scheduler=scheduler, name=place)


def _verdict(found: Analysis) -> dict[str, Any]:
    hard = [verdict for verdict in found.verdicts if verdict.kind == "hard"]
    decisive = next((verdict for verdict in hard if verdict.answer != "unknown"), None)
    reasons = [f"{verdict.test}: {verdict.reason}" for verdict in hard]
    tasks = max((len(v.response_time_bounds_ns or ()) for v in found.verdicts), default=0)
    late = found.evidence[0] if found.evidence else None
    return {
        "scheduler": found.scheduler,
        "answer": "unknown" if decisive is None else decisive.answer,
        "test": None if decisive is None else decisive.test,
        "reason": found.error or ("; ".join(reasons) if decisive is None else decisive.reason),
        "tardiness_bounded": found.tardiness_is_bounded,
        "response_time_bounds_ns": [found.response_time_bound_ns(task) for task in range(tasks)],
        "late": None if late is None else {key: late[key] for key in ("task", "job", "absolute_deadline_ns")},
    }
