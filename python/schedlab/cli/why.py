"""`schedlab why`: a response time, split into parts."""

from __future__ import annotations

from pathlib import Path

import click

from schedlab.cli.options import FILE, json_option, print_answer


@click.command("why")
@click.argument("trace", type=FILE)
@click.argument("job", metavar="JOB")
@json_option
def command(trace: Path, job: str, as_json: bool) -> int:
    """Explain the response time of JOB (such as T3J7) in TRACE: parts that sum to it exactly."""
    from schedlab.schedule import Schedule

    schedule = Schedule.read(trace)
    if as_json:
        print_answer("why", **schedule.why(job))
    else:
        click.echo(schedule.why_text(job), nl=False)
    return 0
