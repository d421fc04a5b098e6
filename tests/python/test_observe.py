"""`schedlab observe`: a running program becomes a scenario."""

from __future__ import annotations

import json
import subprocess
import sys
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
    if done.returncode == 3:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    seen = schedlab.Scenario.read(out)
    assert "OBSERVED, NOT PROVED" in out.read_text()
    period, cost = next((task["period_ns"], task["wcet_ns"]) for task in seen.tasks)
    if cost > period:
        pytest.skip("the machine was too noisy to judge: the program never got its time")
    # An ordinary thread of a busy machine comes late, and makes up for it at once. How well periods are found where
    # nobody is in the way is tested in Rust.
    assert 15_000_000 < period < 100_000_000, out.read_text()
    assert schedlab.simulate(seen).metrics().jobs > 10
    assert schedlab.analyze(seen, schedulers=["G-EDF"])[0].error is None


def test_what_to_observe_has_to_be_said() -> None:
    for wrong in ([], ["--pid", "1", "--", "true"]):
        done = command(*wrong)
        assert done.returncode == 2 and "--pid" in done.stderr, done.stderr


def test_the_scenario_is_given_as_json_whatever_the_command_prints() -> None:
    done = command("--json", "--", sys.executable, "-c", f"print('hello')\n{PROGRAM}")
    if done.returncode == 3:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0 and "hello" in done.stderr, done.stderr
    found = json.loads(done.stdout)
    fits(found, "observe")
    assert found["scenario"]["tasks"]
