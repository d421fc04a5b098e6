"""Every example runs: analysis, simulation, invariants."""

from __future__ import annotations

import pytest

import schedlab
from conftest import ROOT

FILES = sorted((ROOT / "examples").glob("*.toml"))


def test_the_promised_examples_are_there():
    names = {path.stem for path in FILES}
    assert {"avionics", "pathfinder", "waters2019", "caseva", "papabench", "automotive"} <= names


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_example_runs_and_keeps_its_bounds(path):
    scenario = schedlab.Scenario.read(path)
    assert schedlab.Scenario.parse(scenario.to_toml()) == scenario
    [analysis] = schedlab.analyze(scenario)
    metrics, checked = schedlab.measure(scenario)
    assert metrics.jobs > 0
    assert [found.name for found in checked if not found.holds] == []
    for task in metrics.tasks:
        bound = analysis.response_time_bound_ns(task["index"])
        assert bound is None or task["max_response_time_ns"] is None or task["max_response_time_ns"] <= bound
    if analysis.schedulable:
        assert metrics.misses == 0


def test_the_avionics_demo_has_the_load_it_says():
    """64 tasks on four processors: 84.5% each."""
    scenario = schedlab.Scenario.read(ROOT / "examples" / "avionics.toml").replace(processors=4, copies=4)
    assert len(scenario.tasks) == 64
    assert sum(scenario.tasks["utilization"]) / 4 == pytest.approx(0.845, abs=0.001)
