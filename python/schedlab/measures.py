"""Measures of many task sets at once, as the field's papers define them: one implementation for studies and readers.

* RNP, NST and TD: Calandrino, Leontyev, Block, Devi and Anderson, RTSS 2006, section 4.2.
* MMT and the overload point: Dellinger, Lindsay and Ravindran, chronos-scalability-2011, with figure 2.
* Breakdown: Lehoczky, Sha and Ding, RTSS 1989.
* Weighted schedulability: Bastoni, Brandenburg and Anderson, OSPERT 2010.

Counts and times are whole numbers and stay exact; what is a quotient is a `Fraction`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from schedlab import _native
from schedlab.errors import BadInput

if TYPE_CHECKING:
    from schedlab.core.scenario import Scenario

#: A utilization, or a total: exact if it is a fraction.
Ratio = int | float | Fraction
Load = TypeVar("Load", int, float, Fraction)


def required_processors(
    scenarios: Sequence[Scenario], most: int, *, tests: Sequence[str] | None = None, threads: int = 0
) -> list[int | None]:
    """RNP of each scenario: the least number of processors, up to `most`, on which all deadlines are proved to be met.

    By any test, or by one of `tests`. None where `most` are not enough. The answers do not depend on `threads`; 0 means
    one for each processor. `schedlab.studies.batch.required_processors` does so for random sets.
    """
    if not 1 <= most < 1 << 16:
        raise BadInput(f"most: {most}; allowed: 1 to 65535 processors")
    return _native.required_processors_of(_shipped(scenarios), most, tests, threads)


def breakdown(scenarios: Sequence[Scenario], *, tests: Sequence[str] | None = None, threads: int = 0) -> list[Fraction]:
    """The breakdown of each scenario: a factor of all costs with which deadlines are proved to be met.

    They are not with costs that are a ten-thousandth larger; 16 is the largest factor that is looked at. 0 where hardly
    any cost is accepted, or tasks as they are fit nowhere. The factor times the utilization is the breakdown
    utilization.
    """
    return [Fraction(one, 10_000) for one in _native.breakdown_of(_shipped(scenarios), tests, threads)]


def _shipped(scenarios: Sequence[Scenario]) -> list[_native.Scenario]:
    """Those of an installed package are values of its own library."""
    for scenario in scenarios:
        if not isinstance(scenario._native, _native.Scenario):
            raise BadInput(f"{scenario.scheduler} is installed; allowed: schedulers and protocols of schedlab")
    return [scenario._native for scenario in scenarios]


def schedulable_sets(accepted: Iterable[bool]) -> int:
    """NST: how many task sets are schedulable."""
    return sum(map(bool, accepted))


def tardiness_mean(bounds: Sequence[Ratio | None]) -> Fraction | None:
    """TD: the mean of the bounds on tardiness of a set's tasks; None if a bound is not known, or nothing is there."""
    return _mean(bounds)


def maximum_tardiness_mean(maxima: Sequence[Ratio | None]) -> Fraction | None:
    """MMT: the largest tardiness of each task set, averaged over all task sets."""
    return _mean(maxima)


def weighted_schedulability(utilizations: Sequence[Ratio], accepted: Sequence[bool]) -> Fraction | None:
    """W = sum of U S / sum of U over all task sets, S being 1 for those that are schedulable and 0 for others."""
    total = sum((Fraction(utilization) for utilization in utilizations), Fraction(0))
    if total == 0:
        return None
    good = (Fraction(utilization) for utilization, yes in zip(utilizations, accepted, strict=True) if yes)
    return sum(good, Fraction(0)) / total


def overload_point(loads: Sequence[Load], mmt: Sequence[Ratio], *, allowed: Ratio) -> Load | None:
    """The least load from which on the MMT is more than `allowed` at every load that was measured; None if it is not.

    The paper's table I has the load at which tardiness "begins to rise rapidly", by eye; what is allowed says here what
    that is.
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
