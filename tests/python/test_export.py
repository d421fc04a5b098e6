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


#: The tasks of a sensor, a planner and a map on two processors; the planner and the sensor share the map.
SHARED = """schedlab = 1
horizon = "1 s"
protocol = "{protocol}"
scheduler.name = "P-RM"
platform.processors = 2
resource = [{{ name = "map" }}]
[[task]]
name = "sensor"
wcet = "2 ms"
period = "10 ms"
processor = 0
program = ["execute 1 ms", "request map", "execute 1 ms", "release map"]
[[task]]
name = "planner"
wcet = "5 ms"
period = "40 ms"
processor = {second}
program = ["request map", "execute 2 ms", "release map", "execute 3 ms"]
[[task]]
name = "log"
wcet = "3 ms"
period = "20 ms"
processor = 0
offset = "1 ms"
"""


def shared(folder: Path, protocol: str, second: int) -> str:
    file = folder / f"{protocol}-{second}.toml"
    file.write_text(SHARED.format(protocol=protocol, second=second))
    return str(file)


def test_fixed_priorities_become_services() -> None:
    done = export("systemd", str(AVIONICS), "--scheduler", "P-RM")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("CPUSchedulingPolicy=fifo") == 16
    assert "schedlab: all deadlines are proved to be met: " in done.stderr
    assert done.stdout.count("# All deadlines are proved to be met: ") == 16
    assert "stops real-time threads only where they execute for 950 ms of 1 s" in done.stdout
    assert "the scenario states no throttling, so the kernel's default is taken: 950 ms of each 1 s" in done.stderr


def test_a_mutex_that_linux_lacks_is_refused_with_what_it_has(tmp_path: Path) -> None:
    """What is proved under MPCP is not what PTHREAD_PRIO_INHERIT does."""
    assert export("systemd", shared(tmp_path, "ipcp", 0)).returncode == 0
    for protocol in ("mpcp", "srp", "msrp", "pcp"):
        done = export("systemd", shared(tmp_path, protocol, 0))
        assert done.returncode == 2, done.stdout
        assert f'"{protocol}" is no protocol that the mutexes of stock Linux have' in done.stderr
        assert "P-RM under pip, which is PTHREAD_PRIO_INHERIT: schedulable" in done.stderr
        assert "P-RM under ipcp, which is PTHREAD_PRIO_PROTECT: schedulable" in done.stderr
        # Not even unproved: the file could not say which mutexes to take.
        assert export("systemd", shared(tmp_path, protocol, 0), "--unproved").returncode == 2
    # Between processors, none of Linux's mutexes is the protocol that was proved.
    done = export("systemd", shared(tmp_path, "mpcp", 1))
    assert (
        done.returncode == 2 and "no scheduler that this format can write takes these tasks as they are" in done.stderr
    )
    done = export("systemd", shared(tmp_path, "pip", 1), "--unproved")
    assert done.returncode == 2 and 'resource "map" has users on several' in done.stderr


def test_services_say_which_mutexes_their_programs_need(tmp_path: Path) -> None:
    found = json.loads(export("systemd", shared(tmp_path, "ipcp", 0), "--json").stdout)
    sensor, log = found["services"]["sensor.service"], found["services"]["log.service"]
    # The sensor is the most urgent of its processor.
    assert '# resource "map": a mutex with PTHREAD_PRIO_PROTECT and the ceiling 98\n' in sensor
    assert '#   offset = "1ms"\n' in log and "map" not in log.split("What the program has to keep")[1]
    assert found["proof"]["proved"] and found["proof"]["assumptions"]
    inherits = export("systemd", shared(tmp_path, "pip", 0)).stdout
    assert inherits.count("a mutex with PTHREAD_PRIO_INHERIT") == 2


