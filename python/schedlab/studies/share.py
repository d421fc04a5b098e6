"""Extrapolation of the time that all units of a study take from a random share of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev

from schedlab.outputs.studies import StudyShare
from schedlab.show.plots.intervals import student_quantile

CONFIDENCE = 0.95


def sampled(study: str, sets: int, full: bool, seconds: Sequence[float], units: int) -> StudyShare:
    """Extrapolates the seconds of some units, chosen by chance, to all `units`."""
    total, low, high = extrapolated(seconds, units)
    return StudyShare(study, sets, full, len(seconds), units, sum(seconds), total, low, high)


def extrapolated(seconds: Sequence[float], units: int) -> tuple[float | None, float | None, float | None]:
    """Returns the time of all units and the ends of its interval of 95%; None where it is unknown.

    The estimate is the mean of a sample without replacement, by Student's t. It is too low if few units take most of
    the time and none of them was chosen, because the interval only reflects how much the chosen ones differ.
    """
    if not seconds:
        return None, None, None
    total = units * fmean(seconds)
    if len(seconds) == units:
        return total, total, total
    if len(seconds) < 2:
        return total, None, None
    error = units * stdev(seconds) / math.sqrt(len(seconds)) * math.sqrt(1 - len(seconds) / units)
    half = student_quantile(len(seconds) - 1, 0.5 + CONFIDENCE / 2) * error
    return total, max(total - half, sum(seconds)), total + half
