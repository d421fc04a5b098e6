"""`schedlab compare`: verdicts beside observations."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

import schedlab
from conftest import MS, dhall, easy
from schedlab.cli.compare import _print
from schedlab.comparison.compare import SCHEDULERS
from schedlab.comparison.summary import summary

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def result():
    return schedlab.compare(dhall(), until="30 ms")


def test_every_scheduler_is_there_and_keeps_its_promises(result):
    assert tuple(row["name"] for row in result["schedulers"]) == SCHEDULERS
    for row in result["schedulers"]:
        assert row["error"] is None
        assert row["verdicts"] and row["description"]
        assert row["invariants"] and all(found["holds"] for found in row["invariants"])
        assert [task["index"] for task in row["tasks"]] == [0, 1, 2]


def test_observations_respect_their_bounds(result):
    for row in result["schedulers"]:
        for task in row["tasks"]:
            if task["response_time_bound_ns"] is not None:
                assert task["response_time_ns"]["max"] <= task["response_time_bound_ns"]
            if task["tardiness_bound_ns"] is not None:
                assert task["tardiness_ns"]["max"] <= task["tardiness_bound_ns"]


def test_histograms_count_every_completed_job(result):
    for row in result["schedulers"]:
        for task in row["tasks"]:
            edges, counts = task["histogram"]["edges_ns"], task["histogram"]["counts"]
            assert len(edges) == len(counts) + 1
            assert sum(counts) == task["completed"] == task["jobs"] - task["unfinished"] > 0
            assert edges[0] <= task["response_time_ns"]["max"] < edges[-1]


def test_drawings_end_where_they_should(result):
    assert result["drawn_until_ns"] == 30 * MS
    for row in result["schedulers"]:
        segments = row["schedule"]["segments"]
        assert segments
        assert all(0 <= start < end <= 30 * MS for _, _, _, start, end in segments)
        for cpu in (0, 1):
            mine = sorted((start, end) for where, _, _, start, end in segments if where == cpu)
            assert all(before[1] <= after[0] for before, after in itertools.pairwise(mine))


def test_the_result_is_json_and_reproducible(result):
    assert json.loads(json.dumps(result)) == result
    assert schedlab.compare(dhall(), until="30 ms") == result
    assert schedlab.Scenario.parse(result["scenario"]) == dhall()


def test_a_set_that_does_not_fit_a_partition_is_a_row_with_a_reason():
    full = [{"wcet_ns": 6 * MS, "period_ns": 10 * MS}] * 3
    scenario = schedlab.Scenario.from_tasks(full, processors=2, scheduler="G-EDF", horizon="1 s")
    found = schedlab.compare(scenario.replace(placement="refuse"), schedulers=["P-EDF", "G-EDF"])
    assert found["schedulers"][0]["error"]
    assert found["schedulers"][1]["error"] is None


def test_the_command_prints_a_table_and_the_page_last(run, easy_file, tmp_path):
    found = run("compare", easy_file, "--out", tmp_path / "out", "--schedulers", "P-EDF,G-EDF")
    assert found.status == 0
    page = tmp_path / "out" / "report.html"
    assert found.out.splitlines()[-1] == str(page)
    assert page.stat().st_size > 1000
    stored = json.loads((tmp_path / "out" / "result.json").read_text())
    assert [row["name"] for row in stored["schedulers"]] == ["P-EDF", "G-EDF"]
    assert "P-EDF" in found.out
    for name in ("P-EDF", "G-EDF"):
        assert run("check", tmp_path / "out" / f"{name}.trace").status == 0


def test_retries_are_shown_where_operations_failed(run, tmp_path):
    """Of retries.toml: each of control's four operations fails once, and three of sample's, in every period."""
    found = run("compare", EXAMPLES / "retries.toml", "--out", tmp_path, "--schedulers", "P-EDF,NG-EDF")
    assert "migrated  retries" in found.out
    row = next(line for line in found.out.splitlines() if line.startswith("P-EDF"))
    assert row.split()[-1] == "3500"
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert '<td data-label="retries" class="number">3500</td>' in page
    without = run("compare", EXAMPLES / "robot.toml", "--out", tmp_path, "--schedulers", "P-RM")
    assert "migrated" in without.out and "migrated  retries" not in without.out


def test_strict_and_json(run, dhall_file, easy_file, tmp_path):
    out = tmp_path / "out"
    assert run("compare", dhall_file, "--out", out, "--strict", "--schedulers", "G-EDF").status == 1
    found = run("compare", easy_file, "--out", out, "--strict", "--json", "--schedulers", "G-EDF,P-RM")
    assert found.status == 0
    assert found.json["format"] == "schedlab-comparison"


def test_options_override_the_platform_and_repeat_the_set(run, easy_file, tmp_path):
    found = run(
        "compare", easy_file, "--out", tmp_path, "--processors", 4, "--copies", 4, "--overheads", "paper-2008-4k",
        "--horizon", "100 ms", "--json",
    ).json  # fmt: skip
    assert found["processors"] == 4
    assert len(found["tasks"]) == 12
    assert found["overheads"] == "paper-2008-4k"
    assert found["horizon_ns"] == 100 * MS
    assert any(row["totals"]["overhead_ns"] > 0 for row in found["schedulers"])


def test_a_task_that_changes_its_weight_counts_once(tmp_path):
    file = tmp_path / "change.toml"
    file.write_text(
        """schedlab = 1
