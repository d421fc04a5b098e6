"""What another tool's file says and a scenario cannot: refused, or said by every answer once it is ignored."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import schedlab
from schedlab.cli.main import main

CASES = Path(__file__).parents[1] / "golden" / "cases"
SLOW = CASES / "simso-unequal-speeds" / "slow.xml"
SAID = f"{SLOW}: speed 0.2 of processor CPU 2 (line 7)"
IGNORE = ["--ignore", "speed"]

#: Commands that read a scenario, with what each needs besides.
COMMANDS = {
    "analyze": ["analyze", str(SLOW)],
    "place": ["place", str(SLOW), "--scheduler", "P-EDF"],
    "advise": ["advise", str(SLOW)],
    "simulate": ["simulate", str(SLOW)],
    "compare": ["compare", str(SLOW), "--schedulers", "G-EDF"],
    "membus": ["membus", str(SLOW)],
    "view": ["view", str(SLOW), "--no-open"],
    "export": ["export", "toml", str(SLOW)],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_refuses_or_says_what_it_leaves_out(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = COMMANDS[name]
    assert main(asked) == 2
    refused = capsys.readouterr().err
    assert f"{SLOW}:7:66: speed 0.2 of processor CPU 2 has no place in a scenario" in refused
    assert "allowed: --ignore speed" in refused
    if name == "membus":
        # SimSo's tasks have no working sets, which is the next thing that is wrong.
        return
    assert main([*asked, *IGNORE]) == 0
    told = capsys.readouterr()
    assert f"left out of {SAID}" in (told.err if name == "export" else told.out)
    assert main([*asked, *IGNORE, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["left_out"] == [SAID]


def test_traces_pages_and_files_keep_what_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["simulate", str(SLOW), *IGNORE, "--trace", "slow.slt"]) == 0
    for asked in (["why"], ["check"], ["trace"]):
        capsys.readouterr()
        assert main([*asked, "slow.slt"]) == 0
        assert f"left out of {SAID}" in capsys.readouterr().out, asked
        assert main([*asked, "slow.slt", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["left_out"] == [SAID], asked
    assert main(["diff", "slow.slt", "slow.slt"]) == 0
    assert capsys.readouterr().out.count(f"left out of {SAID}") == 1
    assert main(["view", "slow.slt", "--no-open", "-o", "view.html"]) == 0
    assert main(["compare", str(SLOW), *IGNORE, "--schedulers", "G-EDF", "-o", "report"]) == 0
    assert main(["export", "toml", str(SLOW), *IGNORE, "-o", "slow.toml"]) == 0
    for page in (Path("view.html"), Path("report") / "report.html"):
        assert f"left out of {SAID}" in page.read_text(), page
    again = schedlab.Scenario.read("slow.toml")
    assert again.left_out == [SAID] and again.replace(processors=4).left_out == [SAID]
    assert again.to_dict()["left_out"] == [SAID]


def test_standard_input_and_unknown_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    def asked(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "schedlab", "analyze", "-", *arguments]
        return subprocess.run(command, input=SLOW.read_text(), capture_output=True, text=True, check=False)

    assert asked().returncode == 2
    trace = subprocess.run(
        [sys.executable, "-m", "schedlab", "analyze", "-"], input=b"SCHEDLAB\xff\x00", capture_output=True, check=False
    )
    assert trace.returncode == 2 and b"<stdin>:1:1: this is a trace of schedlab" in trace.stderr
    assert "left out of <stdin>: speed 0.2 of processor CPU 2 (line 7)" in asked(*IGNORE).stdout
    assert main(["analyze", str(SLOW), "--ignore", "sped,caches"]) == 2
    assert 'there is no kind of loss "sped"; did you mean speed? allowed: speed, overheads' in capsys.readouterr().err


def test_python_says_what_was_lost(tmp_path: Path) -> None:
    with pytest.raises(schedlab.BadInput, match=r"speed 0\.2 of processor CPU 2 has no place"):
        schedlab.Scenario.read(SLOW)
    slow = schedlab.Scenario.read(SLOW, ignore=["speed"])
    assert slow.left_out == [SAID]
    assert slow.lost == ("abort_on_miss of T2: late jobs go on here (line 11)",)
    tables = tmp_path / "oh_stat=max.csv"
    tables.write_text("TASK-COUNT,SCHEDULE,RELEASE-LATENCY\n2,1,3\n")
    plain = schedlab.Scenario.from_tasks([{"wcet_ns": 1000, "period_ns": 9000}], processors=1)
    with pytest.raises(schedlab.BadInput, match="--ignore overheads"):
        plain.replace(overheads=str(tables))
    charged = plain.replace(overheads=str(tables), ignore=["overheads"])
    assert charged.left_out == [f"{tables}: column RELEASE-LATENCY, for which nothing is charged (line 1)"]


#: By file, how it is refused; by each command that reads a scenario, a job set or a trace.
FOREIGN = {
    "cheddar.xml": "a model of Cheddar",
    "cheddar.xmlv3": "a model of Cheddar",
    "demo.amxmi": "a model of AMALTHEA (APP4MC)",
    "demo.xml": "a model of AMALTHEA (APP4MC)",
    "model.txt": "a model of MAST",
    "sched.ftrace": "a kernel trace as text",
}


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("command", ["simulate", "analyze", "jobs", "why", "check", "trace", "view"])
def test_files_of_other_tools_are_refused_by_name(name: str, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = CASES / "foreign-models" / name
    assert main([command, str(file)]) == 2
    told = capsys.readouterr().err
    assert f"{file}:1:1: this is {FOREIGN[name]}" in told and len(told.splitlines()) == 1


@pytest.mark.parametrize("command", ["simulate", "analyze"])
def test_batches_are_refused_by_name(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    cheddar = CASES / "foreign-models" / "cheddar.xml"
    for file, wanted in ((cheddar, "a model of Cheddar"), (SLOW, "a configuration of SimSo")):
        assert main([command, str(file), "--jsonl"]) == 2
        told = capsys.readouterr().err
        assert f"{file}:1:1: this is {wanted}" in told and len(told.splitlines()) == 1


def test_our_own_files_in_the_place_of_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario = schedlab.Scenario.from_tasks([{"wcet_ns": 1000, "period_ns": 9000}], processors=1)
    scenario.write(tmp_path / "a.toml")
    schedlab.simulate(scenario).write(tmp_path / "a.slt")
    for command, file, wanted in (
        ("simulate", "a.slt", "this is a trace of schedlab, which view, trace, check, why and diff read"),
        ("why", "a.toml", "this is a scenario, which simulate and analyze read"),
        ("jobs", "a.toml", "this is a scenario"),
    ):
        assert main([command, str(tmp_path / file)]) == 2
        assert wanted in capsys.readouterr().err


BOUND = """schedlab = 1
scheduler = "P-EDF"
platform.processors = 2
[[task]]
name = "a"
wcet = "1 ms"
period = "10 ms"
affinity = [0]
"""


def test_places_that_a_scheduler_does_not_heed_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bound.toml"
    file.write_text(BOUND)
    said = "left out of the scenario: places, which G-EDF does not heed, of a"
    for command in ("analyze", "simulate"):
        assert main([command, str(file)]) == 0 and "does not heed" not in capsys.readouterr().out
        assert main([command, str(file), "--scheduler", "G-EDF"]) == 0 and said in capsys.readouterr().out
    assert main(["analyze", str(file), "--scheduler", "G-EDF", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["left_out"] == [said.removeprefix("left out of ")]


def test_more_processors_do_not_free_bound_threads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "threads.json"
    thread = {"policy": "SCHED_FIFO", "run": 60_000, "timer": {"ref": "unique", "period": 100_000}}
    tasks = {"a": {**thread, "priority": 9, "cpus": [0]}, "b": {**thread, "priority": 8}}
    file.write_text(json.dumps({"tasks": tasks}))
    assert main(["analyze", str(file), "-m", "2"]) == 2
    assert 'leave task "a" on a part of the machine' in capsys.readouterr().err
    assert main(["analyze", str(file), "-m", "2", "--scheduler", "G-FP"]) == 2
    assert main(["analyze", str(file), "-m", "2", "--scheduler", "P-FP"]) == 0
    assert "does not heed" not in capsys.readouterr().out
    assert main(["analyze", str(file), "-m", "2", "--ignore", "affinity"]) == 0
    assert "cpus [0] of a" in capsys.readouterr().out


PLACED = """schedlab = 1
scheduler = "P-RM"
platform.processors = 2
task = [
  { name = "a", wcet = "6 ms", period = "10 ms", processor = 0 },
  { name = "b", wcet = "6 ms", period = "10 ms", processor = 0 },
]
"""
UNHEEDED = "the scenario: places, which G-EDF does not heed, of a, b"


def test_each_way_and_row_says_which_places_it_leaves_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "placed.toml"
    file.write_text(PLACED)
    assert main(["advise", str(file)]) == 0
    told = capsys.readouterr().out
    assert "leaves out" in told and "places" in told and "scheduler G-" not in told.split("rank")[0]
    assert main(["advise", str(file), "--json"]) == 0
    ways = json.loads(capsys.readouterr().out)["ways"]
    assert {way["scheduler"]: way["left_out"] for way in ways}["G-EDF"] == [UNHEEDED]
    report = tmp_path / "report"
    compare = ["compare", str(file), "--schedulers", "P-EDF,G-EDF", "-o", str(report)]
    assert main(compare) == 0
    assert capsys.readouterr().out.count(f"left out of {UNHEEDED}") == 1
    assert f"left out of {UNHEEDED}" in (report / "report.html").read_text()
    assert main([*compare, "--json"]) == 0
    compared = json.loads(capsys.readouterr().out)
    assert compared["left_out"] == [UNHEEDED]
    assert [row["left_out"] for row in compared["schedulers"]] == [[], [UNHEEDED]]


def test_task_sets_by_line_have_what_is_left_out_and_unknown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "sets.jsonl"
    tasks = [{"name": name, "wcet_ns": 6_000_000, "period_ns": 10_000_000, "processor": 0} for name in "ab"]
    file.write_text(json.dumps({"m": 2, "scheduler": "G-EDF", "tasks": tasks}) + "\n")
    charged = ["--overheads", "paper-2008-4k", "--statistic", "mean"]
    rests_on = ["overheads are at most the mean (not the largest) of those of paper-2008-4k"]
    for command in (["analyze", "--jsonl"], ["simulate", "--jsonl"], ["analyze", "--jsonl", "--measures", "--json"]):
        assert main([*command, str(file), *charged, "--scheduler", "G-EDF"]) == 0
        found = json.loads(capsys.readouterr().out)
        row = found["schedulers"][0] if "--measures" in command else found
        assert row["left_out"] == [UNHEEDED] and row["rests_on"] == rests_on, command
        assert main([*command, str(file), *charged, "--scheduler", "PD2"]) == 0
        found = json.loads(capsys.readouterr().out)
        row = found["schedulers"][0] if "--measures" in command else found
        assert "scheduling" in row["overheads_unknown"], command
    assert main(["analyze", "--jsonl", "--measures", str(file), *charged, "--scheduler", "PD2"]) == 0
    told = capsys.readouterr().out
    assert "PD2: unknown overheads, not charged: " in told and f"rests on: {rests_on[0]}" in told


ONE = """schedlab = 1
scheduler = "P-RM"
task = [{ name = "a", wcet = "780 us", period = "1 ms" }]
"""


def test_what_answers_rest_on_is_said_by_each_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.toml").write_text(ONE.replace("\n", '\nwcets = "observed"\n', 1))
    Path("lat.toml").write_text(
        "schedlab-overheads = 1\n"
        '[all]\nrelease = { max = "2 us", mean = "1 us" }\n[unmodelled]\nrelease_latency = "300 us"\n'
    )
    charged = ["one.toml", "--overheads", "lat.toml", "--statistic", "mean"]
    rests_on = [
        "overheads are at most the mean (not the largest) of those of lat.toml",
        "execution times are at most those observed, which proves no bound on them",
    ]
    left_out = "lat.toml: release_latency, for which nothing is charged"
    for command in ("analyze", "advise", "simulate", "compare", "place", "view", "export toml"):
        words = [*command.split(), *charged, *(["--no-open"] if command == "view" else [])]
        assert main(words) == 0, command
        told = capsys.readouterr()
        said = told.err if command == "export toml" else told.out
        for line in rests_on:
            assert f"rests on: {line}" in said, command
        assert f"left out of {left_out}" in said, command
        if command in ("analyze", "advise", "compare", "simulate"):
            assert "unknown overheads, not charged: " in said, command
        assert main([*words, "--json"]) == 0, command
        answer = json.loads(capsys.readouterr().out)
        assert answer["left_out"] == [left_out] and answer["rests_on"] == rests_on, command
    assert main(["simulate", *charged, "--trace", "one.slt"]) == 0
    assert main(["view", "one.slt", "--no-open", "-o", "view.html"]) == 0
    page = Path("view.html").read_text()
    assert "unknown overheads, not charged: " in page and f"rests on: {rests_on[1]}" in page
    capsys.readouterr()
    assert main(["analyze", *charged, "--details"]) == 0
    details = capsys.readouterr().out
    assert f"{rests_on[0]}, accounted for by inflated costs; " in details


def test_settings_for_linux_promise_nothing_that_rests_on_less(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "one.toml"
    file.write_text(ONE)
    mean = ["export", "systemd", str(file), "--overheads", "paper-2008-4k", "--statistic", "mean"]
    assert main(mean) == 2
    assert "the mean (not the largest) of those of paper-2008-4k" in capsys.readouterr().err
    assert main([*mean, "--unproved"]) == 0
    told = capsys.readouterr()
    assert "NOT PROVED" in told.out and "NOT PROVED" in told.err and "the mean (not the largest)" in told.out
    throttling = 'scheduler = { name = "P-SCHED_FIFO", throttling = { runtime = "500 ms", period = "1 s" } }'
    file.write_text(ONE.replace('scheduler = "P-RM"', throttling).replace("[{", "[{ priority = 5,"))
    assert main(["export", "systemd", str(file), "--scheduler", "P-RM"]) == 2
    assert "without that, what would be proved: " in capsys.readouterr().err
    assert main(["compare", str(file), "--schedulers", "P-RM", "-o", str(tmp_path / "report")]) == 0
    said = "the scenario: throttling (500 ms of each 1 s), which P-RM does not heed"
    assert f"left out of {said}" in capsys.readouterr().out
