"""`schedlab export threads`: tasks as threads of one program. What is written is compiled, run and applied."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent

#: Five threads on two processors, two mutexes; a name that the kernel cannot hold.
ROBOT = """schedlab = 1
horizon = "1 s"
scheduler.name = "P-SCHED_FIFO"
platform.processors = 2
resource = [{ name = "map", protocol = "protect" }, { name = "log", protocol = "inherit" }]
[[task]]
name = "sensor"
wcet = "2 ms"
period = "10 ms"
processor = 0
priority = 1
program = ["execute 1 ms", "request map", "execute 1 ms", "release map"]
[[task]]
name = "planner of the route"
wcet = "4 ms"
period = "25 ms"
processor = 0
priority = 3
program = ["execute 2 ms", "request map", "execute 2 ms", "release map"]
[[task]]
name = "journal"
wcet = "4 ms"
period = "50 ms"
processor = 1
priority = 4
offset = "3 ms"
program = ["execute 2 ms", "request log", "execute 2 ms", "release log"]
[[task]]
name = "radio"
wcet = "3 ms"
period = "20 ms"
processor = 1
priority = 2
program = ["execute 1 ms", "request log", "execute 2 ms", "release log"]
[[task]]
name = "camera"
wcet = "4 ms"
period = "40 ms"
processor = 1
priority = 3
"""

#: By thread: its period, the kernel's priority and its processor.
EXPECTED = {
    "sensor": ("10ms", 98, 0),
    "planner of the": ("25ms", 97, 0),
    "journal": ("50ms", 96, 1),
    "radio": ("20ms", 98, 1),
    "camera": ("40ms", 97, 1),
}

STRICT = {
    "c": ("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-pthread", "-DTHREADS_DEFINE"),
    "cpp": ("c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-O1", "-pthread"),
}
HEADERS = {"c": "robot.h", "cpp": "robot.hpp"}


def export(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "schedlab", "export", "threads", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def succeeds(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    done = export(*arguments)
    assert done.returncode == 0, done.stderr
    return done


def run(*command: str | Path, within: float = 120) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=within, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scenario, the script, the headers, and the programs that are compiled with them."""
    made = tmp_path_factory.mktemp("robot")
    scenario = made / "robot.toml"
    scenario.write_text(ROBOT)
    succeeds(scenario, "-o", made / "robot.sh")
    for kind, header in HEADERS.items():
        succeeds(scenario, "-o", made / header)
        done = run(*STRICT[kind], "-I", made, HERE / f"threads_probe.{kind}", "-o", made / f"probe-{kind}")
        assert done.returncode == 0, done.stderr
    return made


def test_headers_compile_and_say_what_was_proved(folder: Path) -> None:
    """Without a warning, in several files of a program; only one of them has the functions of C."""
    for kind, header in HEADERS.items():
        text = (folder / header).read_text()
        comment = text.split("*/")[0]
        throttling = "only where they execute for 950 ms of 1 s"
        for said in ("All deadlines are proved to be met: ", "This rests on:", throttling):
            assert said in comment, comment
        assert 'thread "planner of the", SCHED_FIFO 97, processors 0.' in text
        other = folder / f"other.{kind}"
        other.write_text(f'#include "{header}"\nint other(void);\nint other(void) {{ return 0; }}\n')
        flags = [flag for flag in STRICT[kind] if flag != "-DTHREADS_DEFINE"]
        assert run(*flags, "-c", other, "-o", folder / f"other-{kind}.o").returncode == 0
        sources = [HERE / f"threads_probe.{kind}", folder / f"other-{kind}.o"]
        done = run(*STRICT[kind], "-I", folder, *sources, "-o", folder / f"both-{kind}")
        assert done.returncode == 0, done.stderr
    first = folder / "first.c"
    first.write_text('#include <stdio.h>\n#include "robot.h"\n')
    done = run("cc", "-std=c11", "-c", first, "-o", folder / "first.o")
    assert done.returncode != 0 and "include this header before all others" in done.stderr


def test_the_examples_of_the_page_compile(folder: Path) -> None:
    """But for that of ROS 2, of which the page says that it was not compiled."""
    page = (HERE.parents[1] / "docs" / "threads.md").read_text()
    robot = HERE.parents[1] / "examples" / "robot.toml"
    made = folder / "page"
    made.mkdir()
    for kind, block in (("c", "c"), ("cpp", "cpp")):
        succeeds(robot, "--scheduler", "P-RM", "-o", made / HEADERS[kind])
        code = page.split(f"```{block}\n")[1].split("```")[0]
        (made / f"page.{kind}").write_text(code)
        flags = [flag for flag in STRICT[kind] if flag != "-DTHREADS_DEFINE"]
        done = run(*flags, made / f"page.{kind}", "-o", made / "page")
        assert done.returncode == 0, done.stderr
    assert page.count("```cpp\n") == 2 and "This example was not compiled here" in page


