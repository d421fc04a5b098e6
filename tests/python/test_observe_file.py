"""`schedlab observe --file`: kernel traces become scenarios, and traces that other commands read."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import schedlab
from conftest import fits

#: Inputs with known answers; the Rust tests of `crates/tracepoints` compare all of these with the answers.
INPUTS = Path(__file__).parent.parent / "golden" / "kernel-traces"


def command(*arguments: object, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "schedlab", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def unpacked(name: str, folder: Path) -> Path:
    """Returns the path of an input as its tool wrote it."""
    packed, path = INPUTS / f"{name}.gz", folder / name
    path.write_bytes(gzip.decompress(packed.read_bytes()) if packed.exists() else (INPUTS / name).read_bytes())
    return path


def test_a_kernel_trace_becomes_a_scenario_and_a_trace(tmp_path: Path) -> None:
    file, out, trace = unpacked("01-trace.txt", tmp_path), tmp_path / "seen.toml", tmp_path / "seen.slt"
    done = command("observe", "--file", file, "--out", out, "--trace", trace)
    assert done.returncode == 0, done.stderr
    assert "OBSERVED, NOT PROVED" in done.stderr and f"schedlab view {trace}" in done.stderr
    seen = schedlab.Scenario.read(out)
    assert seen.scheduler == "P-FP"
    tasks = [(task["name"], task["period_ns"], task["fixed_priority"], task["processor"]) for task in seen.tasks]
    assert tasks == [("fast", 5_000_000, 80, 0), ("mid", 10_000_000, 70, 0), ("slow", 20_000_000, 60, 0)]
    proved = schedlab.analyze(seen)[0].conclusion["hard"]
    assert proved is not None and proved["answer"] == "schedulable"
    schedule = schedlab.Schedule.read(trace)
    assert schedule.backend == "class"
    assert all(check.holds for check in schedule.check())
    why = command("why", trace, "slow")
    assert why.returncode == 0 and "(fast)" in why.stdout and "(mid)" in why.stdout, why.stdout
    assert "mid" in command("trace", trace, "--format", "text", "--until", "10 ms").stdout
    page = tmp_path / "page.html"
    assert command("view", trace, "--out", page, "--no-open").returncode == 0
    assert "slow" in page.read_text(encoding="utf-8")
    classes = "(SCHED_FIFO or SCHED_RR: fast, "
    assert f"Linux itself, each thread by its class {classes}" in page.read_text(encoding="utf-8")
    assert "same records" in command("diff", trace, trace).stdout


def test_a_page_says_which_class_has_which_thread(tmp_path: Path) -> None:
    file, trace, page = unpacked("25-trace.txt", tmp_path), tmp_path / "seen.slt", tmp_path / "page.html"
    assert command("observe", "--file", file, "--out", tmp_path / "seen.toml", "--trace", trace).returncode == 0
    assert command("view", trace, "--out", page, "--no-open").returncode == 0
    classes = "SCHED_DEADLINE: dl_audio; SCHED_FIFO or SCHED_RR: wk:2/1/0/14; ordinary: gpu-pm-request"
    assert f"Linux itself, each thread by its class ({classes})" in page.read_text(encoding="utf-8")


def test_all_that_a_trace_says_is_given_as_json(tmp_path: Path) -> None:
    done = command("observe", "--file", unpacked("19-trace.txt", tmp_path), "--json")
    found = json.loads(done.stdout)
    fits(found, "recording")
    threads = {thread["name"]: thread for thread in found["recording"]["threads"]}
    assert threads["hi_prio"]["period_ns"] == 20_000_000
    assert threads["hi_prio"]["waited_for"][0]["holder"] == "lo_prio"
    assert threads["lo_prio"]["preempted_by"] == {"8843": 10}
    assert [task["name"] for task in found["scenario"]["tasks"]] == ["hi_prio", "mid_prio", "lo_prio"]


def test_a_trace_without_times_has_no_scenario(tmp_path: Path) -> None:
    file = unpacked("15-trace.txt", tmp_path)
    done = command("observe", "--file", file, "--json")
    found = json.loads(done.stdout)
    fits(found, "recording")
    assert done.returncode == 1 and found["scenario"] is None and found["recording"]["stamps"] == "unknown"
    refused = command("observe", "--file", file, "--trace", tmp_path / "x.slt")
    assert refused.returncode == 2 and "--trace" in refused.stderr
    told = command("observe", "--file", file, "--unit", "2448MHz")
    assert told.returncode == 0 and 'name = "fast"' in told.stdout


def test_standard_input_is_a_file(tmp_path: Path) -> None:
    text = unpacked("05-report.txt", tmp_path).read_text(encoding="utf-8")
    done = command("observe", "--file", "-", stdin=text)
    assert done.returncode == 0 and 'name = "valve-2"' in done.stdout, done.stderr


def test_the_file_of_trace_cmd_is_read_by_trace_cmd(tmp_path: Path) -> None:
    file = unpacked("03-trace.dat", tmp_path)
    done = command("observe", "--file", file)
    if shutil.which("trace-cmd") is None:
        assert done.returncode == 3 and "package trace-cmd" in done.stderr
        pytest.skip("trace-cmd is not installed")
    assert done.returncode == 0 and 'name = "ctl loop"' in done.stdout, done.stderr
    cut = command("observe", "--file", unpacked("33-cut.dat", tmp_path))
    assert cut.returncode == 2 and "cut" in cut.stderr and not cut.stdout


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("33-zero.txt", "empty"),
        ("33-header-only.txt", "no events"),
        ("33-noise.txt", "no kernel trace"),
        ("33-systrace-error.html", "HTML"),
        ("33-function-only.txt", "sched_switch"),
        ("33-perf.data", "perf script"),
        ("28-time-back-30s.txt", "line 66"),
    ],
)
def test_files_without_a_schedule_are_refused(tmp_path: Path, name: str, word: str) -> None:
    done = command("observe", "--file", unpacked(name, tmp_path))
    assert done.returncode == 2 and word in done.stderr and not done.stdout, done.stderr


@pytest.mark.parametrize("name", ["01-trace.txt", "03-trace.dat", "30-trace.pftrace", "24-trace.html", "02-perf.txt"])
def test_commands_that_read_scenarios_name_this_one(tmp_path: Path, name: str) -> None:
    file = unpacked(name, tmp_path)
    for asked in ("analyze", "simulate"):
        done = command(asked, file)
        assert done.returncode == 2 and f"schedlab observe --file {file}" in done.stderr, done.stderr


def test_what_to_observe_is_one_thing() -> None:
    for wrong, word in (
        (["--file", "a", "--pid", "1"], "--file"),
        (["--file", "a", "--duration", "1 s"], "--duration"),
        (["--pid", "1", "--trace", "a"], "--trace"),
        (["--pid", "1", "--unit", "ns"], "--unit"),
    ):
        done = command("observe", *wrong)
        assert done.returncode == 2 and word in done.stderr, done.stderr
