"""`schedlab export`: settings of Linux's own schedulers."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

AVIONICS = Path(__file__).resolve().parents[2] / "examples" / "avionics.toml"


def export(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "schedlab", "export", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_fixed_priorities_become_services() -> None:
    done = export("systemd", str(AVIONICS), "--scheduler", "P-RM")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("CPUSchedulingPolicy=fifo") == 16


def test_each_service_is_a_file_and_three_commands_follow(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "services"
    done = export("systemd", str(AVIONICS), "--scheduler", "P-RM", "-o", str(folder))
    assert done.returncode == 0, done.stderr
    files = sorted(folder.iterdir())
    assert len(files) == 16 and all(file.suffix == ".service" for file in files)
    assert all(file.read_text().count("[Service]") == 1 for file in files)
    install, start, undo = (line.removeprefix("next: ") for line in done.stdout.splitlines())
    assert install.startswith("sudo systemctl link ") and all(str(file) in install for file in files)
    assert start.startswith("sudo systemctl start ") and all(file.name in start for file in files)
    assert undo.startswith("sudo systemctl disable --now ") and all(file.name in undo for file in files)
    if shutil.which("systemd-analyze"):
        for file in files:
            file.write_text(re.sub("ExecStart=.*", "ExecStart=/bin/true", file.read_text()))
        checked = subprocess.run(["systemd-analyze", "verify", *files], capture_output=True, text=True, check=False)
        assert not [line for line in checked.stderr.splitlines() if str(folder) in line], checked.stderr


def test_the_script_of_commands_runs_and_ends(tmp_path: Path) -> None:
    """Its commands are the user's; a signal ends them all. Without `chrt`, any user may start it."""
    file = tmp_path / "robot.sh"
    done = export("sched_deadline", str(AVIONICS.parent / "robot.toml"), "--out", str(file))
    commands = [line.removeprefix("next: ") for line in done.stdout.splitlines()]
    assert len(commands) == 3 and f"sh {file}" in commands[1] and "pkill" in commands[2], done.stdout
    assert commands[0].startswith("export COMMAND_CAMERA=camera COMMAND_CONTROL=control"), commands[0]
    file.write_text(re.sub(r"chrt .* 0 sh", "sh", file.read_text()))
    names = dict.fromkeys(re.findall(r"COMMAND_\w+", commands[0]), "sleep 60")
    begun = time.monotonic()
    script = subprocess.Popen(["sh", file], env=os.environ | names)
    time.sleep(0.5)
    script.terminate()
    script.wait(timeout=30)
    assert time.monotonic() - begun < 30


def test_files_for_other_tools_are_not_installed(tmp_path: Path) -> None:
    done = export("csv", str(AVIONICS), "--out", str(tmp_path / "tasks.csv"))
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


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


def test_what_another_tool_cannot_say_is_said(tmp_path: Path) -> None:
    done = export("csv", str(AVIONICS), "--processors", "2", "-o", str(tmp_path / "a.csv"))
    assert done.returncode == 0 and "schedlab: not in csv: platform\n" in done.stderr, done.stderr
    assert all(line.startswith("schedlab: not in csv: ") for line in done.stderr.splitlines())
