"""`schedlab check`: named invariants over traces."""

from __future__ import annotations

import textwrap
from pathlib import Path

import click

from schedlab.cli.shared.files import Command
from schedlab.cli.shared.options import FILE, json_option, names, print_answer, print_supertasks, read_trace


@click.command("check", cls=Command)
@click.argument("traces", type=FILE, nargs=-1, required=True, metavar="TRACE...")
@click.option("--invariants", metavar="NAME[,NAME...]", help="Check only these invariants.")
@json_option
def command(traces: tuple[Path, ...], invariants: str | None, as_json: bool) -> int:
    """Check each TRACE against the universal invariants and those that its policy promises.

    Of a real run, also say who took processor time, and why deadlines were missed.

    Exit status 1 if any is violated.
    """
    schedules = {str(path): read_trace(path) for path in traces}
    results = {path: schedule.check(names(invariants)) for path, schedule in schedules.items()}
    if as_json:
        print_answer("check", traces={path: [one.to_dict() for one in checks] for path, checks in results.items()})
    else:
        for path, checks in results.items():
            click.echo(f"{path}:")
            if partial := schedules[path].header.get("partial"):
                click.echo(f"  partial: {partial}")
            if error := schedules[path].header.get("measuring_error"):
                click.echo(f"  by the kernel's switches: {error}")
            if account := schedules[path].account:
                click.echo(textwrap.indent(account["text"], "  "), nl=False)
            print_supertasks(schedules[path].scenario)
            for found in checks:
                answer = "holds" if found.holds else "VIOLATED"
                click.echo(f"  {answer:9} {found.name}" + (f": {found.detail}" if found.detail else ""))
    return int(not all(found.holds for checks in results.values() for found in checks))
