"""Measures of many task sets at once, as the field's papers define them: one implementation for studies and readers.

* RNP, NST and TD: Calandrino, Leontyev, Block, Devi and Anderson, RTSS 2006, section 4.2.
* MMT and the overload point: Dellinger, Lindsay and Ravindran, chronos-scalability-2011, with figure 2.
* Breakdown: Lehoczky, Sha and Ding, RTSS 1989.
* Weighted schedulability: Bastoni, Brandenburg and Anderson, OSPERT 2010.

Counts and times are whole numbers and stay exact; quotients are `Fraction`s.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from schedlab import _native
from schedlab.errors import BadInput

if TYPE_CHECKING:
    from schedlab.core.scenario import Scenario

#: A utilization or a total; exact if it is an integer or a fraction.
Ratio = int | float | Fraction
Load = TypeVar("Load", int, float, Fraction)


def required_processors(
    scenarios: Sequence[Scenario], most: int, *, tests: Sequence[str] | None = None, threads: int = 0
) -> list[int | None]:
    """Returns the RNP of each scenario: the least number of processors on which all deadlines are proved to be met.

    Proofs are by any test, or by one of `tests`. `None` if up to `most` processors (1 to 65,535) are not enough.
    `threads` does not change the answers; 0 means one thread for each processor. For random sets, see
    `schedlab.studies.batch.required_processors`. Raises `BadInput` for a scenario of an installed package.
    """
    if not 1 <= most < 1 << 16:
        raise BadInput(f"most: {most}; allowed: 1 to 65535 processors")
    return _native.required_processors_of(_shipped(scenarios), most, tests, threads)


def breakdown(scenarios: Sequence[Scenario], *, tests: Sequence[str] | None = None, threads: int = 0) -> list[Fraction]:
    """Returns the breakdown of each scenario: a factor of all costs with which deadlines are proved to be met.

    They are not proved with costs that are a ten-thousandth larger. The search ends at a factor of 16. The result is 0
    if hardly any cost is accepted, or if the tasks with their given costs fit nowhere. The factor times the utilization
    is the breakdown utilization.
    """
    return [Fraction(one, 10_000) for one in _native.breakdown_of(_shipped(scenarios), tests, threads)]


def _shipped(scenarios: Sequence[Scenario]) -> list[_native.Scenario]:
    """Returns native scenarios; raises `BadInput` for one of an installed package, which has a library of its own."""
    for scenario in scenarios:
        if not isinstance(scenario._native, _native.Scenario):
            raise BadInput(f"{scenario.scheduler} is installed; allowed: schedulers and protocols of schedlab")
    return [scenario._native for scenario in scenarios]


def schedulable_sets(accepted: Iterable[bool]) -> int:
    """Returns the NST: the number of task sets that are schedulable."""
    return sum(map(bool, accepted))


def tardiness_mean(bounds: Sequence[Ratio | None]) -> Fraction | None:
    """Returns the TD: the mean of the bounds on tardiness of a set's tasks; None if a bound is unknown or missing."""
    return _mean(bounds)


def maximum_tardiness_mean(maxima: Sequence[Ratio | None]) -> Fraction | None:
    """Returns the MMT: the largest tardiness of each task set, averaged over all sets; None if one is unknown."""
    return _mean(maxima)


def weighted_schedulability(utilizations: Sequence[Ratio], accepted: Sequence[bool]) -> Fraction | None:
    """Returns W = sum of U S / sum of U over all task sets, where S is 1 for a schedulable set and 0 for others."""
    total = sum((Fraction(utilization) for utilization in utilizations), Fraction(0))
    if total == 0:
        return None
    good = (Fraction(utilization) for utilization, yes in zip(utilizations, accepted, strict=True) if yes)
    return sum(good, Fraction(0)) / total


def overload_point(loads: Sequence[Load], mmt: Sequence[Ratio], *, allowed: Ratio) -> Load | None:
    """Returns the least load from which on the MMT exceeds `allowed` at every load that was measured; None if none
    does.

    The paper's table I gives the load at which tardiness "begins to rise rapidly", found by eye. A threshold is one
    reading of it. Another is the knee (`schedlab.studies.knee`), which also finds a rise of tardiness that was bounded.
    """
    begins = None
    for load, tardiness in sorted(zip(loads, mmt, strict=True), reverse=True):
        if tardiness <= allowed:
            break
        begins = load
    return begins


def _mean(values: Sequence[Ratio | None]) -> Fraction | None:
    known = [Fraction(value) for value in values if value is not None]
    return sum(known, Fraction(0)) / len(known) if known and len(known) == len(values) else None
