"""The load up to which all sets are scheduled: its interval holds the truth, however few sets there are."""

from __future__ import annotations

import sys
from math import exp
from typing import Any

import numpy as np
import pytest

from schedlab.studies import find_study, sentence
from schedlab.studies.answers import DOES_NOT_HOLD, HOLDS, INDISTINGUISHABLE
from schedlab.studies.checks import Lies

FIGURE: Any = sys.modules[find_study("2011-fig9")[0].plot.__module__]  # type: ignore[union-attr]
SHARES: Any = sys.modules[FIGURE.Shares.__module__]
LOADS = list(range(1, 17))


@pytest.mark.parametrize("sets", [20, 100, 1000])
@pytest.mark.parametrize("steepness", [0.3, 1.0])
def test_its_interval_holds_the_truth(sets: int, steepness: float) -> None:
    """Failures are binomial, with shares on a logistic curve."""
    shares = [1 / (1 + exp((10 - load) / steepness)) for load in LOADS]
    truth = max(load for load, share in zip(LOADS, shares, strict=True) if share <= 1 / SHARES.ONE_IN)
    random, covered = np.random.default_rng(2011), 0
    for _ in range(300):
        found = SHARES.last_load(LOADS, [(int(random.binomial(sets, share)), sets) for share in shares])
        low, high = found.ends(0.99)
        assert low <= found.value <= high
        covered += low <= truth <= high
    assert covered >= 297


def test_few_sets_confirm_no_load() -> None:
    def answer(sets: int, failures: int) -> str:
        counts = [(0 if load < 9 else failures, sets) for load in LOADS]
        return sentence("up to 8", Lies(SHARES.last_load(LOADS, counts), 7.5, 8.5)).answer

    assert answer(100, 90) == INDISTINGUISHABLE and answer(1000, 900) == HOLDS
    assert (
        sentence("9 at least", Lies(SHARES.last_load([8, 9], [(0, 100), (90, 100)]), low=8.5)).answer == DOES_NOT_HOLD
    )
    assert SHARES.last_load(LOADS, [(0, 0)] * 16).ends(0.99) == (0, 16)
