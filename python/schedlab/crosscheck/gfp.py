"""Family `gfp`: tests for global fixed priorities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from schedlab import _native

Record = Mapping[str, Any]


def _responses(name: str) -> Callable[[Record], dict[str, Any]]:
    def test(record: Record) -> dict[str, Any]:
        ordered = [record["tasks"][task] for task in record["fp_order"]]
        bounds = _native.global_fp_responses(name, ordered, record["m"])
        return {"ok": None not in bounds, "resp": bounds}

    return test


def _uniprocessor(record: Record) -> dict[str, Any]:
    """Response times on one processor, null from the first task on that misses."""
    windows = _native.busy_windows([record["tasks"][task] for task in record["fp_order"]], None, None)
    return {"ok": None not in windows, "resp": windows}


TESTS: Mapping[str, Callable[[Record], Any]] = {
    "guan": _responses("guan"),
    "bertogna_slack": _responses("bertogna_slack"),
    "bertogna_noslack": _responses("bertogna_noslack"),
    "uni_rta": _uniprocessor,
}
