"""`schedlab run`: a scenario for real, on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from schedlab.cli.options import FILE, json_option, read_scenario, scenario_options
from schedlab.errors import BadInput


@click.command("run")
@scenario_options
@click.option("--scheduler", metavar="NAME", help="Scheduler; else the scenario's own.")
@click.option("--policy", metavar="FILE.py:CLASS", help="Refused: a scheduler written in Python is only simulated.")
@click.option("--duration", metavar="TIME", help='How long to run, such as "5 s"; else until the horizon.')
@click.option("--check", is_flag=True, help="Check the invariants, the replay, and what the kernel says that ran.")
@click.option("--trace", type=FILE, help="Write the trace to this file.")
@click.option("--perfetto", type=FILE, help="Write processors for ui.perfetto.dev: by the tracer, and by the kernel.")
@click.option("--background", type=click.IntRange(min=0), help="So many ordinary threads that compute all the time.")
@click.option("--stack", metavar="SIZE", help='The stack of each task\'s thread, such as "8 MiB"; 2 MiB otherwise.')
@click.option("--lift-fair-server", is_flag=True, help="Keep the kernel's fair server off meanwhile; it is restored.")
@click.option(
    "--dispatch-lock", type=click.Choice(["ticket", "mcs"]), help="The queue lock under which threads decide."
)
@click.option(
    "--architecture",
    type=click.Choice(["concurrent", "stop-the-world"]),
    help="Whether other processors execute while one decides.",
)
@click.option("--unprivileged", is_flag=True, help="Run without real-time priorities: nothing is promised.")
@json_option
def command(
    scenario: Path,
    scheduler: str | None,
    policy: str | None,
    duration: str | None,
    check: bool,
    trace: Path | None,
    perfetto: Path | None,
    background: int | None,
    stack: str | None,
    lift_fair_server: bool,
    dispatch_lock: str | None,
    architecture: str | None,
    unprivileged: bool,
    as_json: bool,
    **overrides: Any,
) -> int:
    """Run SCENARIO on this machine: a thread for each task, under its scheduler and locking protocol.

    Jobs burn the processor as their programs say. Needs real-time priorities (root, CAP_SYS_NICE or
    RLIMIT_RTPRIO). Prints latencies, and a one-line verdict last.
    """
    from schedlab.runtime import run

    if policy is not None:
        raise BadInput("--policy: a scheduler in Python is only simulated; allowed: `schedlab simulate --policy`")
    given = read_scenario(scenario, scheduler=scheduler, **overrides)
    flags = {
        "--check": check,
        "--json": as_json,
        "--lift-fair-server": lift_fair_server,
        "--unprivileged": unprivileged,
    }
    options = [flag for flag, wanted in flags.items() if wanted]
    values = {
        "--duration": duration,
        "--out": trace,
        "--perfetto": perfetto,
        "--background": background,
        "--stack": stack,
        "--dispatch-lock": dispatch_lock,
        "--architecture": architecture,
    }
    for name, value in values.items():
        if value is not None:
            options += [name, str(value)]
    return run(given, options)