def test_servers_compile(folder: Path) -> None:
    """SCHED_DEADLINE: threads set themselves."""
    scenario = folder / "servers.toml"
    scenario.write_text(ROBOT.split("resource =")[0].replace("P-SCHED_FIFO", "G-EDF") + TASK)
    for kind, header in {"c": "servers.h", "cpp": "servers.hpp"}.items():
        succeeds(scenario, "-o", folder / header)
        source = folder / f"servers.{kind}"
        source.write_text(f'#include "{header}"\n')
        done = run(*STRICT[kind], "-c", source, "-o", folder / f"servers-{kind}.o")
        assert done.returncode == 0, done.stderr


TASK = '[[task]]\nname = "alone"\nwcet = "1 ms"\nperiod = "10 ms"\n'


def test_what_is_written_follows_the_ending(folder: Path) -> None:
    scenario = folder / "robot.toml"
    done = succeeds(scenario, "-o", folder / "again.sh")
    steps = [line for line in done.stdout.splitlines() if line.startswith("next: ")]
    assert len(steps) == 3 and "--dry-run PID" in steps[0] and str(folder / "again.sh") in steps[1], done.stdout
    assert "THREADS_DEFINE" in succeeds(scenario, "-o", folder / "again.h").stdout
    assert succeeds(scenario).stdout == (folder / "again.sh").read_text()
    assert json.loads(succeeds(scenario, "-o", folder / "x.hpp", "--json").stdout)["to"] == "threads.hpp"
    for name in ("again.c", "again", "again.json"):
        done = export(scenario, "-o", folder / name)
        assert done.returncode == 2 and "allowed: .sh, .h, .hpp" in done.stderr, done.stderr
    done = export(scenario, "-o", folder / "threads.h")
    assert done.returncode == 2 and "C has a header of this name" in done.stderr, done.stderr
    said = 'schedlab: the thread of task "planner of the route" is called "planner of the": Linux has 15 bytes'
    assert said in succeeds(scenario).stderr


def test_what_cannot_be_deployed_is_refused(folder: Path) -> None:
    scenario, listed = folder / "robot.toml", folder / "listed.toml"
    begins = 'schedlab = 1\nhorizon = "1 s"\nscheduler = "P-RM"\n'
    listed.write_text(f'{begins}{TASK}arrival = {{ at = ["0 ms", "50 ms"] }}\n')
    assert export(listed, "--unproved").returncode == 0
    for ending in ("sh", "h", "hpp"):
        out = folder / f"refused.{ending}"
        late = export(scenario, "--scale", "4", "-o", out)
        assert late.returncode == 2 and "are not proved schedulable" in late.stderr, late.stderr
        assert not out.exists()
        said = succeeds(scenario, "--scale", "4", "--unproved", "-o", out).stderr
        assert "NOT PROVED" in said and "NOT PROVED: deadlines may be missed. " in out.read_text()
        lacking = export(listed, "--scheduler", "PD2", "-o", out)
        assert lacking.returncode == 2 and "is no scheduler that stock Linux has; allowed: " in lacking.stderr
        done = export(listed, "--unproved", "-o", out)
        assert ("has listed arrivals, and the loop of a header is periodic" in done.stderr) == (ending != "sh")
        assert done.returncode == (0 if ending == "sh" else 2)


def test_scripts_have_no_findings(folder: Path) -> None:
    if shutil.which("shellcheck") is None:
        pytest.skip("shellcheck is not installed")
    done = run("shellcheck", folder / "robot.sh")
    assert done.returncode == 0, done.stdout


#: Threads of these names, which sleep; one more is called as the last argument says.
SLEEPERS = """
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *sleeps(void *name) {
    pthread_setname_np(pthread_self(), name);
    pause();
    return NULL;
}
int main(int argc, char **argv) {
    pthread_t thread;
    for (int index = 1; index < argc; index++) pthread_create(&thread, NULL, sleeps, argv[index]);
    puts("started");
    fflush(stdout);
    pause();
    return 0;
}
"""


