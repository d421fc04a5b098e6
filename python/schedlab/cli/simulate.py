"""`schedlab simulate`: what a simulated machine does."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from schedlab.cli.shared.experience import print_metrics, print_next_of
from schedlab.cli.shared.files import Command, FileOf
from schedlab.cli.shared.options import (
    FILE,
    json_option,
    policies_of,
    policies_option,
    print_answer,
    print_supertasks,
    progress,
    read_scenarios,
    scenario_options,
    schedulers_option,
    strict_option,
    write_output,
)
from schedlab.cli.shared.pictures import DRAWINGS, by_ending, drawn
from schedlab.cli.shared.statuses import DONE, FOUND, worst_of
from schedlab.cli.simulations import simulate_lines
from schedlab.core.simulation import measure, simulate
from schedlab.errors import BadInput

if TYPE_CHECKING:
    from schedlab.core.schedule import Schedule


@click.command("simulate", cls=Command)
@scenario_options
@schedulers_option()
@policies_option
@click.option("--trace", "trace", type=FileOf(".slt", ".trace"), help="Write the trace to this file.")
@click.option(
    "--draw",
    type=click.Choice(DRAWINGS),
    is_flag=False,
    flag_value="text",
    help="Draw the beginning of the schedule: as text beside the answer, or as a picture alone.",
)
@click.option("--until", metavar="TIME", help='Draw until here, such as "500 ms".')
@click.option(
    "--out",
    "-o",
    type=FILE,
    help="Write the drawing here, as the ending says: .txt, .svg, .png, .pdf, .tex; or with --jsonl the rows: .arrow, "
    ".parquet, .jsonl.",
)
@click.option("--details", is_flag=True, help="Also print counts, load and the overheads that were charged.")
@click.option("--no-check", is_flag=True, help="Do not check the invariants.")
@click.option(
    "--jsonl",
    is_flag=True,
    help="SCENARIO has one task set a line (`-`: standard input): simulate them on all processors, write one row each.",
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    help="With --jsonl: number of threads. If not given, one for each processor.",
)
@json_option
@strict_option
def command(
    scenario: Path,
    schedulers: list[str],
    policies: tuple[str, ...],
    trace: Path | None,
    draw: str | None,
    until: str | None,
    out: Path | None,
    details: bool,
    no_check: bool,
    jsonl: bool,
    threads: int | None,
    as_json: bool,
    strict: bool,
    **overrides: Any,
) -> int:
    """Simulate SCENARIO: whether deadlines were met, and what each task experienced."""
    if jsonl:
        of_one = {"--trace": trace, "--draw": draw, "--until": until, "--details": details}
        if refused := [option for option, given in {**of_one, "--json": as_json}.items() if given]:
            raise BadInput(f"{', '.join(refused)}: of one scenario; --jsonl writes one row for each line")
        chosen = [*schedulers, *policies_of(policies)]
        return simulate_lines(
            scenario, chosen, overrides, out=out, check=not no_check, threads=threads or 0, strict=strict
        )
    if threads is not None:
        raise BadInput("--threads goes with --jsonl: one simulation runs on one processor")
    draw = by_ending(draw, out)
    if draw == "csv":
        raise BadInput(f"{out}: a drawing does not end in .csv; allowed: .txt, .svg, .png, .pdf, .tex")
    if draw is None and out is not None:
        raise BadInput(f"{out}: no drawing ends so; allowed: .txt, .svg, .png, .pdf, .tex; --trace writes the trace")
    if draw is None and until is not None:
        raise click.UsageError("--until is for a drawing; use it with --draw")
    only_picture = draw not in (None, "text") and out is None
    given = read_scenarios(scenario, [*schedulers, *policies_of(policies)], quiet=only_picture, **overrides)
    alone = {"--trace": trace is not None, "--out": out is not None, f"--draw {draw}": draw not in (None, "text")}
    if len(given) > 1 and (refused := [option for option, wanted in alone.items() if wanted]):
        raise BadInput(f"{', '.join(refused)}: of one schedule; allowed with one scheduler")
    make = None if draw is None else partial(_drawn, kind=draw, out=out, until=until)
    answers, statuses = [], []
    for one in given:
        metrics, violated, picture = _simulated(one, trace, make, not no_check, as_json)
        is_late = strict and bool(metrics.misses or metrics.deadlocks)
        statuses.append(FOUND if violated or is_late else DONE)
        if as_json:
            charged = {"overheads_charged": one.overheads_charged, "overheads_unknown": one.overheads_unknown}
            placed = {"overflowed": one.overflowed}
            answers.append(metrics.to_dict() | charged | placed | {"violated": [found.to_dict() for found in violated]})
        elif only_picture:
            write_output(picture, None)
        else:
            print_metrics(metrics, violated, one, details)
            print_supertasks(one)
            if draw is not None:
                write_output(picture, out)
    if as_json:
        print_answer("simulate", simulations=answers)
    elif not only_picture:
        print_next_of(metrics, trace, drawn=draw is not None)
    return worst_of(statuses)


def _drawn(schedule: Schedule, kind: str, out: Path | None, until: str | None) -> str | bytes:
    """Draws the schedule; text beside an answer is short, any other picture is that of `schedlab trace`."""
    shortly = kind == "text" and until is None
    return drawn(schedule, kind, out, until=schedule.beginning_ns if shortly else until)


def _simulated(
    given: Any, trace: Path | None, make: Callable[[Any], str | bytes] | None, check: bool, quiet: bool
) -> tuple[Any, list[Any], str | bytes]:
    """Returns the metrics, the invariants that were violated, and the drawing."""
    with progress("simulating", quiet=quiet) as report:
        if trace is None and make is None:
            metrics, checked = measure(given, check=check, progress=report)
            picture: str | bytes = ""
        else:
            schedule = simulate(given, into=trace, progress=report)
            metrics, checked = schedule.metrics(), schedule.check() if check else []
            picture = "" if make is None else make(schedule)
    return metrics, [found for found in checked if not found.holds], picture
