"""`schedlab run`: real threads, where this machine allows them."""

from __future__ import annotations

import html
import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import let_it_run
from schedlab import Schedule, runtime

#: Nothing else may run beside.
pytestmark = pytest.mark.realtime

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def schedlab(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "schedlab", *arguments], capture_output=True, text=True, timeout=120, check=False
    )


def test_a_run_says_its_verdict_first_and_writes_a_trace_that_checks(tmp_path: Path) -> None:
    trace = tmp_path / "run.trace"
    done = schedlab(
        "run", str(EXAMPLES / "avionics.toml"), "--scheduler", "P-EDF", "--duration", "1 s", "--check",
        "--trace", str(trace),
    )  # fmt: skip
    if done.returncode == 3:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    answer, verdict, *_, further = done.stdout.splitlines()
    assert "under P-EDF in 1 s" in answer and verdict.startswith("ok: the replay is exact")
    assert further.startswith(f"next: schedlab why {trace}")
    checked = schedlab("check", str(trace))
    assert checked.returncode == 0, checked.stdout + checked.stderr
    by_kernel = tmp_path / "run.kernel.trace"
    if not by_kernel.exists():
        pytest.skip("the kernel may not be asked here, or lost switches")
    checked = schedlab("check", str(by_kernel))
    assert checked.returncode == 0 and "  by the kernel's switches: 99.9% of decisions true within " in checked.stdout
    assert "  holds     decisions_came_true" in checked.stdout, checked.stdout
    # Its header is a list of texts, each after its length.
    wrong = tmp_path / "wrong.trace"
    wrong.write_bytes(by_kernel.read_bytes().replace(b"\x0fmeasuring_error", b"\x0ccontradicted", 1))
    assert schedlab("check", str(wrong)).returncode == 1


def test_a_stored_trace_tells_why_deadlines_were_missed_as_the_run_did(tmp_path: Path) -> None:
    scenario, trace = tmp_path / "late.toml", tmp_path / "run.slt"
    # Every job of "b" is late by the schedule itself: "a" goes first, and 5 ms + 8 ms > 10 ms.
    tasks = [("a", 5, 10, 10), ("b", 8, 20, 10)]
    of = '[[task]]\nname = "{}"\nwcet = "{} ms"\nperiod = "{} ms"\ndeadline = "{} ms"\n'
    text = 'schedlab = 1\nscheduler = "G-EDF"\n[platform]\nprocessors = 1\n'
    scenario.write_text(text + "".join(of.format(*task) for task in tasks))
    done = schedlab("run", str(scenario), "--duration", "500 ms", "--check", "--json", "--trace", str(trace))
    if done.returncode == 3:
        pytest.skip(done.stderr.strip())
    (found,) = json.loads(done.stdout)["runs"]
    if found["witness"] is None:
        pytest.skip("the kernel may not be asked here")
    account = Schedule.read(trace).account
    assert account is not None and found["misses"]["of_schedule"] > 0
    shared = set(found) & set(account)
    assert {"witness", "lost_time", "from_outside", "misses", "longest_responses"} <= shared
    assert {name: account[name] for name in shared} == {name: found[name] for name in shared}
    checked = schedlab("check", str(trace))
    assert checked.returncode == (0 if found["holds"] else 1), checked.stdout + checked.stderr
    why = next(line for line in checked.stdout.splitlines() if "misses_are_explained" in line)
    count = found["jobs"]["missed"]
    assert f"{count} missed their deadlines ({found['misses']['of_schedule']} by the schedule itself" in why, why
    # And so do the explanation of a job and the page.
    lost = Schedule.read(trace).why("b")["lost"]
    assert lost is not None and lost["missed_by"] == "the schedule itself"
    assert lost["lost_ns"] == sum(lost["lost_to_ns"].values())
    assert "it missed its deadline by the schedule itself\n" in schedlab("why", str(trace), "b").stdout
    page = tmp_path / "page.html"
    assert schedlab("view", str(trace), "--out", str(page)).returncode == 0
    assert html.escape(found["misses"]["words"]) in page.read_text()


