"""`schedlab generate`: random task sets."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from schedlab.base.defaults import NO_ACCESSES, NO_PROTOCOL, NO_UTILITY, SCHEDULER
from schedlab.base.files import make_folder, write_whole
from schedlab.cli.shared.editors import SCENARIO_SCHEMA, schema_line, write_schema
from schedlab.cli.shared.files import Command, expect_ending
from schedlab.cli.shared.options import FILE, json_option, print_answer, scheduler_option, write_output
from schedlab.core.scenario import Scenario
from schedlab.core.workload import generate
from schedlab.errors import BadInput

FORMATS = {"toml": ".toml", "csv": ".csv", "schedcat": ".xml", "simso": ".xml"}


@click.command("generate", cls=Command)
@click.option(
    "--utilizations",
    metavar="SPEC",
    help="How utilizations are drawn, such as uniform-light, exponential-heavy, bimodal-medium, uunifast-discard, "
    "randfixedsum or bounded-sum (`schedlab schema names` lists them). If not given, uniform-medium, or randfixedsum "
    "where --tasks and --utilization are.",
)
@click.option(
    "--periods",
    metavar="SPEC",
    default="uniform 10ms 100ms",
    show_default=True,
    help='How periods are drawn, such as "uniform 10ms 100ms", "log-uniform 1ms 1s" or "automotive angle-dropped".',
)
@click.option(
    "--deadlines",
    metavar="NAME",
    default="implicit",
    show_default=True,
    help="How relative deadlines are drawn, such as constrained (`schedlab schema names` lists them).",
)
@click.option(
    "--stop",
    metavar="RULE",
    help='When a set is complete: "trim 4" trims the last task to the exact total (2006). Others: "discard-at-cap 4 '
    'max-tasks 100" (2008), "discard-above 4" (2011), "tasks 20", "tasks 20 total 3.2".',
)
@click.option("--utilization", "-u", metavar="RATIO", help='Total utilization: short for --stop "trim RATIO".')
@click.option(
    "--tasks",
    "-n",
    type=click.IntRange(min=1),
    help='Number of tasks: short for --stop "tasks N", with --utilization for "tasks N total RATIO".',
)
@click.option(
    "--processors", "-m", type=click.IntRange(min=1), default=4, show_default=True, help="Number of processors."
)
@scheduler_option(SCHEDULER)
@click.option(
    "--accesses",
    metavar="SPEC",
    default=NO_ACCESSES,
    show_default=True,
    help='Critical sections: "independent 4 0.25 short" (resources, probability, length; 2020), where a WCET shorter '
    'than its sections grows to their length. Or "shared 5 1 4 14us" (most accesses, degree of sharing, processors, '
    "greatest length; 2008).",
)
@click.option(
    "--utility",
    metavar="SPEC",
    default=NO_UTILITY,
    show_default=True,
    help='What completions are worth: "uniform 1 10" (heights of steps) or "by-cost 1 10" (times the WCET in '
    "milliseconds). With `linear` after it, a line falls to 0 at the deadline.",
)
@click.option(
    "--protocol", metavar="NAME", default=NO_PROTOCOL, show_default=True, help="Locking protocol of the scenario."
)
@click.option(
    "--seed",
    type=click.IntRange(min=0, max=2**64 - 1),
    default=1,
    show_default=True,
    help="Seed of everything that is random.",
)
@click.option(
    "--sets",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Number of task sets; set k has stream k of the seed.",
)
@click.option(
    "--format", "format_", type=click.Choice(list(FORMATS)), default="toml", show_default=True, help="File format."
)
@click.option("--out", "-o", type=FILE, help="File, or folder if --sets is more than 1; else standard output.")
@click.option(
    "--schema",
    "for_editor",
    is_flag=True,
    help=f"Write {SCENARIO_SCHEMA} beside the output, and begin each scenario with the line by which editors find it.",
)
@json_option
def command(format_: str, out: Path | None, sets: int, for_editor: bool, as_json: bool, **options: Any) -> int:
    """Generate random task sets: the same seed gives the same bytes on every machine."""
    if for_editor and (out is None or str(out) == "-" or format_ != "toml" or as_json):
        raise BadInput("--schema is for scenarios in files, which editors open: it needs --out, and --format toml")
    if out is not None and sets == 1:
        expect_ending(out, FORMATS[format_])
    options["scheduler"] = options["scheduler"] or SCHEDULER
    rule = _rule(options.pop("stop"), options.pop("utilization"), options.pop("tasks"))
    made = [generate(**options, stop=rule, index=index) for index in range(sets)]
    for lost in dict.fromkeys(line for scenario in made for line in scenario.losses(format_)):
        print(f"schedlab: not in {format_}: {lost}", file=sys.stderr)
    if as_json:
        print_answer("generate", task_sets=[scenario.to_dict() for scenario in made])
    elif len(made) == 1:
        write_output(_text(made[0], format_, for_editor), out)
        if for_editor and out is not None:
            write_schema("scenario", out.parent / SCENARIO_SCHEMA)
    elif out is None:
        raise BadInput("several task sets need a folder: use --out FOLDER")
    else:
        make_folder(out)
        width = len(str(sets - 1))
        for index, scenario in enumerate(made):
            write_whole(out / f"set-{index:0{width}}{FORMATS[format_]}", _text(scenario, format_, for_editor))
        if for_editor:
            write_schema("scenario", out / SCENARIO_SCHEMA)
        click.echo(f"{sets} task sets in {out}")
    return 0


def _text(scenario: Scenario, format_: str, for_editor: bool) -> str:
    """Returns the scenario in a format, below the line that names its schema if an editor is to find that."""
    head = f"{schema_line(SCENARIO_SCHEMA)}\n" if for_editor else ""
    return head + scenario.export(format_)


def _rule(stop: str | None, utilization: str | None, tasks: int | None) -> str:
    """Returns the stopping rule that the options state."""
    if stop is not None:
        if utilization is not None or tasks is not None:
            raise click.UsageError("--stop says all that --utilization and --tasks would say")
        return stop
    if tasks is not None:
        return f"tasks {tasks}" + (f" total {utilization}" if utilization is not None else "")
    return f"trim {utilization if utilization is not None else 2}"
