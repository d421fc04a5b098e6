"""Values of peers that are known to be wrong or missing though their records dispute nothing; docs/peers.md has the proofs."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any


def explained(family: str, test: str, record: Mapping[str, Any], theirs: Any) -> bool:
    """Whether a disagreement about this result is theirs, by a proof in docs/peers.md."""
    fair_lateness = family == "gedf" and test in ("srt.gel_gfl_response", "srt.gel_gfl_priority_points")
    # Their sum of floating-point utilizations exceeds m, so that they take the system for overloaded.
    return fair_lateness and theirs is None and _utilization(record) == record["m"]


def _utilization(record: Mapping[str, Any]) -> Fraction:
    return sum((Fraction(cost, period) for cost, period, _ in record["tasks"]), Fraction(0))
