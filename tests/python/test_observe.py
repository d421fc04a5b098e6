"""`schedlab observe`: a running program becomes a scenario."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import schedlab
from conftest import fits

#: Nothing else may run beside.
pytestmark = pytest.mark.realtime

#: Works for about 2 ms every 20 ms, without schedlab.
PROGRAM = """
import time
begin = time.monotonic()
for job in range(1, 60):
    until = time.thread_time() + 0.002
    while time.thread_time() < until:
        pass
    time.sleep(max(0, begin + job * 0.02 - time.monotonic()))
"""


#: Wakes every 0.3 ms for next to nothing, and each time in ten works for 20 ms.
BURSTS = """
import time
for job in range(150):
    until = time.thread_time() + (0.02 if job % 10 == 0 else 0.0001)
    while time.thread_time() < until:
        pass
    time.sleep(0.0003)
"""


def judged(done: subprocess.CompletedProcess[str]) -> None:
    """Skips where the machine does not let the kernel be asked, or was too busy for numbers that make sense."""
    if done.returncode == 3 or ("REFUSED" in done.stderr and done.returncode == 1):
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "schedlab", "observe", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_program_becomes_a_scenario_that_is_analyzed_and_simulated(tmp_path: Path) -> None:
    out = tmp_path / "seen.toml"
    done = command("--out", str(out), "--duration", "20 s", "--", sys.executable, "-c", PROGRAM)
    judged(done)
    seen = schedlab.Scenario.read(out)
    assert "OBSERVED, NOT PROVED" in out.read_text() and "OBSERVED, NOT PROVED" in done.stderr
    period = next(task["period_ns"] for task in seen.tasks)
    # An ordinary thread of a busy machine comes late, and makes up for it at once. How well periods are found where
    # no other thread is in the way is tested in Rust.
    assert 15_000_000 < period < 100_000_000, out.read_text()
    assert schedlab.simulate(seen).metrics().jobs > 10
    assert schedlab.analyze(seen, schedulers=["G-EDF"])[0].error is None


def test_what_to_observe_has_to_be_said() -> None:
    for wrong in ([], ["--pid", "1", "--", "true"]):
        done = command(*wrong)
        assert done.returncode == 2 and "--pid" in done.stderr, done.stderr


def test_the_scenario_is_given_as_json_whatever_the_command_prints() -> None:
    done = command("--json", "--", sys.executable, "-c", f"print('hello')\n{PROGRAM}")
    judged(done)
    assert "hello" in done.stderr, done.stderr
    found = json.loads(done.stdout)
    fits(found, "observe")
    assert found["scenario"]["tasks"] and found["notes"][0].startswith("OBSERVED, NOT PROVED")


#: The ways to wait of `waits.c`, the words by which each is recognized, and whether it states a period.
WAITS = {
    "clock_nanosleep": ("sleeps until times that it computes (clock_nanosleep)", True),
    "timerfd": ("reads a timer of 10 ms (timerfd)", True),
    "epoll": ("waits for descriptors (epoll): a timer of 10 ms", True),
    "futex": ("another thread wakes it (futex", False),
    "read": ("waits for data of a pipe (read)", False),
}


@pytest.fixture(scope="module")
def observations(tmp_path_factory: pytest.TempPathFactory) -> dict[str, subprocess.CompletedProcess[str]]:
    """What is observed of a program with a thread that waits, in each way: all at once, for mostly they sleep."""
    program = tmp_path_factory.mktemp("waits") / "waits"
    source = Path(__file__).parent / "waits.c"
    subprocess.run(["cc", "-O1", "-pthread", source, "-o", program], check=True)
    with ThreadPoolExecutor(len(WAITS)) as pool:
        return dict(zip(WAITS, pool.map(lambda way: command("--", str(program), way), WAITS), strict=True))


@pytest.mark.parametrize("way", WAITS)
def test_the_common_ways_to_wait_are_recognized(
    observations: dict[str, subprocess.CompletedProcess[str]], way: str
) -> None:
    named, stated = WAITS[way]
    done = observations[way]
    judged(done)
    scenario = tomllib.loads(done.stdout)
    about = next(line for line in scenario["notes"].splitlines() if "worker: " in line)
    # Of the account the words are judged: how long things took is the machine's affair.
    assert named in about, about
    assert "NOT SEEN: a mutex" in scenario["notes"] and "request R" in scenario["notes"]
    if "REFUSED" in about:
        pytest.skip(about)
    task = next(task for task in scenario["task"] if task["name"] == "worker")
    assert ("stated by the program" in about) == stated, about
    assert task["period"] == "10ms" or not stated, task
    assert task.get("processor", 0) == 0 and ("real-time priority 40" in about) == (task.get("priority") == 40)


def test_what_makes_no_sense_is_refused(tmp_path: Path) -> None:
    """Bursts of wake-ups, and now and then a long job: no task has a cost above its period."""
    out = tmp_path / "seen.toml"
    done = command("--out", str(out), "--duration", "20 s", "--", sys.executable, "-c", BURSTS)
    if done.returncode == 3:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 1 and not out.exists(), done.stderr
    assert "no thread can be a task" in done.stderr and "REFUSED: " in done.stderr, done.stderr
    reasons = ("is above its period", "longer than the estimated period", "so their costs are not known")
    assert any(reason in done.stderr for reason in reasons), done.stderr


def test_few_repetitions_are_refused() -> None:
    done = command("--", sys.executable, "-c", "import time\ntime.sleep(0.3)\ntime.sleep(0.3)")
    if done.returncode == 3:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 1 and "no thread can be a task" in done.stderr, done.stderr
    assert "wake-up" in done.stderr
