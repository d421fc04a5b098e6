"""Measures of many task sets at once, as the field's papers define them: one implementation for studies and readers.

* RNP, NST and TD: Calandrino, Leontyev, Block, Devi and Anderson, RTSS 2006, section 4.2.
* MMT and the overload point: Dellinger, Lindsay and Ravindran, chronos-scalability-2011, with figure 2.
* Weighted schedulability: Bastoni, Brandenburg and Anderson, OSPERT 2010.

Counts and times are whole numbers and stay exact; what is a quotient is a `Fraction`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import ceil

__all__ = [
    "maximum_tardiness_mean",
    "overload_point",
    "required_processors",
    "schedulable_sets",
    "tardiness_mean",
    "weighted_schedulability",
]

#: A utilization, or a total: exact if it is a fraction.
Ratio = int | float | Fraction


def required_processors(utilization: Ratio, most: int, accepts: Callable[[int], bool]) -> int | None:
    """RNP: the least number of processors, from ceil(U) to `most`, on which the test `accepts`.

    Tests need not stay satisfied with more processors, so each number is asked in turn.
    """
    return next((processors for processors in range(max(1, ceil(utilization)), most + 1) if accepts(processors)), None)


def schedulable_sets(accepted: Iterable[bool]) -> int:
    """NST: how many task sets are schedulable."""
    return sum(map(bool, accepted))


def tardiness_mean(bounds_ns: Sequence[int | None]) -> Fraction | None:
    """TD: the mean of the bounds on tardiness of a set's tasks; None if a bound is not known, or nothing is there."""
    return _mean(bounds_ns)


def maximum_tardiness_mean(maxima_ns: Sequence[int | None]) -> Fraction | None:
    """MMT: the largest tardiness of each task set, averaged over all task sets."""
    return _mean(maxima_ns)


def weighted_schedulability(utilizations: Sequence[Ratio], accepted: Sequence[bool]) -> Fraction | None:
    """W = sum of U S / sum of U over all task sets, S being 1 for those that are schedulable and 0 for others."""
    total = sum((Fraction(utilization) for utilization in utilizations), Fraction(0))
    if total == 0:
        return None
    good = (Fraction(utilization) for utilization, yes in zip(utilizations, accepted, strict=True) if yes)
    return sum(good, Fraction(0)) / total


def overload_point(loads: Sequence[Ratio], mmt_ns: Sequence[Ratio], *, allowed_ns: Ratio) -> Ratio | None:
    """The largest load up to which the MMT stays within `allowed_ns` at every load that was measured; None if at none.

    The paper reads off the graph where tardiness "begins to rise rapidly"; here whoever asks says what that is.
    """
    within = None
    for load, tardiness in sorted(zip(loads, mmt_ns, strict=True)):
        if tardiness > allowed_ns:
            break
        within = load
    return within


def _mean(values: Sequence[int | None]) -> Fraction | None:
    known = [value for value in values if value is not None]
    return Fraction(sum(known), len(known)) if known and len(known) == len(values) else None
