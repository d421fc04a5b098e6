"""Supertasks of a scenario, from Python."""

from __future__ import annotations

from pathlib import Path

import schedlab
from schedlab import _native

EXAMPLE = Path(__file__).parents[2] / "examples" / "supertasks.toml"


def test_a_scenario_says_its_supertasks() -> None:
    scenario = schedlab.Scenario.read(EXAMPLE)
    [found] = scenario.supertasks()
    assert (found["name"], found["weight"], found["doubt"]) == ("sensors", "2/3", None)
    assert found["components"] == [f"sensor.{k}" for k in range(1, 6)]
    assert scenario.supertasks("G-EDF") == []


def test_the_least_weight_of_components() -> None:
    one = [(1_000_000, 3_000_000, 3_000_000)]
    # One quantum in any three slots: 1/2, since 1/3 may leave out five slots in a row.
    assert _native.supertask_weight(one, True, 1_000_000, 0, True) == (1, 2)
    assert _native.supertask_weight([(2_000_000, 2_000_000, 2_000_000)], True, 1_000_000, 500_000, True) is None