def test_retries_of_a_real_run_are_shown_and_explained(tmp_path: Path) -> None:
    trace = tmp_path / "run.slt"
    done = schedlab("run", str(EXAMPLES / "retries.toml"), "--duration", "1 s", "--check", "--trace", str(trace))
    if done.returncode == 3:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0 and "retries" in done.stdout, done.stdout + done.stderr
    schedule = Schedule.read(trace)
    assert sum(task["retries"] for task in schedule.metrics().tasks) > 0
    job = next(line.split()[2] for line in schedule.to_records().splitlines() if " retry " in line)
    assert "failed attempts on events" in schedlab("why", str(trace), job).stdout
    assert "lock_free_retry" in {part["cause"] for part in schedule.why(job)["parts"]}
    assert "  holds     retries_are_bounded" in schedlab("check", str(trace)).stdout


def test_what_happened_before_a_kill_is_read_as_a_part(tmp_path: Path) -> None:
    trace, part = tmp_path / "run.trace", tmp_path / "run.trace.part"
    command = [str(runtime.binary()), "run", str(EXAMPLES / "avionics.toml"), "--out", str(trace)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    let_it_run(process)
    process.kill()
    _, said = process.communicate(timeout=30)
    if process.returncode == 3:
        pytest.skip(said.strip())
    assert str(part) in said and not trace.exists()
    checked = schedlab("check", str(part))
    assert checked.returncode == 0 and "  partial: the process of the run was gone" in checked.stdout, checked.stdout
    assert schedlab("why", str(part), "T1J3").returncode == 0
    assert schedlab("trace", str(part), "--format", "csv").stdout.count("\n") > 20
    # It was measured until its last record.
    assert " in 0 ns" not in schedlab("trace", str(part)).stdout


def test_findings_as_json() -> None:
    done = schedlab("run", str(EXAMPLES / "avionics.toml"), "--duration", "500 ms", "--check", "--json")
    if done.returncode == 3:
        pytest.skip(done.stderr.strip())
    [found] = json.loads(done.stdout)["runs"]
    assert found["replay_is_exact"] and found["ending"] == "horizon", found
    assert found["jobs"]["completed"] > 50


def test_a_bad_duration_is_an_error_with_its_reason() -> None:
    done = schedlab("run", str(EXAMPLES / "avionics.toml"), "--duration", "soon")
    assert done.returncode == 2
    assert "--duration soon" in done.stderr


def test_throttling_is_of_simulations_alone(tmp_path: Path) -> None:
    throttled = tmp_path / "throttled.toml"
    throttled.write_text("""
schedlab = 1
horizon = "20 ms"
scheduler = { name = "P-SCHED_FIFO", throttling = { runtime = "3 ms", period = "5 ms" } }
task = [{ name = "a", wcet = "4 ms", period = "20 ms" }]
""")
    refused = schedlab("run", str(throttled))
    assert refused.returncode == 2
    assert "throttling: in real runs the kernel's own setting counts" in refused.stderr
    trace = tmp_path / "throttled.slt"
    assert schedlab("simulate", str(throttled), "--trace", str(trace)).returncode == 0
    why = schedlab("why", str(trace), "a").stdout
    assert "throttled: a processor has run jobs for as long as it may  2 ms" in why


def test_the_doctor_says_what_this_machine_can_run() -> None:
    done = schedlab("doctor", "--json")
    assert done.returncode in (0, 3), done.stderr
    found = json.loads(done.stdout)
    assert found["real_runs"] == (done.returncode == 0)
    assert found["machine"]["processors"] > 0 and found["machine"]["kernel"].startswith("Linux")
    assert {"processors", "real-time priorities", "kernel"} <= {finding["what"] for finding in found["findings"]}
    assert all(finding["advice"] for finding in found["findings"] if finding["state"] != "ok")


@pytest.mark.parametrize(
    ("options", "status", "reason"),
    [
        (["--backend", "class"], 2, "SCHED_FIFO, SCHED_DEADLINE"),
        (["--backend", "scx", "--unprivileged"], 2, "--unprivileged runs threads"),
        (["--backend", "scx", "--scheduler", "P-SCHED_FIFO"], 2, "class of Linux"),
        (["--backend", "threads", "--scheduler", "SCHED_DEADLINE"], 2, "class of Linux"),
        (["--backend", "native"], 2, "'threads', 'scx', 'scx-native', 'class', 'auto'"),
        (["--reserve", "10 ms"], 2, "--reserve is for --backend scx"),
        (["--backend", "scx", "--reserve", "1 s"], 2, "allowed: 20 to 900 ms"),
        # This build has no schedulers for the kernel.
        (["--backend", "scx"], 3, "no scheduler loads into the kernel: this "),
    ],
)
def test_backends_are_refused_with_the_reason(options: list[str], status: int, reason: str) -> None:
    done = schedlab("run", str(EXAMPLES / "avionics.toml"), "--duration", "100ms", *options)
    assert (done.returncode, reason in done.stderr) == (status, True), done.stderr


def test_an_automatic_backend_says_what_it_is_and_why() -> None:
    """On machines without schedulers in the kernel, and in this build, threads are run instead."""
    done = schedlab("run", str(EXAMPLES / "avionics.toml"), "--duration", "100ms", "--backend", "auto", "--json")
    if done.returncode == 3:
        pytest.skip(done.stderr)
    [found] = json.loads(done.stdout)["runs"]
    assert (found["backend"], found["kernel_scheduler"]) == ("threads", None)
    assert found["declined"] and found["declined"] in done.stderr


def small_disk() -> None:
    """No file of this process may be larger than a kilobyte."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


def test_a_trace_that_cannot_be_written_is_status_4_and_leaves_nothing(tmp_path: Path) -> None:
    for trace, reason, limit in [("run.slt", "File too large", small_disk), ("/dev/full", "No space left", None)]:
        done = subprocess.run(
            [sys.executable, "-m", "schedlab", "run", str(EXAMPLES / "robot.toml"), "--duration", "200ms", "--trace",
             trace],
            capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path, preexec_fn=limit,
        )  # fmt: skip
        if done.returncode == 3:
            pytest.skip(done.stderr.strip())
        assert done.returncode == 4 and f"{trace}: " in done.stderr and reason in done.stderr, done.stderr
        assert "os error" not in done.stderr and "next:" not in done.stdout
        assert list(tmp_path.iterdir()) == [] and not Path("/dev/full.part").exists()


def test_weights_grow_by_the_overheads_of_inflate(tmp_path: Path) -> None:
    """With overheads, a run enlarges weights and charges nothing: the option is another than that of simulations."""
    scenario = tmp_path / "full.toml"
    scenario.write_text(
        'schedlab = 1\nscheduler = "PD2"\n[platform]\nprocessors = 1\n'
        '[[task]]\nname = "full"\nwcet = "2 ms"\nperiod = "10 ms"\n'
    )
    run = ("run", str(scenario), "--duration", "200 ms")
    refused = schedlab(*run, "--overheads", "paper-2008-4k")
    assert refused.returncode == 2 and "allowed: `--inflate`" in refused.stderr
    plain = schedlab(*run)
    if plain.returncode == 3:
        pytest.skip(plain.stderr.strip())
    assert "such as full: 3/10 instead of 2/10" in plain.stderr
    assert "`schedlab run --inflate FILE` enlarges weights" in plain.stderr
    enlarged = schedlab(*run, "--inflate", "paper-2008-4k")
    assert "they add up to 0.300 instead of 0.200" in enlarged.stderr
    assert "--overheads" not in enlarged.stdout and "--inflate paper-2008-4k" in enlarged.stdout
    by_deadline = schedlab(*run, "--inflate", "paper-2008-4k", "--scheduler", "P-EDF")
    assert "--inflate enlarges nothing: P-EDF gives tasks no weights" in by_deadline.stderr
    checked = schedlab(*run, "--inflate", "paper-2008-4k", "--check")
    [further] = [line for line in checked.stdout.splitlines() if line.startswith("next: ")]
    assert "compare" in further and "--overheads paper-2008-4k" in further
