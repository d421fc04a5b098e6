"""Family `uni`: tests for one processor."""

from __future__ import annotations

from typing import Any

from schedlab import _native
from schedlab.crosscheck.records import Record, Test, Tests, by_priority, response_times


def _edf(name: str) -> Test:
    return lambda record: _native.is_proved(name, record["tasks"], 1, edf=True)


def _fixed(name: str) -> Test:
    return lambda record: _native.is_proved(name, by_priority(record), 1, edf=False)


def _with_jitter(record: Record, jitter: list[int] | None, blocking: list[int] | None) -> dict[str, Any]:
    """Returns response times w + J by position of `fp_order`, null from the first w on that exceeds its deadline."""
    ordered = by_priority(record)
    windows = _native.busy_windows(ordered, jitter, blocking)
    late = jitter or [0] * len(ordered)
    responses = [None if w is None else w + j for w, j in zip(windows, late, strict=True)]
    ok = all(found is not None and found <= task[2] for found, task in zip(responses, ordered, strict=True))
    return {"ok": ok, "resp": responses}


def _suspending(record: Record) -> dict[str, Any]:
    """Takes own suspension as execution; that of tasks of higher priority delays their execution by R - C."""
    return response_times(_native.suspension_bounds(by_priority(record), record["susp"], record["blocking"]))


def _edf_response_times(approximately: bool) -> Test:
    return lambda record: _native.edf_response_times(record["tasks"], approximately)


TESTS: Tests = {
    "edf_qpa": _edf("qpa"),
    "edf_pdc_ref": _edf("demand_criterion"),
    "liu_layland": _fixed("liu_layland"),
    "hyperbolic": _fixed("hyperbolic"),
    "fp_rta": lambda record: _with_jitter(record, None, None),
    "fp_rta_jitter_blocking": lambda record: _with_jitter(record, record["jitter"], record["blocking"]),
    "fp_rta_suspension_blocking": _suspending,
    "edf_wcrt": _edf_response_times(approximately=False),
    "edf_wcrt_approx_gy": _edf_response_times(approximately=True),
    "c_eq_d_max_cost": lambda record: _native.largest_piece(record["tasks"], *record["c_eq_d_input"]),
}
