"""`schedlab export`: settings of Linux's own schedulers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

AVIONICS = Path(__file__).resolve().parents[2] / "examples" / "avionics.toml"


def export(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "schedlab", "export", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_fixed_priorities_become_services() -> None:
    done = export("systemd", str(AVIONICS), "--scheduler", "P-RM")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("CPUSchedulingPolicy=fifo") == 16


def test_global_edf_becomes_a_workload_for_rt_app(tmp_path: Path) -> None:
    file = tmp_path / "avionics.json"
    done = export("rt-app", str(AVIONICS), "--scheduler", "G-EDF", "--out", str(file))
    assert done.returncode == 0, done.stderr
    assert "95%" in done.stderr
    tasks = json.loads(file.read_text())["tasks"]
    assert {task["policy"] for task in tasks.values()} == {"SCHED_DEADLINE"}


def test_what_linux_lacks_is_refused() -> None:
    done = export("systemd", str(AVIONICS), "--scheduler", "PD2")
    assert done.returncode == 2
    assert "PD2" in done.stderr and "fixed priorities" not in done.stdout
