"""Where a curve begins to rise rapidly: its knee, or the place from which on it stays above a threshold.

The knee is the first change of slope, found by cumulative sums (Page, Continuous inspection schemes, Biometrika 41,
1954). A line that rises at the least slope which counts as rapid is taken from the curve. What is left falls where the
curve is slower than the line, and rises where it is faster. As soon as it is above its least value so far by `rise`,
the place of that least value is the knee. Kneedle (Satopaa, Albrecht, Irwin and Raghavan, ICDCS workshops 2011) turns
the curve in the same way, by the line through its ends: there the slope that counts depends on the last value, and a
curve that rises, flattens and rises again has its knee at the second rise. Segmented regression has the same trouble
with such a curve. Both find a knee in a curve that never rises rapidly.

All functions take many curves at once, one a row, as resampling needs them. A place that does not exist is infinite.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from schedlab.studies.errors import StudyError

Floats: TypeAlias = npt.NDArray[np.float64]


def knees(places: Floats, curves: Floats, *, slope: float, rise: float) -> Floats:
    """Returns the knee of each curve: the last of `places` before it rises by more than `slope` per unit of place.

    `places` has shape (n,) and increases strictly, `curves` has shape (curves, n). The rise counts once it is `rise`
    (above 0, in the curve's unit) more than the slope alone gives. The result has shape (curves,): infinity for a curve
    without a knee. Raises `StudyError` for other shapes or values.
    """
    _expect(places, curves)
    if not rise > 0:
        raise StudyError(f"the rise of a knee is {rise}; allowed: more than 0")
    turned = curves - slope * (places - places[0])
    is_found = turned - np.minimum.accumulate(turned, axis=1) >= rise
    first = np.argmax(is_found, axis=1)
    # Places after the first rise do not count for the least value before it.
    before = np.where(np.arange(len(places)) <= first[:, None], turned, np.inf)
    # Of equal least values the last is nearest to the rise.
    last = len(places) - 1 - np.argmin(before[:, ::-1], axis=1)
    return np.where(is_found.any(axis=1), places[last], np.inf)


def lasting_above(places: Floats, curves: Floats, *, allowed: float) -> Floats:
    """Returns for each curve the first of `places` from which on it is above `allowed` everywhere; infinity if none is.

    Shapes and errors are those of `knees`. `schedlab.measures.overload_point` says the same of one curve.
    """
    _expect(places, curves)
    is_low = curves[:, ::-1] <= allowed
    high = np.where(is_low.any(axis=1), np.argmax(is_low, axis=1), len(places))
    return np.where(high > 0, places[np.minimum(len(places) - high, len(places) - 1)], np.inf)


def _expect(places: Floats, curves: Floats) -> None:
    if places.ndim != 1 or curves.ndim != 2 or curves.shape[1] != len(places) or len(places) < 1:
        raise StudyError(f"{curves.shape} values at {places.shape} places; allowed: one row of values for each curve")
    if not (np.diff(places) > 0).all():
        raise StudyError("the places of a curve do not increase")
