"""Tasks that fit nowhere: placed best-effort, which every answer says; an overload is refuted by a late job."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import schedlab
from conftest import MS

# A textbook's question: utilization 133/120 on one processor, rate-monotonic and EDF.
OVERLOAD = """schedlab = 1
scheduler.name = "{scheduler}"
platform.processors = 1
task = [
  {{ name = "A", wcet = "1 ms", period = "3 ms" }},
  {{ name = "B", wcet = "2 ms", period = "5 ms" }},
  {{ name = "C", wcet = "3 ms", period = "8 ms" }},
]
"""

# The more urgent task leaves after two jobs; what it left over is made up for one job after the other.
LEAVES = """schedlab = 1
horizon = "40 ms"
scheduler = { name = "P-FP", urgent_priority = "largest" }
platform.processors = 1
task = [
  { name = "long", wcet = "6 ms", period = "10 ms", priority = 2, leave = "20 ms" },
  { name = "short", wcet = "1 ms", period = "2 ms", priority = 1 },
]
"""

SAID = "placed best-effort: A fits nowhere"


@pytest.fixture
def overload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("overload.toml").write_text(OVERLOAD.format(scheduler="P-EDF"), encoding="utf-8")
    return "overload.toml"


def responses(scenario: schedlab.Scenario, task: str) -> list[float]:
    jobs = [job for job in schedlab.simulate(scenario).jobs if job["name"] == task]
    return [job["response_time_ns"] / MS for job in jobs if job["response_time_ns"] is not None]


def test_an_overload_of_one_processor_is_simulated() -> None:
    rate_monotonic = schedlab.Scenario.parse(OVERLOAD.format(scheduler="P-RM"))
    late = responses(rate_monotonic.replace(horizon="33 ms"), "C")
    assert late[:2] == [14, 16], "C has what the others leave"
    assert schedlab.simulate(rate_monotonic.replace(scheduler="P-EDF")).metrics().misses
    left = schedlab.Scenario.parse(LEAVES)
    seen = responses(left, "short")
    assert seen[:14] == [7, 6, 5, 4, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1]
    pinned = schedlab.Scenario.parse(LEAVES.replace("wcet", "processor = 0, wcet"))
    assert pinned.overflowed == [] and responses(pinned, "short") == seen, "where nothing is chosen nothing overflows"


def test_every_command_says_so(run: Any, overload: str) -> None:
    for command in ("simulate", "analyze"):
        assert SAID in run(command, overload).out
        assert run(command, overload, "--json").json[{"simulate": "simulations", "analyze": "analyses"}[command]][0][
            "overflowed"
        ] == ["A"]
    compared = run("compare", overload, "--schedulers", "P-EDF,G-EDF", "--out", "folder")
    assert f"P-EDF: {SAID}" in compared.out and "G-EDF: placed" not in compared.out
    rows = json.loads(Path("folder/result.json").read_text())["schedulers"]
    assert [row["overflowed"] for row in rows] == [["A"], []]
    assert "Placed best-effort." in Path("folder/report.html").read_text()
    placed = run("place", overload)
    assert placed.status == 1 and SAID in placed.out
    [row] = [row for row in run("place", overload, "--json").json["placements"][0]["tasks"] if row["overflowed"]]
    assert row["name"] == "A"


def test_the_overload_is_refuted_by_a_late_job(run: Any, overload: str) -> None:
    answer = run("analyze", overload)
    assert answer.out.startswith("unschedulable under P-EDF: ")
    assert "\nsimulated: " in answer.out and " misses its deadline at " in answer.out
    assert run("analyze", overload, "--strict").status == 1
    [found] = schedlab.analyze(schedlab.Scenario.parse(OVERLOAD.format(scheduler="P-RM")))
    assert found.conclusion["hard"]["answer"] == "unschedulable" and found.evidence


def test_a_refusal_can_be_asked_for(run: Any, overload: str) -> None:
    refused = run("simulate", overload, "--placement", "refuse")
    assert refused.status == 2 and "1 of the tasks fit on no processor: A" in refused.err
    assert "cannot be applied" in run("analyze", overload, "--placement", "refuse").out
    assert run("place", overload, "--placement", "refuse").status == 1
    asked = run("simulate", overload, "--placement", "first_fit qpa")
    assert asked.status == 0 and "placed best-effort" in asked.out, "also where a test has a say at each step"


def test_what_is_said_of_one_placement_is_not_said_of_others() -> None:
    """Three tasks of 2/3 on two processors: no placement holds them, and one late job shows it of the one simulated."""
    rows = [{"name": name, "wcet_ns": 2 * MS, "period_ns": 3 * MS} for name in "xyz"]
    scenario = schedlab.Scenario.from_tasks(rows, processors=2, scheduler="P-EDF")
    [found] = schedlab.analyze(scenario)
    assert found.overflowed == ("z",)
    assert found.conclusion["hard"]["answer"] == "unschedulable"
    assert {late["cluster"] for late in found.evidence} == {found.placement[2]}
    # Beyond a bound of the user's own a processor is not overloaded, and its tests decide.
    bounded = scenario.replace(processors=3, placement="first_fit bound=0.5")
    [fine] = schedlab.analyze(bounded)
    assert fine.overflowed == ("x", "y", "z") and fine.schedulable
