"""Answers come first, tables fit, and each command ends with the one that is useful next."""

from __future__ import annotations

import os
import shlex
import time
from pathlib import Path
from typing import Any

import pytest

import schedlab
from conftest import MS, ROOT, in_a_process
from schedlab.base.durations import at_least, at_most, duration, share_of
from schedlab.cli.shared.options import table
from schedlab.cli.shared.rows import Rows
from schedlab.cli.shared.screen import Styled, cells, say

ROBOT = """schedlab = 1
scheduler.name = "G-EDF"
platform.processors = 2

[[task]]
name = "camera"
wcet = "12 ms"
period = "33 ms"

[[task]]
name = "control"
wcet = "2.5 ms"
period = "10 ms"
"""


@pytest.fixture
def robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("robot.toml").write_text(ROBOT, encoding="utf-8")
    return "robot.toml"


def test_analyze_answers_in_a_sentence_and_a_row_for_each_task(run: Any, robot: str) -> None:
    assert run("analyze", robot).out.splitlines() == [
        "schedulable under G-EDF: 10 of 11 tests prove it; closest: control, 2.5 of 10 ms",
        "margin 175%: all costs may grow by that; alone, the cost of control may grow by 7.5 ms, the least",
        "task       cost  period  deadline   bound   slack  margin  by                  used",
        "─────────────────────────────────────────────────────────────────────────────────────────",
        "camera    12 ms   33 ms     33 ms   12 ms   21 ms   21 ms  one_processor_each  ████░░░░░░",
        "control  2.5 ms   10 ms     10 ms  2.5 ms  7.5 ms  7.5 ms  one_processor_each  ███░░░░░░░",
        "next: schedlab analyze robot.toml --details  # every test, its source and assumptions",
    ]


def test_details_and_reasons_come_when_they_are_asked_for(run: Any, robot: str) -> None:
    plain, details = run("analyze", robot).out, run("analyze", robot, "--details").out
    explained = run("analyze", robot, "--explain").out
    source = "gfb: Goossens, Funk and Baruah, RTS 25(2-3), 2003, Theorem 5; assumes: preemptive global EDF"
    reason = "schedulable by gfb: the densities add up to 61.36%, at most 163.64%, m - (m - 1) times the largest"
    assert source in details and source not in plain and source not in explained
    assert reason in explained and reason in details and reason not in plain
    one = run("analyze", robot, "--tests", "gfb", "--explain").out
    assert reason in one and "control: at most 10 ms = own work 2.5 ms" in one
    assert "baker" not in one and "margin" not in one
    assert "control: at most 2.5 ms = own work 2.5 ms; margin 7.5 ms" in explained
    assert details.splitlines()[-1].startswith("next: schedlab simulate robot.toml --draw")
    everything = run("analyze", robot, "--all-tests").out
    assert "does not speak of G-EDF on 2 processors" in everything