@pytest.fixture(scope="module")
def sleepers(folder: Path) -> Path:
    source = folder / "sleepers.c"
    source.write_text(SLEEPERS)
    assert run("cc", "-pthread", source, "-o", folder / "sleepers").returncode == 0
    return folder / "sleepers"


class Sleeping:
    """A running program with threads of these names."""

    def __init__(self, program: Path, names: list[str]) -> None:
        self.process = subprocess.Popen([program, *names], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None and self.process.stdout.readline() == "started\n"
        self.pid = str(self.process.pid)
        tasks = Path("/proc", self.pid, "task")
        until = time.monotonic() + 60
        while sorted(self.named()) != sorted(names) and time.monotonic() < until:
            time.sleep(0.01)
        self.ids = {name: int(task.name) for task in tasks.iterdir() if (name := self.name(task)) in names}

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()

    @staticmethod
    def name(task: Path) -> str:
        return (task / "comm").read_text().removesuffix("\n")

    def named(self) -> list[str]:
        tasks = Path("/proc", self.pid, "task").iterdir()
        return [self.name(task) for task in tasks if task.name != self.pid]

    def settings(self) -> dict[str, tuple[int, int, set[int]]]:
        """By thread: its policy, its priority, its processors, as the kernel says."""
        return {
            name: (os.sched_getscheduler(tid), os.sched_getparam(tid).sched_priority, os.sched_getaffinity(tid))
            for name, tid in self.ids.items()
        }


@pytest.fixture
def robot(sleepers: Path) -> Iterator[Sleeping]:
    program = Sleeping(sleepers, list(EXPECTED))
    yield program
    program.end()


def test_the_script_sets_running_threads(folder: Path, robot: Sleeping) -> None:
    script = ["sh", str(folder / "robot.sh")]
    before = robot.settings()
    dry = run(*script, "--dry-run", robot.pid)
    assert dry.returncode == 0 and f"chrt --fifo --pid 98 {robot.ids['sensor']}\n" in dry.stdout, dry.stderr
    assert dry.stdout.count("taskset --cpu-list --pid") == 5 and robot.settings() == before
    done = run(*script, robot.pid)
    if "Operation not permitted" in done.stderr or "Invalid argument" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    expected = {name: (os.SCHED_FIFO, priority, {cpu}) for name, (_, priority, cpu) in EXPECTED.items()}
    assert robot.settings() == expected
    again = run(*script, robot.pid)
    assert again.returncode == 0 and robot.settings() == expected


def test_a_thread_that_is_missing_is_named_and_none_is_set(folder: Path, sleepers: Path) -> None:
    others = [name for name in EXPECTED if name not in ("radio", "camera")]
    program = Sleeping(sleepers, [*others, "wireless", "camera", "camera"])
    try:
        before = program.settings()
        script = ["sh", str(folder / "robot.sh")]
        done = run(*script, program.pid)
        assert done.returncode == 1, done.stderr
        assert f'thread "radio" was not found in process {program.pid}\n' in done.stderr
        assert f'thread "camera": process {program.pid} has several, ' in done.stderr
        assert done.stderr.endswith("no thread was set\n") and program.settings() == before
        # Its id, or the user's word which of several is meant, does.
        radio, camera = f"radio={program.ids['wireless']}", f"camera={program.ids['camera']}"
        told = run(*script, "--dry-run", program.pid, radio, camera)
        assert told.returncode == 0 and f"98 {program.ids['wireless']}\n" in told.stdout, told.stderr
        lacking = run(*script, "--dry-run", program.pid, "radio=1", camera)
        assert lacking.returncode == 1 and f"process {program.pid} has no thread 1\n" in lacking.stderr
        wrongs: list[list[str]] = [
            [],
            ["x"],
            [program.pid, "nobody=5"],
            [program.pid, "radio"],
            [program.pid, "radio=x"],
        ]
        for wrong in wrongs:
            done = run(*script, *wrong)
            assert done.returncode == 2 and done.stderr.startswith("usage: "), done.stderr
    finally:
        program.end()
    done = run("sh", folder / "robot.sh", program.pid)
    assert done.returncode == 1 and done.stderr == f"process {program.pid} was not found\n"


def ran(done: subprocess.CompletedProcess[str]) -> dict[str, tuple[int, int, int]]:
    """By thread: its jobs, those that were late, and the longest response time. Skips where Linux admits none."""
    if done.returncode == 3:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines() if not line.startswith("stall ")]
    return {name: (int(jobs), int(late), int(longest)) for name, jobs, late, longest in rows}


