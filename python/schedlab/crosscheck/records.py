"""Common parts of families: records, tests of them, what is refused, and the form of response times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from schedlab.errors import BadInput

Record = Mapping[str, Any]
Test = Callable[[Record], Any]
#: Tests by the name of a result.
Tests = Mapping[str, Test]
#: Largest number of jobs; more count as a mistake.
_MOST_JOBS = 1_000_000


def expect_jobs(record: Record, until: int) -> None:
    """Raises `BadInput` if more jobs arrive before `until` than a computation of a record is meant for."""
    jobs = sum(-(-until // period) for _, period, _ in record["tasks"])
    if jobs > _MOST_JOBS:
        raise BadInput(f"{jobs} jobs arrive before {until}; allowed: up to {_MOST_JOBS}")


def expect_by_task(record: Record, **lists: Sequence[Any]) -> None:
    """Raises `BadInput` unless each list has one value for each task of the record."""
    for name, values in lists.items():
        if len(values) != len(record["tasks"]):
            raise BadInput(f"{name}: {len(values)} values; allowed: one for each of {len(record['tasks'])} tasks")


def by_priority(record: Record) -> list[list[int]]:
    """Returns the tasks by falling fixed priority."""
    return [record["tasks"][task] for task in record["fp_order"]]


def response_times(bounds: Sequence[int | None]) -> dict[str, Any]:
    """Returns bounds on response times, and whether each task has one."""
    return {"ok": None not in bounds, "resp": bounds}
