"""`schedlab why`: a response time, split into parts."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from schedlab.base.durations import exact_duration
from schedlab.cli.shared.files import Command, in_a_shell
from schedlab.cli.shared.options import FILE, json_option, print_answer, print_next, read_trace


@click.command("why", cls=Command)
@click.argument("trace", type=FILE)
@click.argument("job", nargs=-1, metavar="[JOB|TASK [NUMBER]]")
@json_option
def command(trace: Path, job: tuple[str, ...], as_json: bool) -> int:
    """Explain the response time of a job in TRACE: parts that sum to it exactly.

    The job is named by its id (T3J7), or by its task and its number (control 3). A task alone
    (control, or T3) stands for its worst job. Without any, it is the worst of all: the latest, or the one that came
    closest to its deadline.
    """
    found, text = read_trace(trace).explained(" ".join(job) or None)
    if as_json:
        print_answer("why", **found)
        return 0
    click.echo(text, nl=False)
    window = ("--from", exact_duration(found["arrival_ns"]), "--until", exact_duration(found["end_ns"]))
    print_next(
        shlex.join(["schedlab", "trace", in_a_shell(trace), "--format", "text", *window]), "the schedule meanwhile"
    )
    return 0
