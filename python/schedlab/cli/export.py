"""`schedlab export`: a scenario as settings of Linux's own schedulers, or in another tool's format."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from schedlab.base.files import make_folder, write_whole
from schedlab.cli.shared.files import Command, expect_ending
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
from schedlab.errors import BadInput

if TYPE_CHECKING:
    from schedlab.outputs.answers import Exported

#: Formats of other tools, which hold less than a scenario.
TASK_SETS = ("schedcat", "simso", "csv")

#: The endings of each format's files; systemd gets a folder.
ENDINGS = {
    "threads": (".sh", ".h", ".hpp"),
    "sched_deadline": (".sh",),
    "rt-app": (".json",),
    "schedcat": (".xml",),
    "simso": (".xml",),
    "csv": (".csv",),
    "toml": (".toml",),
}

FORMATS = ("threads", "systemd", "sched_deadline", "rt-app", *TASK_SETS, "toml")

#: What `threads` writes into a file with another ending than a script's.
HEADERS = {".h": "threads.h", ".hpp": "threads.hpp"}


@click.command("export", cls=Command)
@click.argument("format_", metavar="FORMAT", type=click.Choice(FORMATS))
@scenario_options
@scheduler_option()
@click.option("--out", "-o", type=FILE, help="File, or for systemd a folder of services; else standard output.")
@click.option(
    "--unproved",
    is_flag=True,
    help="Write settings of Linux although the deadlines are not proved to be met; the file says so.",
)
@json_option
def command(
    format_: str,
    scenario: Path,
    scheduler: str | None,
    out: Path | None,
    unproved: bool,
    as_json: bool,
    **overrides: Any,
) -> int:
    """Write SCENARIO in FORMAT: threads, systemd, sched_deadline, rt-app (what stock Linux can run by
    itself), schedcat, simso, csv or toml.

    threads is for tasks that are threads of one program: a script that sets running threads by their names (-o FILE.sh,
    and without -o), or a header with a function that starts each thread, for C (-o FILE.h) or C++ (-o FILE.hpp).

    Stock Linux runs fixed priorities (SCHED_FIFO) and G-EDF (SCHED_DEADLINE). Its mutexes are the protocols pip and
    ipcp, for tasks of one processor. What it would do otherwise than SCENARIO says is refused, and so are tasks that
    are not proved schedulable. What the format cannot say is printed on standard error, and stands in comments of
    files for Linux. With --out, the commands that install, start and undo it follow.
    """
    if out is not None and str(out) != "-" and format_ in ENDINGS:
        expect_ending(out, *ENDINGS[format_])
        if format_ == "threads" and out.suffix not in ENDINGS[format_]:
            raise BadInput(f"{out}: its ending does not say what to write; allowed: {', '.join(ENDINGS[format_])}")
        if format_ == "threads" and out.name == "threads.h":
            raise BadInput(f"{out}: C has a header of this name, which the program needs too; allowed: another name")
    given = read_scenario(scenario, quiet=True, scheduler=scheduler, **overrides)
    if unproved and format_ in (*TASK_SETS, "toml"):
        raise BadInput(
            f"--unproved: {format_} promises nothing; allowed with threads, systemd, sched_deadline and rt-app"
        )
    written = HEADERS.get(out.suffix, format_) if format_ == "threads" and out is not None else format_
    exported = given.exported(written, unproved=unproved)
    if as_json:
        print_answer("export", **exported)
        return 0
    text = exported["text"]
    proof = exported["proof"]
    if proof is not None:
        proved = "all deadlines are proved to be met" if proof["proved"] else "NOT PROVED, deadlines may be missed"
        print(f"schedlab: {proved}: {proof['verdict']}", file=sys.stderr)
    # For Linux, these lines are sentences; some are demands on the machine.
    told = f"not in {format_}: " if format_ in TASK_SETS else ""
    for line in exported["lost"]:
        print(f"schedlab: {told}{line}", file=sys.stderr)
    if out is None or str(out) == "-":
        write_output(text, out)
        return 0
    for said, why in _steps(format_, text, out, _write(exported, out)):
        print_next(said, why)
    return 0


def _write(exported: Exported, out: Path) -> list[str]:
    """Writes the answer, for systemd a file for each service into a folder; returns the names of the services."""
    if exported["to"] != "systemd":
        write_output(exported["text"], out)
        return []
    make_folder(out)
    for name, unit in exported["services"].items():
        write_whole(out / name, unit)
    return list(exported["services"])


def _steps(format_: str, text: str, out: Path, services: Iterable[str]) -> list[tuple[str, str]]:
    """Returns the commands that install, start and undo a file for stock Linux; none for other tools' files."""
    place = out.resolve()
    if format_ == "systemd":
        files = shlex.join(str(place / name) for name in services)
        units = " ".join(services)
        return [
            (f"sudo systemctl link {files}", "installs; refuses names that are taken"),
            (f"sudo systemctl start {units}", "starts /usr/local/bin/..., or what you write in ExecStart"),
            (f"sudo systemctl disable --now {units}", "stops and removes them"),
        ]
    if format_ == "threads":
        return _of_threads(place)
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


def _of_threads(place: Path) -> list[tuple[str, str]]:
    """Returns the commands that try and apply a script for running threads, or compile a program with a header."""
    file = shlex.quote(str(place))
    if place.suffix == ".sh":
        return [
            (f"sh {file} --dry-run PID", "says what it would set in your program, the process PID"),
            (f"sudo sh {file} PID", "sets the threads; once more does no harm"),
            ("sudo chrt --all-tasks --other --pid 0 PID", "takes the policies back; processors stay as they are"),
        ]
    language = "cc -std=c11" if place.suffix == ".h" else "c++ -std=c++17"
    given = "-D THREADS_DEFINE " if place.suffix == ".h" else ""
    kind = "c" if place.suffix == ".h" else "cpp"
    return [
        (f"{language} -O2 -pthread {given}-include {file} YOURS.{kind} -o YOURS", "compiles a program of one file"),
        ("sudo ./YOURS", "runs it"),
    ]


def _exactly(command: str) -> str:
    """Returns an extended regular expression for this command line, as `pkill` reads it."""
    return "^" + re.sub(r"[][().*+?{}|^$\\]", r"\\\g<0>", command) + "$"
