"""What-if questions: `--set`, `--scale`, and two scenarios beside each other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import schedlab
from conftest import MS
from schedlab.outputs import output_schema

ROBOT = """schedlab = 1
scheduler.name = "P-RM"
platform.processors = 2

[[task]]
name = "camera"
wcet = "12 ms"
period = "33 ms"

[[task]]
name = "odom"
wcet = "2.5 ms"
period = "10 ms"
"""

#: The commands that take a scenario, with what makes them short.
COMMANDS = (
    ("analyze",),
    ("simulate",),
    ("advise",),
    ("place",),
    ("compare", "--schedulers", "P-RM", "--out", "out"),
    ("view", "--out", "page.html", "--no-open"),
    ("export", "toml"),
)


@pytest.fixture
def robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("robot.toml").write_text(ROBOT)
    return "robot.toml"


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_every_command_shows_what_was_set(run: Any, robot: str, command: tuple[str, ...]) -> None:
    asked = (*command, robot, "--set", "task.odom.wcet=5ms", "--set", "platform.processors=3", "--scale", "1.2")
    said = run(*asked)
    assert said.status == 0, said.err
    told = said.err if command[0] == "export" else said.out
    for line in (
        "what if: task.odom.wcet = 5ms (before 2.5ms)",
        "what if: platform.processors = 3 (before 2)",
        "what if: all costs times 1.2",
    ):
        assert line in told
    found = run(*asked, "--json").json
    assert found["what_if"] == [
        {"path": "task.odom.wcet", "value": "5ms", "before": "2.5ms"},
        {"path": "platform.processors", "value": "3", "before": "2"},
        {"path": "scale", "value": "1.2", "before": "1"},
    ]
    jsonschema.validate(found, output_schema(command[0]))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_setting_gives_the_answer_of_the_edited_file(run: Any, robot: str, command: tuple[str, ...]) -> None:
    asked = (*command, robot, "--set", "task.odom.wcet=5ms", "--scale", "6/5", "--json")
    found = run(*asked).json
    del found["what_if"]
    Path(robot).write_text(ROBOT.replace("2.5 ms", "6 ms").replace("12 ms", "14.4 ms"))
    assert found == run(*command, robot, "--json").json


def test_processors_is_the_short_form(run: Any, robot: str) -> None:
    short = run("analyze", robot, "--processors", "3")
    answer, _, step = short.out.rpartition("next: ")
    set_answer, _, set_step = run("analyze", robot, "--set", "platform.processors=3").out.rpartition("next: ")
    assert answer == set_answer
    assert "robot.toml --processors 3 --details" in step
    assert "robot.toml --set platform.processors=3 --details" in set_step
    assert "what if: platform.processors = 3 (before 2)\n" in short.out
    assert (
        run("analyze", robot, "-m", "3", "--json").json
        == run("analyze", robot, "--set", "platform.processors=3", "--json").json
    )
    # What the file says already is no change.
    assert "what if" not in run("analyze", robot, "--processors", "2").out
    both = run("analyze", robot, "--processors", "3", "--set", "platform.processors=3")
    assert both.status == 2
    assert "--processors and --set platform.processors=3; allowed: one of the two" in both.err


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (["task.odm.wcet=5ms"], 'task.odm.wcet: there is no task "odm"; did you mean odom? allowed: camera, odom'),
        (["task.odom.wect=5ms"], "task.odom.wect: unknown field; did you mean wcet?"),
        (["task.odom.wcet=5"], "task.odom.wcet: 5 is a whole number; allowed: "),
        (["task.odom.wcet=5 parsecs"], 'task.odom.wcet: "5 parsecs" '),
        (["platform.processors=two"], 'platform.processors: "two" is text; allowed: a whole number from 1 to '),
        (["task.odom"], "--set: 'task.odom' is not PATH=VALUE; allowed: such as task.NAME.wcet=5ms"),
        (["task.odom=5ms"], 'task.odom: names the task "odom" and no field of it; allowed: such as task.odom.'),
        (["seed=1", "seed=2"], "seed: is set twice, to 1 and to 2; allowed: one of the two"),
        (["scheduler.name=G-EDF", "--scheduler", "P-EDF"], "--scheduler and --set scheduler.name=G-EDF; allowed: one"),
        (["protocol=pip", "--protocol", "pcp"], "--protocol and --set protocol=pip; allowed: one of the two"),
    ],
)
def test_bad_paths_are_refused_by_name(run: Any, robot: str, settings: list[str], told: str) -> None:
    words = []
    for one in settings:
        words += [one] if one.startswith("--") or words[-1:] in (["--scheduler"], ["--protocol"]) else ["--set", one]
    refused = run("analyze", robot, *words)
    assert refused.status == 2 and refused.out == ""
    assert told in refused.err


@pytest.mark.parametrize("scale", ["0", "-1", "1,2", "much", "1e9", "1.00000001"])
def test_a_bad_factor_is_refused(run: Any, robot: str, scale: str) -> None:
    refused = run("analyze", robot, "--scale", scale)
    assert refused.status == 2
    assert f"--scale: {scale!r} is no factor of costs; allowed: from 0.000001 to 1000000" in refused.err


def test_a_cost_above_the_deadline_is_an_answer(run: Any, robot: str) -> None:
    for asked in (("--set", "task.odom.wcet=11ms"), ("--scale", "4.5")):
        said = run("analyze", robot, *asked)
        assert said.status == 0 and said.out.startswith("unschedulable under P-RM")
        # The next command asks about the same.
        assert f"next: schedlab advise robot.toml {' '.join(asked)}" in said.out
    # As when the file said it; `export` writes no more than was asked for.
    written = run("export", "toml", robot, "--set", "task.odom.wcet=9ms").out
    assert "wcet_may_exceed_deadline" not in written


def test_lines_take_settings_and_show_them(run: Any, tmp_path: Path) -> None:
    lines = tmp_path / "sets.jsonl"
    lines.write_text(json.dumps({"m": 1, "tasks": [[2 * MS, 10 * MS], [3 * MS, 10 * MS]]}) + "\n")
    plain = run("analyze", lines, "--jsonl")
    assert json.loads(plain.out)["answer"] == "schedulable" and "what_if" not in json.loads(plain.out)
    found = json.loads(run("analyze", lines, "--jsonl", "--scale", "2.5").out)
    assert found["answer"] == "unschedulable"
    assert found["what_if"] == [{"path": "scale", "value": "2.5", "before": "1"}]
    name = schedlab.Scenario.from_tasks([{"wcet_ns": 1, "period_ns": 9}], processors=1).tasks["name"][0]
    row = json.loads(run("simulate", lines, "--jsonl", "--set", f"task.{name}.wcet=9ms").out)
    assert row["misses"] > 0


def test_settings_in_python() -> None:
    robot = schedlab.Scenario.parse(ROBOT)
    made = robot.replace(settings={"task.odom.wcet": "5 ms", "platform.processors": 3}, scale=1.2)
    assert (made.processors, made.tasks["wcet_ns"]) == (3, [14_400_000, 6_000_000])
    assert [one["path"] for one in made.what_if] == ["task.odom.wcet", "platform.processors", "scale"]
    assert robot.what_if == [] and made.under("G-EDF").what_if == made.what_if
    with pytest.raises(schedlab.BadInput, match="there is no task"):
        robot.replace(settings={"task.odm.wcet": "5 ms"})
    with pytest.raises(schedlab.BadInput, match=r"processors: .* the setting platform\.processors=3"):
        robot.replace(settings={"platform.processors": 3}, processors=3)
    with pytest.raises(schedlab.BadInput, match="factor"):
        robot.replace(scale=0)


def test_a_policy_goes_with_no_set_scheduler(run: Any, robot: str) -> None:
    Path("mine.py").write_text(
        "import schedlab\nclass Mine(schedlab.Policy):\n    def decide(self, now, jobs, out):\n        pass\n"
    )
    refused = run("simulate", robot, "--policy", "mine.py:Mine", "--set", "scheduler=G-EDF")
    assert refused.status == 2 and "--set scheduler=G-EDF" in refused.err


def test_compare_refuses_a_set_scheduler(run: Any, robot: str) -> None:
    refused = run("compare", robot, "--set", "scheduler=G-EDF", "--out", "out")
    assert refused.status == 2
    assert "--set scheduler=G-EDF: compare tries the schedulers that --schedulers names" in refused.err


def test_the_page_of_a_comparison_shows_what_was_set(run: Any, robot: str) -> None:
    assert run("compare", robot, "--schedulers", "P-RM", "--scale", "1.5", "--out", "out").status == 0
    assert "what if: all costs times 1.5" in Path("out/report.html").read_text()


class TestTwoScenarios:
    """`schedlab compare a.toml b.toml`."""

    def test_says_what_differs(self, run: Any, robot: str) -> None:
        late = ROBOT.replace('"2.5 ms"', '"11 ms"\nwcet_may_exceed_deadline = true')
        Path("more.toml").write_text(late)
        said = run("compare", robot, "more.toml")
        assert said.status == 0, said.err
        lines = said.out.splitlines()
        assert lines[0].startswith("the verdicts differ: robot.toml is schedulable under P-RM")
        assert "more.toml is unschedulable under P-RM" in lines[0]
        assert "wcet 2.5 ms, then 11 ms" in said.out
        assert any(line.startswith("the schedules differ from ") for line in lines)
        found = run("compare", robot, "more.toml", "--json").json
        jsonschema.validate(found, output_schema("compare two"))
        [pair] = found["pairs"]
        assert [one["answer"] for one in pair["scenarios"]] == ["schedulable", "unschedulable"]
        assert [task["name"] for task in pair["tasks"]] == ["odom"]
        odom = pair["tasks"][0]
        assert odom["differs"] == [{"field": "wcet_ns", "values": [2_500_000, 11_000_000]}]
        assert odom["bounds_ns"][0] == odom["observed_ns"][0] == 2_500_000
        assert (pair["schedule"]["at_ns"], pair["schedule"]["cpu"]) == (0, 0)
        assert not Path("out").exists()

    def test_equal_scenarios_differ_in_nothing(self, run: Any, robot: str) -> None:
        Path("same.toml").write_text(ROBOT)
        said = run("compare", robot, "same.toml")
        assert said.out.splitlines() == [
            "the verdicts are the same: schedulable under P-RM",
            "the bounds and the simulated response times are the same",
            "the schedules are the same until 1 s",
        ]

    def test_other_schedulers_and_tasks(self, run: Any, robot: str) -> None:
        Path("other.toml").write_text(ROBOT.replace("P-RM", "G-EDF").replace('"odom"', '"lidar"'))
        said = run("compare", robot, "other.toml")
        assert "robot.toml is schedulable under P-RM" in said.out and "under G-EDF" in said.out
        assert "only in robot.toml: odom" in said.out and "only in other.toml: lidar" in said.out
        assert "the schedules are of other tasks" in said.out
        under = run("compare", robot, "other.toml", "--scheduler", "P-EDF,G-FIFO", "--json").json
        assert [[one["scheduler"] for one in pair["scenarios"]] for pair in under["pairs"]] == [
            ["P-EDF", "P-EDF"], ["G-FIFO", "G-FIFO"],
        ]  # fmt: skip

    def test_settings_are_of_both(self, run: Any, robot: str) -> None:
        Path("same.toml").write_text(ROBOT)
        said = run("compare", robot, "same.toml", "--scale", "4", "--strict")
        assert said.status == 1 and "what if: all costs times 4" in said.out
        assert said.out.count("what if") == 1

    def test_what_is_of_one_scenario_is_refused(self, run: Any, robot: str) -> None:
        Path("same.toml").write_text(ROBOT)
        refused = run("compare", robot, "same.toml", "--out", "out", "--run")
        assert refused.status == 2 and "--out, --run: of one scenario" in refused.err
        refused = run("compare", robot, "same.toml", robot)
        assert refused.status == 2 and "allowed: one scenario, or two" in refused.err
        refused = run("compare", robot, robot)
        assert refused.status == 2 and "is the same file twice" in refused.err
