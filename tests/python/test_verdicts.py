"""One question has one answer: what several tests prove together, and what an exploration does not know."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import schedlab
from conftest import MS, Run

#: Two tasks on two processors, and two on one: no test speaks for both clusters.
UNEVEN = """schedlab = 1
scheduler = "{scheduler}"
[platform]
processors = 3
clusters = [[0, 1], [2]]
"""
UNEVEN_TASKS = [("a", 3, 5, 0), ("b", 4, 5, 0), ("c", 1, 5, 1), ("d", 3, 7, 1)]

#: A job that is late only if the other one begins before it.
SKIPPED = """Task ID, Job ID, Release min, Release max, Cost min, Cost max, Deadline, Priority
1,1,100,100,2,50,200,1
2,1,0,150,1200,1200,5000,2
"""


def uneven(scheduler: str) -> str:
    tasks = [
        f'[[task]]\nname = "{name}"\nwcet = "{wcet} ms"\nperiod = "{period} ms"\ncluster = {cluster}\n'
        for name, wcet, period, cluster in UNEVEN_TASKS
    ]
    return UNEVEN.format(scheduler=scheduler) + "".join(tasks)


def equal(scheduler: str, *tasks: tuple[int, int]) -> schedlab.Scenario:
    priority = {"fixed_priority": 1} if scheduler == "P-FP" else {}
    rows = [{"wcet_ns": wcet * MS, "period_ns": period * MS, **priority} for wcet, period in tasks]
    return schedlab.Scenario.from_tasks(rows, processors=1, scheduler=scheduler)


def hard(scenario: schedlab.Scenario) -> tuple[str, list[str]]:
    [found] = schedlab.analyze(scenario)
    strongest = found.conclusion["hard"]
    assert strongest is not None
    advised = schedlab.advise(scenario)
    assert advised["as_it_is"] == (strongest["answer"] == "schedulable") == found.schedulable
    return strongest["answer"], strongest["tests"]


@pytest.fixture
def said(run: Callable[..., Run], tmp_path: Path) -> Callable[..., Run]:
    """Writes a file and runs a command on it."""

    def call(command: str, text: str, *options: str) -> Run:
        path = tmp_path / ("jobs.csv" if command == "jobs" else "in.jsonl" if "--jsonl" in options else "in.toml")
        path.write_text(text, encoding="utf-8")
        return run(command, path, *options)

    return call


def test_each_cluster_may_be_proved_by_another_test(said: Callable[..., Run]) -> None:
    found = said("analyze", uneven("C-EDF"), "--strict")
    assert found.status == 0
    proof = "schedulable under C-EDF: cluster 0 by one_processor_each, cluster 1 by edf_utilization; closest: "
    assert found.out.startswith(proof), found.out
    [analysis] = said("analyze", uneven("C-EDF"), "--json").json["analyses"]
    tests = ["one_processor_each", "edf_utilization"]
    assert analysis["conclusion"]["hard"] == {"answer": "schedulable", "tests": tests}
    [way] = [one for one in schedlab.advise(schedlab.Scenario.parse(uneven("C-EDF")))["ways"] if not one["changes"]]
    assert (way["schedulable"], way["margin_percent"]) == (True, 25.0)
    assert way["reason"] == "one_processor_each, edf_utilization prove it together"


def test_a_cluster_of_one_processor_is_judged_as_one() -> None:
    scenario = schedlab.Scenario.parse(uneven("C-FIFO"))
    # On one processor, first come first served takes all costs at most: 1 ms + 3 ms.
    [found] = schedlab.analyze(scenario)
    assert [found.response_time_bound_ns(task) for task in (2, 3)] == [4 * MS, 4 * MS]
    assert hard(scenario)[0] == "schedulable"
    # With 5 ms there, 1 ms of it may wait for 5 ms.
    late = schedlab.Scenario.parse(uneven("C-FIFO").replace('wcet = "3 ms"\nperiod = "7', 'wcet = "5 ms"\nperiod = "7'))
    [way] = [one for one in schedlab.advise(late)["ways"] if not one["changes"]]
    assert not way["schedulable"]
    assert way["reason"] == "processor 1: compliant_vector: c may be late by 1 ms"


@pytest.mark.parametrize("scheduler", ["P-FIFO", "G-FIFO", "P-FL", "G-FL", "C-FIFO", "C-FL"])
def test_no_tardiness_is_no_missed_deadline(scheduler: str) -> None:
    rows = [{"wcet_ns": 1 * MS, "period_ns": 10 * MS} for _ in range(2)]
    scenario = schedlab.Scenario.from_tasks(rows, processors=1, scheduler=scheduler)
    assert hard(scenario) == ("schedulable", ["compliant_vector"])
    assert schedlab.simulate(scenario).metrics().misses == 0


def test_equals_are_served_in_turn_or_in_order(said: Callable[..., Run]) -> None:
    tasks = [(20, 100), (20, 200), (20, 800)]
    [in_turn], [in_order] = (schedlab.analyze(equal(scheduler, *tasks)) for scheduler in ("P-FIFO", "P-FP"))
    assert [in_turn.response_time_bound_ns(task) for task in range(3)] == [60 * MS, 60 * MS, 60 * MS]
    assert in_turn.schedulable
    assert in_turn.tardiness_is_bounded
    # Ties of P-FP go to the task that is listed first.
    assert [in_order.response_time_bound_ns(task) for task in range(3)] == [20 * MS, 40 * MS, 60 * MS]
    found = said("analyze", equal("P-FIFO", *tasks).to_toml(), "--strict")
    proof = "schedulable under P-FIFO: compliant_vector bounds tardiness by 0"
    assert (found.status, found.out.split(";")[0]) == (0, proof)


def test_records_name_the_tests_that_decide_together(said: Callable[..., Run]) -> None:
    record = {"id": "a", "m": 1, "scheduler": "G-FIFO", "tasks": [[MS, 10 * MS], [MS, 10 * MS]]}
    ran = said("analyze", json.dumps(record) + "\n", "--jsonl", "--strict")
    assert (ran.status, ran.json["answer"], ran.json["test"]) == (0, "schedulable", "compliant_vector")
    assert ran.json["reason"] == "response times are at most x + C after the priority point"


def test_completions_are_those_of_all_schedules(said: Callable[..., Run]) -> None:
    found = said("jobs", SKIPPED, "--json").json
    assert (found["answer"], found["complete"]) == ("unschedulable", True)
    times = [[row[key] for key in ("best_completion", "worst_completion", "worst_response")] for row in found["jobs"]]
    # The second job may be released just before 100, and takes 1,200.
    assert times == [[102, 1349, 1249], [1200, 1350, 1350]]


def test_an_exploration_that_stopped_tells_no_completions(said: Callable[..., Run]) -> None:
    found = said("jobs", SKIPPED, "--json", "--states", "1").json
    assert found["complete"] is False
    assert all(row["worst_completion"] is None and row["best_response"] is None for row in found["jobs"])
    assert "not all schedules were explored" in said("jobs", SKIPPED, "--states", "1").out


def test_a_utilization_says_which_delays_it_counts() -> None:
    """One answer never has two utilizations without a word: 15% of the processor, 120% with delays as execution."""
    rows = [
        {"name": "a", "wcet": "1 ms", "period": "10 ms", "jitter": "6 ms"},
        {"name": "b", "wcet": "1 ms", "period": "20 ms", "suspension": "9 ms"},
    ]
    text = "".join("[[task]]\n" + "".join(f'{key} = "{value}"\n' for key, value in row.items()) for row in rows)
    scenario = schedlab.Scenario.parse(f'schedlab = 1\nscheduler = "P-RM"\n{text}')
    counted = "with jitter and suspension counted as execution, the utilization is 120%"
    for scheduler, test in (("P-RM", "liu_layland"), ("P-EDF", "edf_utilization"), ("G-FIFO", "compliant_vector")):
        [analysis] = schedlab.analyze(scenario.replace(scheduler=scheduler))
        reasons = {found.test: found.reason for found in analysis.verdicts}
        assert reasons[test].startswith(counted), reasons
        assert "the utilization is 15%" in reasons["overload"]
        plain = [reason for reason in reasons.values() if reason.startswith("the utilization is")]
        assert not [reason for reason in plain if "15%" not in reason], plain
