"""`schedlab measure`: this machine's overheads, as a file and a page."""

from __future__ import annotations

from pathlib import Path

import click
from click.core import ParameterSource

from schedlab.base.files import expect_folder
from schedlab.cli.shared.files import Command, FileOf
from schedlab.cli.shared.options import json_option, passed_on, print_answer, schedulers_option
from schedlab.runtime import measure


@click.command("measure", cls=Command)
@click.argument("what", required=False, type=click.Choice(["objects"]))
@click.option("--quick", is_flag=True, help="Measure little of everything, in about a minute.")
@schedulers_option("eight of them are measured")
@click.option("--protocols", metavar="NAME[,NAME...]", help="Locking protocols to measure. If not given, all.")
@click.option(
    "--out",
    "-o",
    type=FileOf(".toml"),
    default=Path("overheads.toml"),
    show_default=True,
    help="The overheads file to write.",
)
@click.option("--largest", is_flag=True, help="Write the largest values as `max`, also those that do not repeat.")
@click.option("--afresh", is_flag=True, help="Forget what an earlier measurement left beside the file.")
@json_option
def command(
    what: str | None,
    quick: bool,
    schedulers: list[str],
    protocols: str | None,
    out: Path,
    largest: bool,
    afresh: bool,
    as_json: bool,
) -> int:
    """Measure this machine's overheads: dispatching by scheduler and number of tasks, caches, locks, calls.

    Writes an overheads file for `--overheads`, the measurements beside it (.jsonl), and a page of plots (.html). Prints
    their paths, the page last. An interrupted measurement goes on where it was. Needs
    real-time priorities. Takes some twenty minutes, or about one with --quick.

    `schedlab measure objects` prints instead what operations on shared buffers, queues and heaps cost, beside what
    people use. With --out it writes them as an overheads file. Takes some ten seconds, or three with --quick.
    """
    if what is not None:
        # Only `measure objects` needs it.
        from schedlab.cli.objects import measure_objects

        source = click.get_current_context().get_parameter_source
        others = ("schedulers", "protocols", "largest", "afresh", "as_json")
        given = [name for name in (*others, "out") if source(name) == ParameterSource.COMMANDLINE]
        return measure_objects(quick, out if "out" in given else None, [name for name in given if name != "out"])
    # The page needs pandas and matplotlib, which are slow to import.
    from schedlab.measurements import read_measurements, write_page

    named = ",".join(schedulers) or None
    options = passed_on(quick=quick, afresh=afresh, largest=largest, schedulers=named, protocols=protocols)
    expect_folder(out)
    status = measure(out, options, quiet=as_json)
    if status == 0:
        lines = out.with_suffix(".jsonl")
        page = write_page(read_measurements(lines), out.with_suffix(".html"))
        if as_json:
            print_answer("measure", overheads=str(out), measurements=str(lines), page=str(page))
        else:
            click.echo(str(page))
    return status
