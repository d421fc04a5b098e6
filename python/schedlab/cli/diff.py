"""`schedlab diff`: where two traces differ first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from schedlab.base.durations import exact_duration
from schedlab.cli.shared.files import Command
from schedlab.cli.shared.options import FILE, json_option, print_answer, read_trace
from schedlab.cli.shared.screen import say
from schedlab.cli.view import page_options, show, write_page
from schedlab.errors import BadInput
from schedlab.show.report import write_timelines


@click.command("diff", cls=Command)
@click.argument("first", type=FILE, metavar="A")
@click.argument("second", type=FILE, metavar="B")
@click.option(
    "--tolerance", metavar="TIME", default="0 ns", help='Times that differ by less are the same, such as "50 us".'
)
@click.option("--page", is_flag=True, help="Also write a page with both timelines, at the difference.")
@page_options
@click.option("--strict", is_flag=True, help="Exit with status 1 if they differ.")
@json_option
def command(
    first: Path,
    second: Path,
    tolerance: str,
    page: bool,
    out: Path | None,
    opened: bool | None,
    strict: bool,
    as_json: bool,
) -> int:
    """Say where the traces A and B differ first: when, on which processor, and what each does from then on.

    Real runs differ from simulations by microseconds: --tolerance says how much is no difference.
    """
    both = [read_trace(first), read_trace(second)]
    names = [first.name, second.name] if first.name != second.name else [str(first), str(second)]
    found = both[0].difference(both[1], tolerance)
    told = in_words(found, names, both)
    written = None
    if page or out is not None:
        if first == second:
            raise BadInput(f"{first} and {second} are one file; allowed: two traces")
        both_by_name = dict(zip(names, both, strict=True))
        written = out or Path(f"{first.stem}-{second.stem}.html")
        write_page(written, lambda place: write_timelines(both_by_name, place, difference=found, told=told[0]))
    if as_json:
        print_answer("diff", traces=[str(first), str(second)], page=None if written is None else str(written), **found)
    else:
        for line in told:
            say(line)
        if written is not None:
            show(written, opened)
    return int(strict and (found["schedule"] or found["record"]) is not None)


def in_words(found: Mapping[str, Any], names: Sequence[str], both: Sequence[Any]) -> list[str]:
    """Returns a sentence about the schedules, then the records that differ."""
    schedule, record = found["schedule"], found["record"]
    if schedule is None and record is None:
        return [f"{names[0]} and {names[1]} hold the same records"]
    if schedule is None:
        sentences = [f"{names[0]} and {names[1]} hold the same schedule; their records differ"]
    else:
        does = [
            f"{occupant_in_words(occupant, one.scenario)} in {name}"
            for occupant, one, name in zip(schedule["occupants"], both, names, strict=True)
        ]
        place = f"from {exact_duration(schedule['at_ns'])} on, on cpu {schedule['cpu']}"
        sentences = [f"the schedules differ {place}: {does[0]}, {does[1]}"]
    if record is not None:
        sentences.append(f"the first record that differs is number {record['number']}:")
        for name, line in zip(names, record["lines"], strict=True):
            sentences.append(f"  {name}: {line or 'ends before it'}")
    return sentences


def occupant_in_words(occupant: Mapping[str, Any] | None, scenario: Any) -> str:
    """Returns what a processor does: a job of a task of `scenario`, overhead, or nothing."""
    if occupant is None:
        return "no job"
    if "overhead" in occupant:
        return f"overhead ({occupant['overhead'].replace('_', ' ')})"
    names = scenario.tasks["name"]
    return f"{names[occupant['task']]}'s job {occupant['job']} (T{occupant['task']}J{occupant['job']})"
