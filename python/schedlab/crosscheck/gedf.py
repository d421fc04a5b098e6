"""Family `gedf`: tests for global EDF."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from schedlab import _native

Record = Mapping[str, Any]


def _simple(name: str) -> Callable[[Record], bool]:
    return lambda record: _native.global_edf_test(name, record["tasks"], record["m"])


def _tardiness(preemptive: bool) -> Callable[[Record], int | None]:
    return lambda record: _native.devi_anderson_x(record["tasks"], record["m"], preemptive)


def _responses(record: Record) -> list[int] | None:
    return _native.global_edf_responses(record["tasks"], record["m"])


TESTS: Mapping[str, Callable[[Record], Any]] = {
    "gfb": _simple("gfb"),
    "bak": _simple("baker"),
    "bcl": _simple("bcl"),
    "bcl_iterative": _simple("bcl_iterative"),
    "rta": _simple("bertogna_cirinei"),
    "rta_response": _responses,
    "srt.da_x": _tardiness(preemptive=True),
    "srt.da_np_x": _tardiness(preemptive=False),
}
