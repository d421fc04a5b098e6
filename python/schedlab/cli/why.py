"""`schedlab why`: a response time, split into parts."""

from __future__ import annotations

from pathlib import Path

import click

from schedlab.cli.options import FILE, duration, json_option, print_json


@click.command("why")
@click.argument("trace", type=FILE)
@click.argument("job", metavar="JOB")
@json_option
def command(trace: Path, job: str, as_json: bool) -> int:
    """Explain the response time of JOB (such as T3J7) in TRACE: parts that sum to it exactly."""
    from schedlab.schedule import Schedule

    found = Schedule.read(trace).why(job)
    if as_json:
        print_json(found)
        return 0
    click.echo(f"{found['job']}: response time {duration(found['response_time_ns'])}")
    for part in found["parts"]:
        click.echo(f"  {duration(part['duration_ns']):>12}  {part['description']}")
    return 0
