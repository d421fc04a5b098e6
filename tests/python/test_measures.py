"""Measures of many task sets, against values computed by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from schedlab import BadInput, Scenario, measures
from schedlab.studies.batch import Batch, breakdown, judge_sets


def thirds(scheduler: str, count: int, cost: int = 2) -> Scenario:
    rows = [{"wcet_ns": 1000 * cost, "period_ns": 3000}] * count
    return Scenario.from_tasks(rows, processors=count, scheduler=scheduler)


def test_processors_that_sets_need():
    # Tasks of two thirds: each has a processor of its own, or GFB's U <= m - (m - 1) 2/3, so m >= 3 U - 2.
    given = [thirds("P-EDF", 2), thirds("P-EDF", 5), thirds("G-EDF", 3), thirds("G-EDF", 1)]
    assert measures.required_processors(given, 8) == [2, 5, 3, 1]
    assert measures.required_processors(given, 4) == [2, None, 3, 1]
    assert measures.required_processors(given, 8, tests=["gfb"]) == [2, 5, 4, 1]
    with pytest.raises(BadInput, match="most: 0; allowed"):
        measures.required_processors(given, 0)


def test_breakdowns():
    # Two thirds grow to one, one third as well.
    assert measures.breakdown([thirds("P-EDF", 2), thirds("P-EDF", 1, cost=1)]) == [Fraction(3, 2), 3]
    # GFB on three processors: 3 u <= 3 - 2 u, so u = 3/5, nine tenths of two thirds.
    assert measures.breakdown([thirds("G-EDF", 3)], tests=["gfb"]) == [Fraction(9, 10)]
    assert measures.breakdown([thirds("G-EDF", 3)], tests=["devi_anderson"]) == [0], "a test of tardiness"


def test_random_sets():
    drawn: dict[str, Any] = {
        "utilizations": "uniform 0.1 0.9",
        "periods": "uniform 10ms 100ms",
        "deadlines": "implicit",
    }
    asked = ["P-EDF hard", "G-EDF hard gfb"]
    batch = Batch(**drawn, stop="trim 3", seed=7, sets=range(30), processors=3, questions=asked)
    answers = judge_sets(batch)
    assert answers.schedulable_sets == [sum(proved) for proved in answers.proved]
    # All sets have a utilization of 3.
    shares = [Fraction(count, 30) for count in answers.schedulable_sets]
    assert [float(one or 0) for one in answers.weighted_schedulability] == pytest.approx([float(one) for one in shares])
    for proved, factors in zip(answers.proved, breakdown(batch), strict=True):
        assert [factor >= 1 for factor in factors] == proved
        assert all(0 < factor <= 1 for factor in factors), "three processors have no room for more"


def test_counts_and_means():
    assert measures.schedulable_sets([True, False, True]) == 2
    assert measures.tardiness_mean([0, 5, 5]) == Fraction(10, 3)
    assert measures.tardiness_mean([0, None]) is None
    assert measures.tardiness_mean([]) is None
    # Three sets whose worst jobs are 0, 10 and 20 late.
    assert measures.maximum_tardiness_mean([0, 10, 20]) == 10


def test_weighted_schedulability_counts_heavy_sets_more():
    # (1 x 1 + 2 x 0 + 3 x 1) / 6
    assert measures.weighted_schedulability([1, 2, 3], [True, False, True]) == Fraction(2, 3)
    assert measures.weighted_schedulability([0.5, 1.5], [True, False]) == Fraction(1, 4)
    assert measures.weighted_schedulability([], []) is None
    with pytest.raises(ValueError):
        measures.weighted_schedulability([1, 2], [True])


def test_overload_begins_where_tardiness_stays_above():
    loads, mmt = [1, 2, 3, 4], [0, 9, 11, 3]
    assert measures.overload_point(loads, mmt, allowed=10) is None, "at 4 it is over"
    assert measures.overload_point(loads, mmt, allowed=2) == 2
    assert measures.overload_point(loads[::-1], mmt[::-1], allowed=2) == 2
    assert measures.overload_point(loads, mmt, allowed=-1) == 1
