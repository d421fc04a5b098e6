"""Common parts of families: records, tests of them, and the form of response times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Record = Mapping[str, Any]
Test = Callable[[Record], Any]
#: Tests by the name of a result.
Tests = Mapping[str, Test]


def by_priority(record: Record) -> list[list[int]]:
    """Returns the tasks by falling fixed priority."""
    return [record["tasks"][task] for task in record["fp_order"]]


def response_times(bounds: Sequence[int | None]) -> dict[str, Any]:
    """Returns bounds on response times, and whether each task has one."""
    return {"ok": None not in bounds, "resp": bounds}
