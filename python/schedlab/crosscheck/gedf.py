"""Family `gedf`: tests for global EDF."""

from __future__ import annotations

from collections.abc import Sequence

from schedlab import _native
from schedlab.crosscheck.records import Record, Test, Tests


def _simple(name: str) -> Test:
    return lambda record: _native.is_proved(name, record["tasks"], record["m"], edf=True)


def _any(record: Record) -> bool:
    """True if one of the tests accepts that the peer asks by default."""
    names = ("baker", "gfb", "bertogna_cirinei_edf", "baruah", "liu_anderson")
    return any(_simple(name)(record) for name in names)


#: Baruah's condition as peers read it: the published cap accepts misses, and neither reading looks between changes of
#: demand.
_READINGS = ("baruah_published", "baruah_schedcat")


def is_let_through(test: str, record: Record) -> bool:
    """True if the peer's reading of Baruah's condition accepts the record, though the condition fails.

    Without suspensions Liu and Anderson's condition is equal to it. With several tests, no other one decides, because
    ours accept nothing.
    """
    return test in ("bar", "la", "any_default") and any(_simple(name)(record) for name in _READINGS)


def _tardiness(preemptive: bool) -> Test:
    return lambda record: _native.devi_anderson_x(record["tasks"], record["m"], preemptive)


def _generalized(record: Record, points: Sequence[int]) -> list[int | None] | None:
    return _native.generalized_responses(record["tasks"], record["m"], points)


def _fair_lateness(record: Record) -> list[int]:
    tasks = [[cost, period, period] for cost, period, _ in record["tasks"]]
    return _native.fair_lateness_points(tasks, record["m"])


def _gel_gfl(record: Record) -> list[int | None] | None:
    return _generalized(record, _fair_lateness(record))


TESTS: Tests = {
    "gfb": _simple("gfb"),
    "bak": _simple("baker"),
    "bcl": _simple("bcl"),
    "bcl_iterative": _simple("bcl_iterative"),
    "rta": _simple("bertogna_cirinei_edf"),
    "bar": _simple("baruah"),
    "la": _simple("liu_anderson"),
    "ffdbf": _simple("ff_dbf_grid"),
    "load": _simple("load_approximation"),
    "any_default": _any,
    "rta_response": lambda record: _native.global_edf_responses(record["tasks"], record["m"]),
    "srt.da_x": _tardiness(preemptive=True),
    "srt.da_np_x": _tardiness(preemptive=False),
    "srt.gel_gedf_response": lambda record: _generalized(record, [period for _, period, _ in record["tasks"]]),
    "srt.gel_gfl_priority_points": lambda record: _fair_lateness(record) if _gel_gfl(record) else None,
    "srt.gel_gfl_response": _gel_gfl,
}
