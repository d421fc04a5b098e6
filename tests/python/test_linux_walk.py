"""The walk of an engineer with a Linux box, from a table of threads to a page about what the kernel was seen to do."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import schedlab
from conftest import ROOT

pytestmark = pytest.mark.realtime

#: The tracing file system, in which an instance of its own records.
TRACING = Path("/sys/kernel/tracing")

#: The events that `schedlab observe` asks for.
EVENTS = ("sched_switch", "sched_wakeup", "sched_wakeup_new", "sched_pi_setprio", "sched_migrate_task")

#: The part of its WCET that each job works.
WORK = 0.25

#: A program with a job for each task: it works, the last fifth in a section.
PROGRAM = r"""
#define THREADS_DEFINE
#include "robot.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t end;

static int64_t now(clockid_t clock)
{
    struct timespec at;
    clock_gettime(clock, &at);
    return at.tv_sec * INT64_C(1000000000) + at.tv_nsec;
}

static void work(int64_t ns)
{
    int64_t until = now(CLOCK_THREAD_CPUTIME_ID) + ns;
    while (now(CLOCK_THREAD_CPUTIME_ID) < until) {
    }
}

static void started(int error, const char *name)
{
    if (error != 0) {
        fprintf(stderr, "%s: %s\n", name, strerror(error));
        exit(3);
    }
}
"""


def command(*arguments: object, within: float = 300) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "schedlab", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, timeout=within, check=False)


def succeeds(*arguments: object) -> str:
    done = command(*arguments)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return done.stdout


def the_table(file: Path) -> None:
    """Writes what an engineer knows of the template's threads: periods, largest costs, mutexes; no settings."""
    known = ("name", "period_ms", "deadline_ms", "max_us", "mutex:map:inherit_us", "mutex:log:inherit_us")
    with (ROOT / "examples" / "threads.csv").open(encoding="utf-8") as template, file.open("w") as out:
        rows = [{name.replace(":inherit", ""): row[name] for name in known} for row in csv.DictReader(template)]
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def program_of(scenario: Path) -> str:
    """Returns the text of a program whose jobs work for a part of what `scenario` allows."""
    tasks = tomllib.loads(scenario.read_text())["task"]
    jobs, starts = "", ""
    for task in schedlab.Scenario.read(scenario).tasks:
        name, ns = task["name"], int(task["wcet_ns"] * WORK)
        steps = next(one for one in tasks if one["name"] == name).get("program", [])
        mutex = next((step.split()[1] for step in steps if step.startswith("request")), None)
        body = f"work({ns});"
        if mutex is not None:
            lock, unlock = (f"pthread_mutex_{do}(&threads_mutex_{mutex});" for do in ("lock", "unlock"))
            body = f"work({ns - ns // 5}); {lock} work({ns // 5}); {unlock}"
        jobs += f"static bool job_{name}(void *unused) {{ (void)unused; {body} return now(CLOCK_MONOTONIC) < end; }}\n"
        starts += f'    started(threads_start_{name}(&all[count++], job_{name}, NULL), "{name}");\n'
    return (
        f"{PROGRAM}\n{jobs}\nint main(int argc, char **argv)\n{{\n"
        f"    pthread_t all[{len(tasks)}];\n    int count = 0;\n"
        '    started(threads_init(), "threads_init");\n'
        "    end = now(CLOCK_MONOTONIC) + (int64_t)(atof(argv[argc - 1]) * 1e9);\n"
        f"{starts}    while (count > 0) pthread_join(all[--count], NULL);\n    return 0;\n}}\n"
    )


@contextmanager
def tracing(out: Path) -> Iterator[None]:
    """Records the kernel's scheduling events by an instance of ftrace into `out`. Skips where there is none."""
    instance = TRACING / "instances" / f"schedlab-{os.getpid()}"
    try:
        instance.mkdir()
    except OSError as error:
        pytest.skip(f"no instance of ftrace: {error}")
    try:
        (instance / "trace_clock").write_text("mono")
        (instance / "buffer_size_kb").write_text("8192")
        for event in EVENTS:
            (instance / "events" / "sched" / event / "enable").write_text("1")
        yield
        (instance / "tracing_on").write_text("0")
        out.write_text((instance / "trace").read_text())
    finally:
        for _ in range(100):
            try:
                instance.rmdir()
                break
            except OSError:
                time.sleep(0.01)


def pdf_of(*files: Path, out: Path) -> None:
    """Prints the answers about `files`; without Chromium, the page is there instead, and the status says so."""
    done = command("analyze", *files, "-o", out)
    if done.returncode == 3:
        assert out.with_suffix(".html").exists(), done.stderr
    else:
        assert done.returncode == 0 and out.read_bytes().startswith(b"%PDF"), done.stderr


def settings(tasks: list[dict[str, Any]]) -> dict[str, tuple[Any, ...]]:
    """By task: period, priority and processor, as a scenario of threads states them."""
    return {task["name"]: (task["period"], task["priority"], task["processor"]) for task in tasks}


def test_from_a_table_to_what_the_kernel_did(tmp_path: Path) -> None:
    table, plan = tmp_path / "robot.csv", tmp_path / "linux.toml"
    the_table(table)

    # Four processors, as the engineer has them; and as many as are here, up to four.
    for processors in dict.fromkeys((4, min(4, len(os.sched_getaffinity(0))))):
        told = succeeds("advise", table, "--for", "linux", "--processors", processors, "-o", plan)
        assert told.splitlines()[1].startswith("schedulable on stock Linux: threads under SCHED_FIFO, each bound"), told
        assert f"next: schedlab export threads {plan}" in told
    here = schedlab.Scenario.read(plan)
    if not set(range(here.processors)) <= os.sched_getaffinity(0):
        pytest.skip("the machine has no processors 0, 1, ... for the threads")

    header, source, program = tmp_path / "robot.h", tmp_path / "robot.c", tmp_path / "robot"
    succeeds("export", "threads", plan, "-o", header)
    source.write_text(program_of(plan))
    strict = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-pthread")
    made = subprocess.run(["cc", *strict, source, "-o", program], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr

    recorded = tmp_path / "trace.txt"
    with tracing(recorded):
        ran = subprocess.run([program, "4"], capture_output=True, text=True, timeout=60, check=False)
    if ran.returncode == 3:
        pytest.skip(f"the kernel refuses the threads: {ran.stderr}")
    assert ran.returncode == 0, ran.stderr

    seen, trace = tmp_path / "seen.toml", tmp_path / "seen.slt"
    succeeds("observe", "--file", recorded, "-o", seen, "--trace", trace)
    planned = settings(tomllib.loads(plan.read_text())["task"])
    observed = settings([task for task in tomllib.loads(seen.read_text())["task"] if task["name"] in planned])
    assert observed == planned
    assert all(check.holds for check in schedlab.Schedule.read(trace).check())

    compared = succeeds("compare", plan, seen)
    assert all(name in compared for name in planned) and "sections map, then nothing" in compared, compared
    page = tmp_path / "page.html"
    succeeds("analyze", plan, seen, "-o", page)
    told = page.read_text(encoding="utf-8")
    assert "odometry" in told and "<h1>linux.toml, seen.toml" in told and "map inherit, log inherit" in told
    pdf_of(plan, seen, out=tmp_path / "page.pdf")
    succeeds("view", trace, "--out", tmp_path / "view.html", "--no-open")
