"""Confidence intervals by the bootstrap: values are drawn anew from those that were seen.

B. Efron, Bootstrap methods: another look at the jackknife, Annals of Statistics 7, 1979; the percentile interval, and
several samples at once: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapters 8 and 13. The interval
is asymptotic: for few values, or a statistic that jumps where two places tie, it covers less than it says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from schedlab.studies.errors import StudyError

Floats: TypeAlias = npt.NDArray[np.float64]

#: Number of resamples. Either end of a 99% interval then has ten of them beyond it.
RESAMPLES = 2000


@dataclass(frozen=True)
class Interval:
    """A statistic of the values that were seen, and the ends of its interval; infinite where it does not exist."""

    value: float
    low: float
    high: float

    def is_within(self, low: float, high: float) -> bool | None:
        """Returns whether the statistic lies from `low` to `high`; None if the interval leaves that open."""
        if low <= self.low and self.high <= high:
            return True
        return False if self.high < low or high < self.low else None

    def is_after(self, other: Interval) -> bool | None:
        """Returns whether the statistic is larger than another; None if the two intervals leave that open."""
        if self.low > other.high:
            return True
        return False if self.high <= other.low else None


def resampled_means(samples: Sequence[Sequence[float]], *, seed: int, resamples: int = RESAMPLES) -> Floats:
    """Returns the means of independent samples, each resampled by itself at its own size.

    The shape is (resamples, samples). The same `seed` gives the same means. Raises `StudyError` for an empty sample.
    """
    if not samples or not all(len(sample) for sample in samples):
        raise StudyError("a sample without values was to be resampled")
    random = np.random.default_rng(seed)
    seen = (np.asarray(sample, dtype=np.float64) for sample in samples)
    drawn = [sample[random.integers(len(sample), size=(resamples, len(sample)))].mean(axis=1) for sample in seen]
    return np.stack(drawn, axis=1)


def percentile_interval(value: float, resampled: Floats, confidence: float) -> Interval:
    """Returns `value`, a statistic, with its percentile interval from the same statistic of resamples, shape (n,).

    `confidence` lies above 0 and below 1, or `StudyError` is raised. The interval ends at values that occurred: at the
    outer one where a percentile lies between two.
    """
    if not 0 < confidence < 1:
        raise StudyError(f"confidence is {confidence}; allowed: above 0 and below 1")
    ordered = np.sort(resampled)
    # Floats make half of 1 - 0.9 less than 0.05.
    outside = round((1 - confidence) / 2 * len(ordered), 9)
    low, high = int(np.floor(outside)), int(np.ceil(len(ordered) - outside)) - 1
    return Interval(value, float(ordered[low]), float(ordered[high]))
