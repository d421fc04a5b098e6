"""`schedlab run`: a scenario for real, on this machine."""

from __future__ import annotations

import json
import shlex
import tempfile
from pathlib import Path
from typing import Any

import click

from schedlab.base.files import expect_folder, is_special
from schedlab.cli.shared.experience import print_tasks, sentence
from schedlab.cli.shared.files import Command, FileOf, in_a_shell
from schedlab.cli.shared.options import (
    json_option,
    next_step,
    passed_on,
    print_answer,
    print_next,
    read_scenarios,
    real_options,
    schedulers_option,
    strict_option,
)
from schedlab.cli.shared.screen import say
from schedlab.cli.shared.statuses import DONE, FOUND, INTERRUPTED, UNKNOWN, strict_status, worst_of
from schedlab.core.schedule import Schedule
from schedlab.errors import BadInput
from schedlab.outputs.results import RunJobs
from schedlab.runtime import run

#: The options that go on to `schedlab-rt run` as they are.
PASSED = ("check", "lift_fair_server", "unprivileged", "duration", "perfetto", "background", "stack", "dispatch_lock",
          "architecture", "backend", "reserve")  # fmt: skip


@click.command("run", cls=Command)
@real_options
@schedulers_option()
@click.option("--overheads", "charged", hidden=True, help="Refused with the reason: nothing is charged.")
@click.option("--policy", metavar="FILE.py:CLASS", help="Refused with the reason: Python is only simulated.")
@click.option("--duration", metavar="TIME", help='How long to run, such as "5 s"; else until the horizon.')
@click.option("--check", is_flag=True, help="Check the invariants, the replay, and what the kernel says that ran.")
@click.option("--trace", type=FileOf(".slt", ".trace"), help="Write the trace to this file.")
@click.option(
    "--perfetto",
    type=FileOf(".pftrace"),
    help="Write processors for ui.perfetto.dev: by the tracer, and by the kernel.",
)
@click.option(
    "--background", type=click.IntRange(0, 1000), help="Also run this many ordinary threads that always compute."
)
@click.option("--stack", metavar="SIZE", help='The stack of each task\'s thread, such as "8 MiB"; 2 MiB otherwise.')
@click.option("--lift-fair-server", is_flag=True, hidden=True, help="Refused with what a user does instead.")
@click.option(
    "--dispatch-lock", type=click.Choice(["ticket", "mcs"]), help="The queue lock under which threads decide."
)
@click.option(
    "--architecture",
    type=click.Choice(["concurrent", "stop-the-world"]),
    help="Whether other processors execute while one decides.",
)
@click.option(
    "--backend",
    type=click.Choice(["threads", "scx", "scx-native", "class", "auto"]),
    help="What makes decisions true: threads; scx, a scheduler in the kernel (Linux 6.12 or later); scx-native, one "
    "that decides by itself; class, for the kernel's own SCHED_FIFO and SCHED_DEADLINE; or auto: scx, else threads. "
    "If not given, threads or class.",
)
@click.option(
    "--reserve", metavar="TIME", help="How much of each second other threads have, with scx; 50 ms otherwise."
)
@click.option("--unprivileged", is_flag=True, help="Run without real-time priorities: nothing is promised.")
@click.option("--details", is_flag=True, help="Also print latencies, lost time and what the kernel says.")
@json_option
@strict_option
def command(
    scenario: Path,
    schedulers: list[str],
    charged: str | None,
    policy: str | None,
    trace: Path | None,
    details: bool,
    as_json: bool,
    strict: bool,
    **overrides: Any,
) -> int:
    """Run SCENARIO on this machine: a thread for each task, under its scheduler and locking protocol.

    Jobs compute for as long as their programs say. Needs real-time priorities (root, CAP_SYS_NICE or
    RLIMIT_RTPRIO). Prints a verdict, then what each task experienced.
    """
    if policy is not None:
        raise BadInput("--policy: a scheduler in Python is only simulated; allowed: `schedlab simulate --policy`")
    if charged is not None:
        raise BadInput("--overheads: a real run takes the machine's own; allowed: `--inflate`, which enlarges weights")
    passed = {name: overrides.pop(name) for name in PASSED}
    passed |= {"inflate": overrides["overheads"] is not None, "json": as_json}
    given = read_scenarios(scenario, schedulers, **overrides)
    files = {"--trace": trace, "--perfetto": passed["perfetto"]}
    if len(given) > 1 and (refused := [option for option, path in files.items() if path is not None]):
        raise BadInput(f"{', '.join(refused)}: of one run; allowed with one scheduler")
    for path in files.values():
        if path is not None:
            expect_folder(path)
    options = passed_on(**passed)
    statuses, answers = [], []
    for one in given:
        status, said, jobs = _run(one, options, trace, as_json, details)
        statuses += [status] if status != DONE or not strict else [strict_status([_answer(jobs)])]
        answers += [json.loads(said)] if as_json and said else []
        if status == INTERRUPTED:
            break
    worst = worst_of(statuses)
    if as_json and answers:
        print_answer("run", runs=answers)
    elif not as_json and worst in (DONE, FOUND, UNKNOWN):
        _print_next(trace, passed["check"], passed_on(duration=passed["duration"]))
    return worst


def _answer(jobs: RunJobs | None) -> str:
    """Returns the answer for --strict: unknown if no job came to its end, because the run shows nothing then."""
    if jobs is not None and jobs["missed"]:
        return "unschedulable"
    return "schedulable" if jobs is not None and jobs["completed"] else "unknown"


def _run(
    scenario: Any, options: list[str], trace: Path | None, as_json: bool, details: bool
) -> tuple[int, str, RunJobs | None]:
    """Runs a scenario and prints the verdict, then each task's metrics; returns the status, the output and the jobs."""
    with tempfile.TemporaryDirectory(prefix="schedlab-") as folder:
        # A device or a pipe cannot be read again after the trace was written into it.
        into = trace is not None and is_special(trace)
        kept = Path(folder) / "run.slt" if trace is None or into else trace
        status, said = run(scenario, [*options, *(["--out", str(kept)] if trace or not as_json else [])])
        schedule = Schedule.read(kept) if kept.exists() and (into or not as_json) else None
        if trace is not None and into and schedule is not None:
            schedule.write(trace)
        if as_json or not said:
            return status, said, json.loads(said)["jobs"] if said else None
        *found, verdict = said.splitlines()
        metrics = None if schedule is None else schedule.metrics()
        jobs: RunJobs | None = None
        if metrics is not None:
            done = sum(metrics.tasks["completed"])
            jobs = {"arrived": metrics.jobs, "completed": done, "missed": metrics.misses}
        if schedule is not None and metrics is not None and status == 0:
            say(sentence(metrics, schedule.scenario))
        say(verdict)
        if metrics is not None:
            print_tasks(metrics)
    if details or status != 0:
        click.echo("\n".join(found))
    return status, said, jobs


def _print_next(trace: Path | None, check: bool, lasting: list[str]) -> None:
    if trace is not None:
        print_next(shlex.join(["schedlab", "why", in_a_shell(trace)]), "how the worst job spent its time")
    elif not check:
        next_step("run", "--check", *lasting, why="whether every invariant holds, by the kernel's switches")
    else:
        next_step("compare", "--run", *lasting, why="beside simulations and bounds")
