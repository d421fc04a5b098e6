"""Many measured values as the few numbers that results keep of them."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

#: One in this many values, the largest, is discarded before maxima and means: block-or-not-2008, section 4.1.
DISCARDED = 100


def kept(values: Sequence[float]) -> list[float]:
    """Returns the values in order, without the largest hundredth."""
    ordered = sorted(values)
    return ordered[: len(ordered) - len(ordered) // DISCARDED]


def percentile(values: Sequence[float], share: float) -> float:
    """Returns the least value that at least this share of them does not exceed; a share of 0 gives the least."""
    ordered = sorted(values)
    # Floats make 0.99 * 100 more than 99.
    place = -int(-round(share * len(ordered), 9) // 1)
    return ordered[max(place, 1) - 1]


def spread(values: Sequence[float]) -> dict[str, float]:
    """Returns the count, percentiles and ``worst`` of all values, and ``mean`` and ``max`` of those kept."""
    most = kept(values)
    shares = {"low": 0.01, "median": 0.5, "high": 0.99}
    percentiles = {name: percentile(values, share) for name, share in shares.items()}
    return {"count": len(values), "mean": fmean(most), **percentiles, "max": most[-1], "worst": max(values)}
