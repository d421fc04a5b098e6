"""`schedlab observe`: a running program as a scenario."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import click

from schedlab.cli.shared.files import Command, FileOf
from schedlab.cli.shared.options import json_option, print_answer, write_output
from schedlab.core.scenario import Scenario
from schedlab.errors import BadInput
from schedlab.runtime import observe


@click.command("observe", cls=Command, context_settings={"ignore_unknown_options": True})
@click.option("--pid", type=click.IntRange(min=1), help="A process that runs already.")
@click.option(
    "--duration", metavar="TIME", default="5 s", show_default=True, help="How long; a command may end earlier."
)
@click.option("--out", "-o", type=FileOf(".toml"), help="Where to write the scenario; else standard output.")
@json_option
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]")
def command(pid: int | None, duration: str, out: Path | None, as_json: bool, program: tuple[str, ...]) -> int:
    """Turn the context switches of a running program into a scenario: a task for each thread.

    Periods are those that the program states by its timers, or estimated from wake-ups; costs are what was observed
    and no WCETs. The scenario's notes say how sure each number is, and what could not be seen. A thread whose numbers
    make no sense is refused, with the reason; status 1 says that nothing is left. Needs CAP_PERFMON or root. Give a
    process by --pid, or a command after --; what the command prints goes to standard error.
    """
    if (pid is None) == (not program):
        raise BadInput("observe either a process by --pid PID, or a command: schedlab observe -- COMMAND")
    whom = ["--pid", str(pid)] if pid is not None else ["--", *program]
    status, text = observe(["--duration", duration, *whom])
    if not text:
        return status
    notes = tomllib.loads(text)["notes"].splitlines()
    if as_json:
        print_answer("observe", scenario=Scenario.parse(text).to_dict(), notes=notes)
    if out or not as_json:
        write_output(text, out)
    if out:
        print("\n".join(notes), file=sys.stderr)
    return status