def test_what_is_not_proved_is_refused_or_says_so(tmp_path: Path) -> None:
    late = tmp_path / "late.toml"
    late.write_text(Path(shared(tmp_path, "pip", 0)).read_text().replace('wcet = "3 ms"', 'wcet = "18 ms"'))
    for format_ in ("systemd", "sched_deadline", "rt-app"):
        done = export(format_, str(late))
        assert done.returncode == 2 and "are not proved schedulable" in done.stderr, done.stderr
        assert "--unproved" in done.stderr
        done = export(format_, str(late), "--unproved")
        assert done.returncode == 0 and "NOT PROVED: deadlines may be missed. " in done.stdout, done.stderr
        found = json.loads(export(format_, str(late), "--unproved", "--json").stdout)
        assert found["proof"]["proved"] is False and found["proof"]["verdict"] in found["text"]
    done = export("csv", str(late), "--unproved")
    assert done.returncode == 2 and "csv promises nothing" in done.stderr
    assert export("csv", str(late)).returncode == 0


def test_tasks_are_written_in_their_order_and_losses_are_listed(tmp_path: Path) -> None:
    """Twelve tasks t1 .. t12: t10 comes after t9. Deadlines and jitter have no place under SCHED_FIFO."""
    rows = "".join(
        f'[[task]]\nname = "t{number}"\nwcet = "1 ms"\nperiod = "100 ms"\ndeadline = "{60 + number} ms"\n'
        f'jitter = "{number} ms"\npriority = {number}\n'
        for number in range(1, 13)
    )
    file = tmp_path / "twelve.toml"
    file.write_text(f'schedlab = 1\nhorizon = "1 s"\nscheduler.name = "P-FP"\n{rows}')
    for scheduler in ("P-RM", "P-DM", "P-FP"):
        done = export("rt-app", str(file), "--scheduler", scheduler)
        assert done.returncode == 0, done.stderr
        names = list(json.loads(done.stdout.split("*/", 1)[1])["tasks"])
        assert names == [f"t{number}" for number in range(1, 13)]
        for what in ("deadline before the period's end", "jitter"):
            line = f"not written: {what} of t1, t2, t3, t4, t5 and 7 more; without it, the tasks look easier"
            assert line in done.stderr and line in done.stdout, done.stderr
    done = export("csv", str(file), "-o", str(tmp_path / "a.csv"))
    assert "jitter" not in done.stderr


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
    processors = ["--processors", str(len(os.sched_getaffinity(0))), "--scheduler", "G-EDF"]
    done = export("sched_deadline", str(AVIONICS.parent / "robot.toml"), "--out", str(file), *processors, "--unproved")
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
    assert "the kernel admits at most 90% of the processors" in done.stderr
    tasks = json.loads(file.read_text().split("*/", 1)[1])["tasks"]
    assert {task["policy"] for task in tasks.values()} == {"SCHED_DEADLINE"}


def test_what_linux_lacks_is_refused() -> None:
    done = export("systemd", str(AVIONICS), "--scheduler", "PD2")
    assert done.returncode == 2
    assert "PD2" in done.stderr and "fixed priorities" not in done.stdout
    # What Linux has and what proves the same tasks is said.
    assert "P-RM: schedulable" in done.stderr


def test_what_another_tool_cannot_say_is_said(tmp_path: Path) -> None:
    done = export("csv", str(AVIONICS), "--processors", "2", "-o", str(tmp_path / "a.csv"))
    assert done.returncode == 0 and "schedlab: not in csv: platform.processors\n" in done.stderr, done.stderr
    supposed, *lost = done.stderr.splitlines()
    assert supposed == "schedlab: what if: platform.processors = 2 (before 1)"
    assert all(line.startswith("schedlab: not in csv: ") for line in lost)


def test_a_refusal_says_what_was_tried(tmp_path: Path) -> None:
    """Other priorities and other formats may be proved: no sentence denies it."""
    rows = "".join(f'[[task]]\nname = "t{index}"\nwcet = "10 us"\nperiod = "{10 + index} ms"\n' for index in range(99))
    file = tmp_path / "many.toml"
    file.write_text(f'schedlab = 1\nscheduler = "P-RM"\n{rows}')
    done = export("systemd", file)
    assert done.returncode == 2 and "needs 99 priorities on one processor" in done.stderr
    told = (
        "no scheduler that this format can write takes these tasks as they are; other formats and other priorities were"
    )
    assert told in done.stderr
    assert export("sched_deadline", file, "--scheduler", "G-EDF").returncode == 0