horizon = "100 ms"
scheduler = "PD2"
platform = { processors = 2, quantum = "1 ms" }
task = [
    { name = "a", wcet = "4 ms", period = "10 ms", weights = [{ at = "41 ms", wcet = "3 ms", period = "4 ms" }] },
    { name = "b", wcet = "1 ms", period = "4 ms" },
    { name = "c", wcet = "2.5 ms", period = "4 ms" },
]
"""
    )
    scenario = schedlab.Scenario.read(file)
    assert str(scenario.utilization) == "13/8"
    result = schedlab.compare(scenario, schedulers=["PD2"], until="20 ms")
    assert result["utilization"]["exact"] == "13/8"
    [row] = result["schedulers"]
    assert row["totals"]["misses"] == 0
    assert [found["answer"] for found in row["verdicts"] if found["test"] == "pfair"] == ["schedulable"]
    # What the page draws of quanta: weight 3/4 has windows [0,2), [1,3) and [2,4), and uses half of its third quantum.
    windows = [row[2:] for row in row["schedule"]["subtasks"] if row[:2] == [3, 0]]
    assert windows == [[at * MS, (at + 2) * MS] for at in range(3)]
    assert all(end - start == MS // 2 for _, start, end in row["schedule"]["wastes"]) and row["schedule"]["wastes"]


def test_overheads_that_nobody_measured_for_a_scheduler_are_said_of_it(run, easy_file, tmp_path):
    overheads = ("--overheads", "paper-2008-4k")
    options = ("--out", tmp_path, "--schedulers", "P-EDF,PD2,S-PD2", *overheads)
    found = json.loads(run("compare", easy_file, *options, "--json").out)
    unknown = {row["name"]: row["overheads_unknown"] for row in found["schedulers"]}
    assert "scheduling" in unknown["PD2"] and "tick" in unknown["S-PD2"]
    assert "scheduling" not in unknown["P-EDF"] and "release" in unknown["P-EDF"]
    said = " ".join(run("compare", easy_file, *options).out.split())
    assert "unknown overheads, not charged: release, ipi" in said and "scheduling (under PD2, S-PD2)" in said
    assert "tick (under PD2, S-PD2)" in (tmp_path / "report.html").read_text()
    said = " ".join(run("analyze", easy_file, "--scheduler", "PD2", *overheads).out.split())
    assert "unknown overheads, not charged: release, scheduling" in said


def test_an_unknown_scheduler_is_refused_before_anything_runs(run, easy_file, tmp_path):
    found = run("compare", easy_file, "--out", tmp_path / "out", "--schedulers", "G-EDF,G-MAGIC")
    assert found.status == 2
    assert "G-MAGIC" in found.err
    assert not (tmp_path / "out").exists()


def test_keep_is_given_each_schedule():
    kept = {}
    schedlab.compare(easy(), schedulers=["G-EDF", "P-RM"], keep=lambda name, schedule: kept.update({name: schedule}))
    assert set(kept) == {"G-EDF", "P-RM"}
    assert all(isinstance(schedule, schedlab.Schedule) for schedule in kept.values())


def test_known_costs_of_locks_that_no_simulation_charges_are_said(run, tmp_path):
    options = ("--overheads", "paper-2008-4k", "--out", tmp_path)
    said = "not simulated: lock acquire, lock release, syscall entry, syscall exit; analyses charge them"
    assert said in " ".join(run("compare", "examples/objects.toml", *options).out.split())
    assert said in " ".join(run("simulate", "examples/objects.toml", *options[:2]).out.split())
    assert "not simulated: lock acquire" in (tmp_path / "report.html").read_text()
    assert "not simulated" not in run("simulate", "examples/avionics.toml", *options[:2]).out


def test_a_proof_that_the_simulation_contradicts_is_not_believed_in_silence(capsys):
    result = schedlab.compare(dhall(), schedulers=["G-EDF"], until="20 ms")
    _print(summary(result))
    assert "exceeded" not in capsys.readouterr().out
    for found in result["schedulers"][0]["verdicts"]:
        found["answer"] = "schedulable"
    _print(summary(result))
    said = " ".join(capsys.readouterr().out.split())
    assert "G-EDF: the simulation exceeded what is proved: missed deadlines of a set called schedulable" in said