def test_margins_are_rounded_towards_less_and_bounds_towards_more(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert [at_least(ns) for ns in (3_666_666, 999_984, 12_345, -12_345, 0, 999, 12_345_600_000_000, None)] == [
        "3.666 ms", "999.9 us", "12.34 us", "-12.35 us", "0 ns", "999 ns", "12345 s", "-"
    ]  # fmt: skip
    assert [at_most(ns) for ns in (3_666_111, 999_984, 12_341, -12_345, 0, 999, 12_345_600_000_000, None)] == [
        "3.667 ms", "1 ms", "12.35 us", "-12.34 us", "0 ns", "999 ns", "12346 s", "-"
    ]  # fmt: skip
    task = '[[task]]\nname = "{}"\nwcet = "{}"\nperiod = "{}"\n'
    head = 'schedlab = 1\nscheduler = "{}"\nplatform.processors = 1\n'
    tasks = task.format("a", "1 ms", "7 ms") + task.format("b", "1 ms", "3 ms")
    Path("edf.toml").write_text(head.format("P-EDF") + tasks, encoding="utf-8")
    found = run("analyze", "edf.toml", "--explain", "-o", "page.html").out
    assert "; margin 3.666 ms" in found and "cost of b may grow by 1.571 ms" in found, found
    assert run("analyze", "edf.toml", "--set", "task.a.wcet=4.666ms", "--strict").status == 0
    assert run("analyze", "edf.toml", "--set", "task.a.wcet=4.667ms", "--strict").status != 0
    run("analyze", "edf.toml", "-o", "page.html")
    page = Path("page.html").read_text(encoding="utf-8")
    assert "3.666 ms" in page and "3.667 ms" not in page


def test_margins_are_searched_at_first(run: Any, robot: str, dhall_file: Path) -> None:
    [found] = run("analyze", robot, "--json").json["analyses"]
    assert (found["answer"], found["margin"], found["explanation"]) == ("schedulable", 175.0, None)
    assert found["by_task"] == [
        {"task": "camera", "margin_ns": 21_000_000, "bound_ns": 12_000_000, "slack_ns": 21_000_000},
        {"task": "control", "margin_ns": 7_500_000, "bound_ns": 2_500_000, "slack_ns": 7_500_000},
    ]
    # It is the margin by which `advise` ranks, and costs of that size are proved.
    own = [way for way in run("advise", robot, "--json").json["ways"] if way["changes"] == 0]
    assert own[0]["margin_percent"] == found["margin"]
    assert run("analyze", robot, "--scale", "2.75", "--strict").status == 0
    assert run("analyze", robot, "--scale", "2.7501", "--strict").status != 0
    assert run("analyze", robot, "--set", "task.control.wcet=10ms", "--strict").status == 0
    late = run("analyze", dhall_file)
    assert "\nmargin -" in late.out and "%: all costs would have to shrink by that\n" in late.out
    [found] = run("analyze", dhall_file, "--json").json["analyses"]
    assert found["answer"] == "unschedulable" and -100 < found["margin"] < 0
    assert [row["margin_ns"] for row in found["by_task"]] == [None] * 3
    # Of one test alone there is none, and of many tasks it takes long.
    [one] = run("analyze", robot, "--tests", "gfb", "--json").json["analyses"]
    assert one["margin"] is None and one["answer"] == "schedulable"
    many = run("analyze", robot, "--copies", "51", "--processors", "60")
    assert "\nmargin: not searched for 102 tasks; --explain does\n" in many.out


def test_what_is_not_proved_says_so_first(run: Any, robot: str, dhall_file: Path) -> None:
    late = run("analyze", dhall_file).out.splitlines()
    assert late[0].startswith(
        "unschedulable under G-EDF: it misses a deadline in its own run; tardiness is bounded by "
    )
    assert " was late by " in late[1] and late[1].startswith("simulated: ")
    charged = run("analyze", dhall_file, "--overheads", "paper-2008-4k").out
    assert " in its own run, if the machine takes what paper-2008-4k charges" in charged
    # No job is late before the horizon.
    unknown = run("analyze", dhall_file, "--horizon", "1 us").out.splitlines()
    assert unknown[0].startswith("unknown under G-EDF: none of 11 tests decides; tardiness is bounded by ")
    assert unknown[-1].startswith(f"next: schedlab advise {dhall_file}")
    more = ("-m", 1, "--copies", 2)
    refuted = run("analyze", robot, *more, "--scheduler", "G-EDF").out.splitlines()
    assert refuted[0].startswith("unschedulable under G-EDF: ") and " refute it; tardiness is not bounded" in refuted[0]
    assert refuted[1].startswith("simulated: c") and " misses its deadline at " in refuted[1]
    assert refuted[-1].startswith("next: schedlab advise robot.toml --processors 1 --copies 2")
    unable = run("analyze", robot, *more, "--scheduler", "P-EDF", "--placement", "refuse").out.splitlines()
    assert unable[0].startswith("P-EDF cannot be applied: 1 of the tasks fit on no processor")
    assert unable[-1].startswith("next: schedlab advise")


def test_each_scheduler_is_answered(run: Any, robot: str) -> None:
    for words in (("--scheduler", "P-RM", "--scheduler", "G-FIFO"), ("--schedulers", "P-RM,G-FIFO")):
        for command in ("analyze", "simulate"):
            said = run(command, robot, *words).out
            assert said.index(" under P-RM") < said.index(" under G-FIFO")
            assert said.count("camera") == 2 + said.count("closest: camera")
            assert said.splitlines()[-1].startswith("next: schedlab ")
        assert len(run("place", robot, *words, "--json").json["placements"]) == 2
    assert "--scheduler P-RM --scheduler G-FIFO --d" in run("analyze", robot, *words).out
    for refused in (["export", "csv", robot], ["generate", "-n", "2"]):
        found = run(*refused, "--scheduler", "P-RM", "--scheduler", "G-FIFO")
        assert found.status == 2 and "--scheduler: P-RM and G-FIFO; allowed: one" in found.err
    found = run("simulate", robot, *words, "--trace", "two.slt")
    assert found.status == 2 and "--trace: of one schedule; allowed with one scheduler" in found.err


def test_simulate_says_first_whether_deadlines_were_met(run: Any, robot: str, dhall_file: Path) -> None:
    fine = run("simulate", robot).out.splitlines()
    assert fine[0] == "no deadline missed under G-EDF in 1 s: 131 jobs; closest: control, 2.5 of 10 ms"
    assert fine[1].split()[:3] == ["task", "jobs", "missed"] and fine[-1].startswith("next: ")
    late = run("simulate", dhall_file).out.splitlines()
    assert late[0] == "2 of 32 deadlines missed under G-EDF in 110 ms; latest: T2, by 1 ms"
    assert "--trace late.slt" in late[-1]
    details = run("simulate", robot, "--details").out
    assert "0 preemptions, 0 migrations, load 0.310" in details and "overheads charged: none" in details


def test_compare_says_first_who_meets_deadlines(run: Any, robot: str, dhall_file: Path) -> None:
    said = run("compare", robot, "--schedulers", "P-EDF,G-RM").out.splitlines()
    assert said[0] == "2 of 2 schedulers proved to meet all deadlines; none missed in 1 s"
    assert said[-2].startswith("next: schedlab analyze robot.toml")
    assert Path(said[-1]).is_file()
    late = run("compare", dhall_file, "--schedulers", "P-EDF,G-EDF", "-o", "late").out.splitlines()
    assert late[0] == "1 of 2 schedulers proved to meet all deadlines: P-EDF; missed by G-EDF in 110 ms"
    assert late[-2].startswith("next: schedlab why late/G-EDF.trace")


COMMANDS = [
    ["analyze", "--details", "--explain"], ["simulate", "--draw"], ["compare", "-o", "out"], ["advise"], ["place"],
    ["place", "--method", "run"],
]  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("columns", [40, 80, 120])
def test_no_table_is_wider_than_the_terminal(
    run: Any, words: list[str], columns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    command, *options = words
    scenario = ROOT / "examples" / "caseva.toml"
    said = run(command, scenario, "--horizon", "1 s", *options)
    assert said.status == 0, said.err
    lines = [line for line in said.out.splitlines() if not line.startswith(("next: ", "out/"))]
    assert max(map(cells, lines)) <= columns, "\n".join(lines)
    assert any("──" in line for line in lines)


def test_a_table_shortens_names_in_the_middle_and_leaves_columns_out_last() -> None:
    rows = table("", "task", "jobs", "why it is", text=("why it is",))
    rows.row("Radar_Tracking_Filter.1", "12", "because it is so and will be")
    rows.row("Radar_Tracking_Filter.2", "3", "short")
    rows.note("Other", "said instead")
    assert rows.lines(None)[2] == "Radar_Tracking_Filter.1    12  because it is so and will be"
    assert rows.lines(44)[2:] == [
        "Radar_Tracki…ter.1    12  because it is so…",
        "Radar_Tracki…ter.2     3  short",
        "Other               said instead",
    ]
    assert rows.lines(20)[2:] == ["Radar_Tra…er.1    12", "Radar_Tra…er.2     3", "Other           sai…",
                                  "too narrow for: why…"]  # fmt: skip


def test_letters_of_any_width_keep_columns_straight() -> None:
    rows = Rows("", ["task", "cost"])
    rows.row("相机", "1 ms")
    rows.row("e\N{COMBINING ACUTE ACCENT}tape\x1b[31m", "10 ms")
    lines = rows.lines(None)
    assert "\x1b" not in "".join(lines)
    assert {cells(line) for line in lines[2:]} == {cells(lines[0])}


def test_large_tables_are_printed_fast(capsys: pytest.CaptureFixture[str]) -> None:
    rows = table("", "task", "cost", "period", "deadline", "bound", "slack", "by", "used", text=("by",))
    for at in range(10_000):
        rows.row(f"task-{at}", "1 ms", "2 ms", "2 ms", "1 ms", Styled("1 ms", "yellow"), "gfb", "█████░░░░░")
    began = time.process_time()
    rows.print()
    # Of processor time: a tenth of a second here, 45 seconds by a table that lays each cell out by itself.
    assert time.process_time() - began < 3
    assert len(capsys.readouterr().out.splitlines()) == 10_002


def test_sentences_break_between_words(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    say(Styled("unknown", "yellow", " under G-EDF: none of the 11 tests decides"))
    assert capsys.readouterr().out.splitlines() == ["unknown under G-EDF: none of", "  the 11 tests decides"]
    monkeypatch.delenv("COLUMNS")
    say("into a pipe " * 20)
    assert capsys.readouterr().out.count("\n") == 1


def test_lengths_of_time_have_four_digits_and_no_power_of_ten() -> None:
    assert [duration(ns) for ns in (0, 999, 12_345, -1_500_000, 1_234_567, 86_400_000_000_000, 1.5, None)] == [
        "0 ns", "999 ns", "12.35 us", "-1.5 ms", "1.235 ms", "86400 s", "1.5 ns", "-",
    ]  # fmt: skip
    assert (share_of(2_500_000, 10 * MS), share_of(900_000, 10 * MS)) == ("2.5 of 10 ms", "900 us of 10 ms")


def test_advise_ends_with_the_best_way(run: Any, robot: str, dhall_file: Path) -> None:
    fine = run("advise", robot).out.splitlines()
    assert fine[0].startswith("As it is, the scenario meets all deadlines.")
    assert fine[-1].startswith("next: schedlab analyze robot.toml --explain")
    *_, last = run("advise", dhall_file).out.splitlines()
    words = shlex.split(last.partition("  #")[0].removeprefix("next: schedlab "))
    assert run(*words, "--strict").status == 0


FURTHER = [*COMMANDS[:3], ["analyze", "--details"], ["simulate", "--trace", "a b.slt"]]


@pytest.mark.parametrize("words", FURTHER, ids=str)
def test_the_next_command_runs(run: Any, words: list[str], dhall_file: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    for settings in (("-m", "3", "--overheads", "none"), ("--scheduler", "G-RM", "--horizon", "220 ms")):
        command, *options = words
        told = [line for line in run(command, dhall_file, *settings, *options).out.splitlines() if line[:6] == "next: "]
        assert len(told) == 1 and told[0].startswith("next: schedlab ")
        further = run(*shlex.split(told[0].removeprefix("next: schedlab "), comments=True))
        assert further.status == 0 and further.out, further.err


def test_letters_that_an_encoding_lacks_are_told_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "motor.toml"
    rows = [{"wcet_ns": MS, "period_ns": 10 * MS, "name": "Kühlung"}]
    schedlab.Scenario.from_tasks(rows, processors=1, scheduler="P-EDF").write(path)
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    with in_a_process("analyze", path, env=environment) as process:
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0 and err == ""
    assert "K\\xfchlung" in out and "#........." in out and "-----" in out


def test_an_analysis_of_many_tasks_is_printed_fast(run: Any, tmp_path: Path) -> None:
    rows = [{"wcet_ns": 100, "period_ns": 10 * MS, "name": f"t{at}"} for at in range(3_000)]
    path = tmp_path / "many.toml"
    schedlab.Scenario.from_tasks(rows, processors=4, scheduler="G-EDF").write(path)
    began = time.process_time()
    found = run("analyze", path, "--tests", "gfb")
    assert found.status == 0 and len(found.out.splitlines()) == 3_004
    assert time.process_time() - began < 10


#: How a job may be named, and which one it is: the first task's name is a number.
NAMED = [
    ((), "T2J0"),
    (("heavy",), "T2J0"),
    (("T2",), "T2J0"),
    (("2",), "T0J0"),
    (("T0",), "T0J0"),
    (("light.2",), "T1J1"),
    (("light.2", "3"), "T1J3"),
    (("1 J3",), "T1J3"),
    (("T1J3",), "T1J3"),
]


@pytest.fixture
def trace(run: Any, tmp_path: Path) -> Path:
    rows = [{"wcet_ns": 2 * MS, "period_ns": 10 * MS, "name": name} for name in ("2", "light.2")]
    rows.append({"wcet_ns": 10 * MS, "period_ns": 11 * MS, "name": "heavy"})
    scenario = schedlab.Scenario.from_tasks(rows, processors=2, scheduler="G-EDF", horizon=110 * MS)
    scenario.write(tmp_path / "three.toml")
    assert run("simulate", tmp_path / "three.toml", "--trace", tmp_path / "three.slt").status == 0
    return tmp_path / "three.slt"


@pytest.mark.parametrize(("words", "job"), NAMED)
def test_why_takes_names_and_numbers_or_finds_the_worst(
    run: Any, trace: Path, words: tuple[str, ...], job: str
) -> None:
    found = run("why", trace, *words)
    assert found.status == 0 and found.out.startswith(f"{job} ("), found.err
    assert found.out.splitlines()[-1].startswith(f"next: schedlab trace {trace} --format text --from ")
    assert run("why", trace, *words, "--json").json["job"] == job
    assert schedlab.Schedule.read(trace).why(" ".join(words) or None)["job"] == job


def test_the_worst_job_is_the_latest_one(trace: Path) -> None:
    schedule = schedlab.Schedule.read(trace)
    late = [row for row in schedule.jobs if row["completion_ns"] and row["completion_ns"] > row["absolute_deadline_ns"]]
    worst = max(late, key=lambda row: row["completion_ns"] - row["absolute_deadline_ns"])
    assert schedule.why()["job"] == f"T{worst['task']}J{worst['job']}"


def test_a_job_that_is_not_there_is_named(run: Any, trace: Path) -> None:
    found = run("why", trace, "arm")
    assert found.status == 2
    assert '"arm" is no job and no task; allowed: T1J3, a task (2, light.2, heavy), or a task and a number' in found.err
    assert run("why", trace, "heavy", "99").status == 2


def test_a_drawing_is_folded_to_the_terminal_and_loses_no_letter(
    run: Any, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    whole = run("trace", trace, "--format", "text").out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    folded = run("trace", trace, "--format", "text").out
    assert max(map(len, folded.splitlines())) <= 60 < max(map(len, whole.splitlines()))
    for lane in ("P0", "P1"):
        parts = [line.partition(" ")[2] for line in folded.splitlines() if line.startswith(f"{lane} ")]
        assert [f"{lane} {''.join(parts)}"] == [line for line in whole.splitlines() if line.startswith(lane)]
    assert "from 57 ms" in folded and folded.splitlines()[-2:] == whole.splitlines()[-2:]


def test_advise_shows_what_was_asked_for(run, dhall_file):
    """However many are better."""
    own = f"{ROOT / 'examples' / 'python_policy.py'}:LeastSlack"
    named = run("advise", dhall_file, "--scheduler", "P-FIFO", "--policy", own)
    assert any("P-FIFO" in line for line in named.out.splitlines())
    assert any("G-LEAST-SLACK" in line and "no test is known" in line for line in named.out.splitlines())


def test_advise_sets_an_own_scheduler_without_late_jobs_apart(run, robot, dhall_file):
    """Nothing is proved of it, and it did not fail."""
    own = f"{ROOT / 'examples' / 'python_policy.py'}:LeastSlack"
    for file in (robot, dhall_file):
        lines = run("advise", file, "--policy", own).out.splitlines()
        title = next(at for at, line in enumerate(lines) if "no test knows" in line)
        fail = next((at for at, line in enumerate(lines) if "that do not" in line), len(lines))
        [at] = [at for at, line in enumerate(lines) if "G-LEAST-SLACK" in line]
        assert (title < at < fail) is ("observed: 0 of" in lines[at])
        words = shlex.split(lines[-1].partition("  #")[0].removeprefix("next: schedlab "))
        assert words[-2:] == ["--policy", own] and run(*words).status == 0


def test_shortened_names_of_tasks_stay_different() -> None:
    names = ["Display_Stat_Update.1", "Display_Stores_Update.1", "Display_Stores_Update.2", "Display_Keyset.1"]
    for width in (16, 20, 30):
        table = Rows("", ["task"])
        for name in names:
            table.row(name)
        shown = [line.strip() for line in table.lines(width)[2:]]
        assert max(map(len, shown)) <= width
        assert len(set(shown)) == len(names), shown


MAP = """\
schedlab = 1
protocol = "pcp"
scheduler = "P-RM"
resource = [{ name = "map" }, { name = "log" }]
task = [
    { name = "sensor", period = "5 ms", program = ["request map", "execute 1 ms", "release map"] },
    { name = "planner", period = "50 ms", program = ["request map", "execute 5 ms", "release map"] },
]
"""


def test_what_blocking_leaves_open_names_the_section(run: Any, tmp_path: Path) -> None:
    (tmp_path / "map.toml").write_text(MAP)
    blocked = "blocked by planner's 5 ms on map"
    path = str(tmp_path / "map.toml")
    assert blocked in run("analyze", path).out.splitlines()[0]
    assert blocked not in run("analyze", path, "--tests", "liu_layland").out


def test_a_resource_of_one_task_disables_no_test(run: Any, tmp_path: Path) -> None:
    own = MAP.replace('"request map", "execute 1 ms", "release map"', '"execute 1 ms"')
    (tmp_path / "own.toml").write_text(own)
    answer = run("analyze", str(tmp_path / "own.toml"), "--details").out
    assert answer.startswith("schedulable under P-RM: 3 of 5 tests prove it")
    assert "schedulable by liu_layland: the utilization is 30%, at most 82.84%, n(2^(1/n) - 1) for n = 2" in answer
