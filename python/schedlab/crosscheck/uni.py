"""Family `uni`: tests for one processor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from schedlab import _native

Record = Mapping[str, Any]


def _simple(name: str) -> Callable[[Record], bool]:
    return lambda record: _native.uniprocessor_test(name, record["tasks"])


def _fp_rta(record: Record) -> dict[str, Any]:
    return _response_times(record, None, None)


def _fp_rta_jitter_blocking(record: Record) -> dict[str, Any]:
    return _response_times(record, record["jitter"], record["blocking"])


def _response_times(record: Record, jitter: list[int] | None, blocking: list[int] | None) -> dict[str, Any]:
    """Response times w + J by position of `fp_order`, null from the first task on whose w exceeds its deadline."""
    ordered = [record["tasks"][task] for task in record["fp_order"]]
    windows = _native.busy_windows(ordered, jitter, blocking)
    late = jitter or [0] * len(ordered)
    responses = [None if w is None else w + j for w, j in zip(windows, late, strict=True)]
    ok = all(found is not None and found <= task[2] for found, task in zip(responses, ordered, strict=True))
    return {"ok": ok, "resp": responses}


def _fp_rta_suspension_blocking(record: Record) -> dict[str, Any]:
    """Own suspension is execution, that of tasks of higher priority delays their execution by R - C."""
    ordered = [record["tasks"][task] for task in record["fp_order"]]
    responses = _native.suspension_bounds(ordered, record["susp"], record["blocking"])
    return {"ok": None not in responses, "resp": responses}


def _edf_response_times(approximately: bool) -> Callable[[Record], list[int] | None]:
    return lambda record: _native.edf_response_times(record["tasks"], approximately)


def _c_eq_d_max_cost(record: Record) -> int | None:
    return _native.largest_piece(record["tasks"], *record["c_eq_d_input"])


TESTS: Mapping[str, Callable[[Record], Any]] = {
    "edf_qpa": _simple("qpa"),
    "edf_pdc_ref": _simple("demand_criterion"),
    "liu_layland": _simple("liu_layland"),
    "hyperbolic": _simple("hyperbolic"),
    "fp_rta": _fp_rta,
    "fp_rta_jitter_blocking": _fp_rta_jitter_blocking,
    "fp_rta_suspension_blocking": _fp_rta_suspension_blocking,
    "edf_wcrt": _edf_response_times(approximately=False),
    "edf_wcrt_approx_gy": _edf_response_times(approximately=True),
    "c_eq_d_max_cost": _c_eq_d_max_cost,
}