def needs_two_processors() -> None:
    if not {0, 1} <= os.sched_getaffinity(0):
        pytest.skip("the machine has no processors 0 and 1 for the test")


@pytest.mark.realtime
@pytest.mark.parametrize("kind", HEADERS)
def test_threads_run(folder: Path, kind: str) -> None:
    """Each executes its jobs, one in each period."""
    needs_two_processors()
    found = ran(run(folder / f"probe-{kind}", "1"))
    assert set(found) == {"sensor", "planner", "journal", "radio", "camera"}
    # The first jobs come 100 ms after the beginning, and none is left out.
    assert 85 <= found["sensor"][0] <= 95 and 42 <= found["radio"][0] <= 48, found


#: Programs of one thread of SCHED_DEADLINE, which executes ten jobs and ends with its policy as status.
SERVERS = {
    "c": """
#include "servers.h"
#include <sched.h>
static int jobs, policy;
static bool job(void *unused) {
    (void)unused;
    policy = sched_getscheduler(0);
    return ++jobs < 10;
}
int main(void) {
    pthread_t thread;
    if (threads_init() != 0 || threads_start_alone(&thread, job, NULL) != 0) return 3;
    pthread_join(thread, NULL);
    return threads_seen_alone.jobs == 10 ? policy : 1;
}
""",
    "cpp": """
#include "servers.hpp"
int main() {
    int jobs = 0, policy = 0;
    try {
        threads::init();
        threads::start_alone([&] { policy = sched_getscheduler(0); return ++jobs < 10; }).join();
    } catch (const std::system_error &) {
        return 3;
    }
    return threads::seen_alone.jobs == 10 ? policy : 1;
}
""",
}


@pytest.mark.realtime
@pytest.mark.parametrize("kind", HEADERS)
def test_servers_run(folder: Path, kind: str) -> None:
    """A thread of SCHED_DEADLINE sets itself, where there are the scenario's processors and no others."""
    made = folder / f"run-{kind}"
    made.mkdir()
    scenario = made / "servers.toml"
    scenario.write_text(ROBOT.split("resource =")[0].replace("P-SCHED_FIFO", "G-EDF") + TASK)
    here = len(os.sched_getaffinity(0))
    for processors, status in ((here, 6), (here + 1, 3)):
        header = made / f"servers.{'h' if kind == 'c' else 'hpp'}"
        succeeds(scenario, "--processors", str(processors), "-o", header)
        (made / f"main.{kind}").write_text(SERVERS[kind])
        done = run(*STRICT[kind], made / f"main.{kind}", "-o", made / "main")
        assert done.returncode == 0, done.stderr
        found = run(made / "main").returncode
        if found == 3 and status == 6:
            pytest.skip("the kernel admits no thread of SCHED_DEADLINE here")
        assert found == status


@pytest.mark.realtime
def test_threads_keep_their_deadlines_but_for_stalls(folder: Path) -> None:
    """Ten seconds under the analysis that promised it. The most urgent thread of each processor names stalls."""
    needs_two_processors()
    done = run(folder / "probe-c", "10", "watch")
    found = ran(done)
    stalls = [int(line.split()[2]) for line in done.stdout.splitlines() if line.startswith("stall ")]
    named = f"{found}; {len(stalls)} stalls, at most {max(stalls, default=0) // 1000} us"
    if any(late for _, late, _ in found.values()):
        deadlines = {"sensor": 10, "planner": 25, "journal": 50, "radio": 20, "camera": 40}
        beyond = max(longest - deadlines[name] * 1_000_000 for name, (_, _, longest) in found.items())
        assert sum(stalls) >= beyond, f"late without a stall that explains it: {named}"
        pytest.skip(f"host or kernel stalled the processors: {named}")


@pytest.mark.realtime
@pytest.mark.parametrize("kind", HEADERS)
def test_observing_the_program_gives_the_scenario_back(folder: Path, kind: str) -> None:
    needs_two_processors()
    out = folder / f"seen-{kind}.toml"
    command = [sys.executable, "-m", "schedlab", "observe", "--out", str(out), "--duration", "8s"]
    done = run(*command, "--", folder / f"probe-{kind}", "5")
    if done.returncode == 3 or ("REFUSED" in done.stderr and done.returncode == 1):
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    tasks = tomllib.loads(out.read_text())["task"]
    seen = {task["name"]: (task["period"], task.get("priority"), task.get("processor")) for task in tasks}
    missing = set(EXPECTED) - set(seen)
    if missing and "REFUSED" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert {name: seen[name] for name in EXPECTED} == EXPECTED, done.stderr
