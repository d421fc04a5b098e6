"""Measures of many task sets, against values computed by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from schedlab import measures


def test_required_processors_are_searched_one_by_one():
    # U = 7/3 needs 3 at least; this test accepts 4, rejects 5 and accepts 6.
    assert measures.required_processors(Fraction(7, 3), 8, [4, 6].__contains__) == 4
    assert measures.required_processors(Fraction(9, 2), 8, [4, 6].__contains__) == 6
    assert measures.required_processors(Fraction(9, 2), 5, [4, 6].__contains__) is None
    assert measures.required_processors(3, 8, lambda processors: True) == 3
    assert measures.required_processors(0, 8, lambda processors: True) == 1


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


def test_the_overload_point_is_before_the_first_excess():
    loads, mmt = [1, 2, 3, 4], [0, 9, 11, 3]
    assert measures.overload_point(loads, mmt, allowed_ns=10) == 2
    assert measures.overload_point(loads[::-1], mmt[::-1], allowed_ns=10) == 2
    assert measures.overload_point(loads, mmt, allowed_ns=11) == 4
    assert measures.overload_point(loads, mmt, allowed_ns=-1) is None
