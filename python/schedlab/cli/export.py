"""`schedlab export`: a scenario as settings of Linux's own schedulers, or in another tool's format."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from schedlab.cli.shared.options import (
    FILE,
    json_option,
    print_answer,
    print_next,
    read_scenario,
    scenario_options,
    scheduler_option,
    write_output,
)
from schedlab.files import make_folder, write_whole

#: Formats of other tools, which hold less than a scenario.
TASK_SETS = ("schedcat", "simso", "csv")

FORMATS = ("systemd", "sched_deadline", "rt-app", *TASK_SETS, "toml")


@click.command("export")
@click.argument("format_", metavar="FORMAT", type=click.Choice(FORMATS))
@scenario_options
@scheduler_option()
@click.option("--out", "-o", type=FILE, help="File, or for systemd a folder of services; else standard output.")
@json_option
def command(
    format_: str, scenario: Path, scheduler: str | None, out: Path | None, as_json: bool, **overrides: Any
) -> int:
    """Write SCENARIO in FORMAT: systemd, sched_deadline, rt-app (what stock Linux can run by itself),
    schedcat, simso, csv or toml.

    Stock Linux runs fixed priorities (SCHED_FIFO) and G-EDF (SCHED_DEADLINE), partitioned or global. What the
    format cannot say is printed on standard error. With --out, the commands that install, start and undo it follow.
    """
    given = read_scenario(scenario, quiet=True, scheduler=scheduler, **overrides)
    text = given.export(format_)
    if as_json:
        print_answer("export", to=format_, text=text, lost=given.losses(format_))
        return 0
    # Of stock Linux, these are sentences.
    told = f"not in {format_}: " if format_ in TASK_SETS else ""
    for line in given.losses(format_):
        print(f"schedlab: {told}{line}", file=sys.stderr)
    if out is None or str(out) == "-":
        write_output(text, out)
        return 0
    for said, why in _steps(format_, text, out, _write(given, format_, text, out)):
        print_next(said, why)
    return 0


def _write(scenario: Any, format_: str, text: str, out: Path) -> list[str]:
    """Writes the answer; for systemd a file for each service into a folder. The names of the services."""
    if format_ != "systemd":
        write_output(text, out)
        return []
    services: dict[str, str] = scenario.services()
    make_folder(out)
    for name, unit in services.items():
        write_whole(out / name, unit)
    return list(services)


def _steps(format_: str, text: str, out: Path, services: Iterable[str]) -> list[tuple[str, str]]:
    """The commands that install, start and undo what stock Linux runs by itself; none for other tools' files."""
    place = out.resolve()
    if format_ == "systemd":
        files = shlex.join(str(place / name) for name in services)
        units = " ".join(services)
        return [
            (f"sudo systemctl link {files}", "installs; refuses names that are taken"),
            (f"sudo systemctl start {units}", "starts /usr/local/bin/..., or what you write in ExecStart"),
            (f"sudo systemctl disable --now {units}", "stops and removes them"),
        ]
    if format_ == "sched_deadline":
        names = dict.fromkeys(re.findall(r"COMMAND_\w+", text))
        given = " ".join(f"{name}={name.removeprefix('COMMAND_').lower()}" for name in names)
        return [
            (f"export {given}", "says which commands are the tasks: yours"),
            (f"sudo --preserve-env sh {shlex.quote(str(place))}", "starts them"),
            (f"sudo pkill -TERM -f {shlex.quote(_exactly(f'sh {place}'))}", "stops them; nothing is installed"),
        ]
    if format_ == "rt-app":
        return [
            ("command -v rt-app", "rt-app has to be installed"),
            (f"sudo rt-app {shlex.quote(str(place))}", "starts the tasks; logs go into this folder"),
            ("sudo pkill -TERM -x rt-app", "stops them; nothing is installed"),
        ]
    return []


def _exactly(command: str) -> str:
    """An extended regular expression for this command line, as `pkill` reads it."""
    return "^" + re.sub(r"[][().*+?{}|^$\\]", r"\\\g<0>", command) + "$"
