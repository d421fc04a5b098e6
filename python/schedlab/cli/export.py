"""`schedlab export`: a scenario as settings of Linux's own schedulers, or in another tool's format."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from schedlab.cli.options import (
    FILE,
    json_option,
    print_answer,
    read_scenario,
    scenario_options,
    scheduler_option,
    write_output,
)

FORMATS = ("systemd", "sched_deadline", "rt-app", "schedcat", "simso", "csv", "toml")


@click.command("export")
@click.argument("format_", metavar="FORMAT", type=click.Choice(FORMATS))
@scenario_options
@scheduler_option()
@click.option("--out", "-o", type=FILE, help="File; else standard output.")
@json_option
def command(
    format_: str, scenario: Path, scheduler: str | None, out: Path | None, as_json: bool, **overrides: Any
) -> int:
    """Write SCENARIO in FORMAT: systemd, sched_deadline, rt-app (what stock Linux can run by itself),
    schedcat, simso, csv or toml.

    Stock Linux runs fixed priorities (SCHED_FIFO) and G-EDF (SCHED_DEADLINE), partitioned or global. What the
    format cannot say is printed on standard error.
    """
    given = read_scenario(scenario, scheduler=scheduler, **overrides)
    text = given.export(format_)
    if as_json:
        print_answer("export", to=format_, text=text, lost=given.losses(format_))
        return 0
    for line in given.losses(format_):
        print(f"schedlab: {line}", file=sys.stderr)
    write_output(text, out)
    return 0
