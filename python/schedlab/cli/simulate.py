"""`schedlab simulate`: what a simulated machine does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from schedlab.cli.experience import print_metrics, print_next_of
from schedlab.cli.options import (
    FILE,
    json_option,
    policies_of,
    policies_option,
    print_answer,
    print_supertasks,
    progress,
    read_scenario,
    scenario_options,
    schedulers_option,
    strict_option,
    write_output,
)
from schedlab.cli.timeline import folded
from schedlab.errors import BadInput


@click.command("simulate")
@scenario_options
@schedulers_option()
@policies_option
@click.option("--trace", "trace", type=FILE, help="Write the trace to this file.")
@click.option(
    "--draw",
    type=click.Choice(["text", "svg"]),
    is_flag=False,
    flag_value="text",
    help="Draw the beginning of the schedule: as text, or as SVG alone.",
)
@click.option("--until", metavar="TIME", help='Draw until here, such as "500 ms".')
@click.option("--out", "-o", type=FILE, help="Write the drawing here instead of standard output.")
@click.option("--details", is_flag=True, help="Counts, load and the overheads that were charged, too.")
@click.option("--no-check", is_flag=True, help="Do not check the invariants.")
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
    as_json: bool,
    strict: bool,
    **overrides: Any,
) -> int:
    """Simulate SCENARIO: whether deadlines were met, and what each task experienced."""
    if draw is None and (out is not None or until is not None):
        raise click.UsageError("--out and --until are for a drawing; use them with --draw text or --draw svg")
    machine = read_scenario(scenario, **overrides)
    given = [machine.under(one) for one in [*schedulers, *policies_of(policies)]] or [machine]
    alone = {"--trace": trace is not None, "--out": out is not None, "--draw svg": draw == "svg"}
    if len(given) > 1 and (refused := [option for option, wanted in alone.items() if wanted]):
        raise BadInput(f"{', '.join(refused)}: of one schedule; allowed with one scheduler")
    only_picture = draw == "svg" and out is None
    answers, fine = [], True
    for one in given:
        metrics, violated, drawn = _simulated(one, trace, draw, until, not no_check, as_json)
        fine = fine and not violated and not (strict and (metrics.misses or metrics.deadlocks))
        if as_json:
            charged = {"overheads_charged": one.overheads_charged}
            answers.append(metrics.to_dict() | charged | {"violated": [found.to_dict() for found in violated]})
        elif only_picture:
            write_output(drawn, None)
        else:
            print_metrics(metrics, violated, one, details)
            print_supertasks(one)
            if draw is not None:
                write_output(drawn if out is not None else folded(drawn), out)
    if as_json:
        print_answer("simulate", simulations=answers)
    elif not only_picture:
        print_next_of(metrics, trace, drawn=draw is not None)
    return int(not fine)


def _simulated(
    given: Any, trace: Path | None, draw: str | None, until: str | None, check: bool, quiet: bool
) -> tuple[Any, list[Any], str]:
    """What the tasks experienced, which invariants were violated, and the drawing."""
    from schedlab.simulation import measure, simulate

    with progress("simulating", quiet=quiet) as report:
        if trace is None and draw is None:
            metrics, checked = measure(given, check=check, progress=report)
            drawn = ""
        else:
            schedule = simulate(given, into=trace, progress=report)
            metrics, checked = schedule.metrics(), schedule.check() if check else []
            drawn = getattr(schedule, f"to_{draw}")(until=until or schedule.beginning_ns) if draw else ""
    return metrics, [found for found in checked if not found.holds], drawn
