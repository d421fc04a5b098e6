"""Studies of the papers that are killed go on where they were, and end as if they had not been killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from schedlab.studies import find_study, run_study
from schedlab.studies.executor import SerialExecutor


@pytest.mark.parametrize(
    ("name", "sets", "points"),
    [("2006-fig9", 30, 60), pytest.param("2020-fig3", 5, 3 * 3 * 20, marks=pytest.mark.soak)],
)
def test_figures_survive_kill_9(name: str, sets: int, points: int, tmp_path: Path) -> None:
    study, path = find_study(name)
    whole = run_study(study, path, tmp_path / "whole", sets=sets, executor=SerialExecutor())
    arguments = ["study", "run", name, "--sets", str(sets), "--workers", "2", "--no-plot", "--out", str(tmp_path)]
    program = [sys.executable, "-m", "schedlab", *arguments]
    process = subprocess.Popen(program)
    parts = tmp_path / name / "parts"
    give_up = time.monotonic() + 60
    while len(list(parts.rglob("*.parquet"))) < 4 and time.monotonic() < give_up:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert process.returncode == -signal.SIGKILL
    subprocess.run(program, check=True)
    assert (tmp_path / name / "results.parquet").read_bytes() == whole.results.read_bytes()
    assert whole.rows == points * sets
