"""`schedlab observe`: a running program, or a kernel trace, as a scenario."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import click

from schedlab.cli.shared.files import Command, FileOf, in_a_shell
from schedlab.cli.shared.options import FILE, json_option, print_answer, write_output
from schedlab.core.scenario import Scenario
from schedlab.errors import BadInput
from schedlab.runtime import observe, observe_file


@click.command("observe", cls=Command, context_settings={"ignore_unknown_options": True})
@click.option("--pid", type=click.IntRange(min=1), help="Watch this process, which runs already.")
@click.option("--duration", metavar="TIME", help="How long to watch; a command may end earlier. If not given, 5 s.")
@click.option("--file", type=FILE, help="Read this kernel trace instead of watching a program.")
@click.option("--trace", type=FILE, help="With --file: write its threads as a trace here, for view, why and diff.")
@click.option(
    "--unit", metavar="UNIT", help="With --file: the unit of stamps that lack one, such as ns or 2.45GHz (a counter)."
)
@click.option("--out", "-o", type=FileOf(".toml"), help="The file to write the scenario to; else standard output.")
@json_option
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]")
def command(
    pid: int | None,
    duration: str | None,
    file: Path | None,
    trace: Path | None,
    unit: str | None,
    out: Path | None,
    as_json: bool,
    program: tuple[str, ...],
) -> int:
    """Turn the context switches of a running program, or of a kernel trace, into a scenario: a task for each thread.

    Periods are those that the program states by its timers, or estimated from wake-ups; costs are what was observed
    and no WCETs. The scenario's notes say how sure each number is, and what could not be seen. A thread whose numbers
    make no sense is refused, with the reason; status 1 says that nothing is left. Give a process by --pid, a command
    after --, or a kernel trace by --file. Watching a program needs CAP_PERFMON or root; what a command prints goes to
    standard error.

    --file reads text of ftrace (/sys/kernel/tracing/trace, trace-cmd report) and of perf script, trace.dat (by
    trace-cmd, if it is installed), traces of Perfetto, and any of these packed by gzip; - is standard input. Record
    sched_switch and sched_wakeup, and also sched_pi_setprio and sched_migrate_task if you can. A file that is cut or
    damaged is read as far as it goes, and the notes say so.
    """
    if [pid is not None, bool(program), file is not None].count(True) != 1:
        raise BadInput(
            "observe either a process by --pid PID, a kernel trace by --file FILE, or a command: "
            "schedlab observe -- COMMAND"
        )
    if file is not None:
        if duration is not None:
            raise BadInput("--duration is for a program that is watched; a kernel trace is over")
        return _of_file(file, trace, unit, out, as_json)
    if given := [name for name, value in (("--trace", trace), ("--unit", unit)) if value is not None]:
        raise BadInput(f"{given[0]} is for a kernel trace; allowed with --file FILE")
    whom = ["--pid", str(pid)] if pid is not None else ["--", *program]
    status, text = observe(["--duration", duration or "5 s", *whom])
    if not text:
        return status
    notes = tomllib.loads(text)["notes"].splitlines()
    if as_json:
        print_answer("observe", scenario=Scenario.parse(text).to_dict(), notes=notes)
    _write(text, notes, out, as_json)
    return status


def _of_file(file: Path, trace: Path | None, unit: str | None, out: Path | None, as_json: bool) -> int:
    options = [*(("--trace", str(trace)) if trace else ()), *(("--unit", unit) if unit else ())]
    status, found = observe_file(file, options)
    if found is None:
        return status
    text, notes = found["scenario"], found["notes"]
    if as_json:
        scenario = None if text is None else Scenario.parse(text).to_dict()
        recording = found["recording"]
        print_answer("recording", scenario=scenario, notes=notes, recording=recording, trace=found["trace"])
    if text is not None:
        _write(text, notes, out, as_json)
    elif not as_json:
        print("\n".join(notes), file=sys.stderr)
    if trace is not None and not as_json:
        # Standard output may be the scenario.
        print(f"next: schedlab view {in_a_shell(trace)}  # which thread ran where", file=sys.stderr)
    return status


def _write(text: str, notes: list[str], out: Path | None, as_json: bool) -> None:
    if out or not as_json:
        write_output(text, out)
    if out:
        print("\n".join(notes), file=sys.stderr)
