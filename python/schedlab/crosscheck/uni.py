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
    """Response times by position of `fp_order`, null from the first task on whose w exceeds its deadline."""
    ordered = [record["tasks"][task] for task in record["fp_order"]]
    bounds = _native.response_time_analysis(ordered, jitter, blocking)
    responses: list[int | None] = []
    ok = True
    for at, bound in enumerate(bounds):
        late = jitter[at] if jitter else 0
        if bound is None or bound - late > ordered[at][2]:
            ok = False
            break
        ok = ok and bound <= ordered[at][2]
        responses.append(bound)
    return {"ok": ok, "resp": responses + [None] * (len(ordered) - len(responses))}


TESTS: Mapping[str, Callable[[Record], Any]] = {
    "edf_qpa": _simple("qpa"),
    "edf_pdc_ref": _simple("processor-demand"),
    "liu_layland": _simple("liu-layland"),
    "hyperbolic": _simple("hyperbolic"),
    "fp_rta": _fp_rta,
    "fp_rta_jitter_blocking": _fp_rta_jitter_blocking,
}
