"""`schedlab run`: a scenario for real, on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from schedlab.cli.options import FILE, json_option, read_scenario, scenario_options


@click.command("run")
@scenario_options
@click.option("--scheduler", metavar="NAME", help="Scheduler; else the scenario's own.")
@click.option("--duration", metavar="TIME", help='How long to run, such as "5 s"; else until the horizon.')
@click.option("--check", is_flag=True, help="Check the invariants, the replay, and what the kernel says that ran.")
@click.option("--trace", type=FILE, help="Write the trace to this file.")
@json_option
def command(
    scenario: Path,
    scheduler: str | None,
    duration: str | None,
    check: bool,
    trace: Path | None,
    as_json: bool,
    **overrides: Any,
) -> int:
    """Run SCENARIO on this machine: a thread for each task, under its scheduler and locking protocol.

    Jobs burn the processor as their programs say. Needs real-time priorities (root, CAP_SYS_NICE or
    RLIMIT_RTPRIO). Prints latencies, and a one-line verdict last.
    """
    from schedlab.runtime import run

    given = read_scenario(scenario, scheduler=scheduler, **overrides)
    options = [option for option, wanted in (("--check", check), ("--json", as_json)) if wanted]
    for name, value in (("--duration", duration), ("--out", trace)):
        if value is not None:
            options += [name, str(value)]
    return run(given, options)
