"""Family `overheads`: tasks with scheduling overheads. Records are in microseconds, times here in nanoseconds."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

from schedlab import _native
from schedlab.crosscheck.records import Record, Test, Tests

Rows = list[list[Fraction]]


def _ns(value: float) -> int:
    """Returns microseconds, as the record prints them, in nanoseconds, exactly."""
    return math.ceil(Decimal(str(value)) * 1000)


def _linear(value: Any) -> tuple[int, int]:
    """Returns a and b of a constant a, or of a + b for each task or unit of the working set."""
    return (_ns(value[0]), _ns(value[1])) if isinstance(value, list) else (_ns(value), 0)


def _accounted(name: str, record: Record) -> Rows | None:
    """Returns the parameters in microseconds."""
    measured = dict(record["oh"])
    latency = _linear(measured.pop("release_latency"))
    rows = _native.accounted(
        name,
        [[1000 * value for value in task] for task in record["tasks"]],
        record["wss"],
        record["m"],
        1000 * record["quantum"],
        [(kind, *_linear(value)) for kind, value in measured.items()],
        _linear(record["cpmd"]),
        latency[0] + latency[1] * len(record["tasks"]),
        record["dedicated_irq"],
    )
    if rows is None:
        return None
    return [[Fraction(int(above), int(below)) / 1000 for above, below in row] for row in rows]


def _plain(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)


def _exact(name: str) -> Test:
    def test(record: Record) -> Any:
        rows = _accounted(name, record)
        return False if rows is None else [[_plain(value) for value in row] for row in rows]

    return test


def _jlfp_quantized(record: Record) -> Any:
    """Rounds costs up, periods and relative deadlines down; a cost may not exceed the shorter of these."""
    rows = _accounted("jlfp", record)
    rounded = [[math.ceil(c), math.floor(t), math.floor(d)] for c, t, d in rows or []]
    fits = rows is not None and all(0 < min(t, d) >= c for c, t, d in rounded)
    return rounded if fits else False


def _fp_quantized(record: Record) -> Any:
    rows = _accounted("fp", record)
    if rows is None:
        return False
    return [[math.ceil(c), math.floor(t), math.floor(d), math.ceil(j)] for c, t, d, j in rows]


_BY_QUANTA = (
    "quantize_wcet",
    "quantize_period",
    "account_for_delayed_release",
    "account_for_staggering",
    "pfair_aligned",
    "pfair_aligned_periodic",
    "pfair_staggered",
    "pfair_aligned_weight1_allowed",
)

TESTS: Tests = {
    "jlfp_raw": _exact("jlfp"),
    "jlfp_quantized": _jlfp_quantized,
    "fp_quantized": _fp_quantized,
    **{name: _exact(name) for name in _BY_QUANTA},
}
