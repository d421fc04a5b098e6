"""`schedlab trace`: metrics, pictures and exports of one trace."""

from __future__ import annotations

from pathlib import Path

import click

from schedlab.cli.options import FILE, json_option, print_answer, write_output
from schedlab.cli.timeline import folded

FORMATS = ("summary", "records", "text", "svg", "tikz", "csv", "perfetto", "scenario")


@click.command("trace")
@click.argument("trace", type=FILE)
@click.option(
    "--format", "format_", type=click.Choice(FORMATS), default="summary", show_default=True, help="What to make."
)
@click.option("--out", "-o", type=FILE, help="Write here instead of standard output.")
@click.option("--from", "start", metavar="TIME", help='Draw from here on, such as "10 ms".')
@click.option("--until", metavar="TIME", help="Draw until here.")
@click.option("--lanes", type=click.Choice(["processors", "tasks"]), help="What a drawing has lanes for.")
@json_option
def command(
    trace: Path,
    format_: str,
    out: Path | None,
    start: str | None,
    until: str | None,
    lanes: str | None,
    as_json: bool,
) -> int:
    """Show TRACE: a summary, its records, a drawn schedule, or an export.

    `perfetto` is for ui.perfetto.dev, `csv` for spreadsheets, `svg` and `tikz` for papers, `scenario` is the
    scenario that the trace came from.
    """
    from schedlab.schedule import Schedule

    schedule = Schedule.read(trace)
    if as_json:
        print_answer("trace", header=schedule.header, **schedule.metrics().to_dict())
        return 0
    if format_ == "summary":
        from schedlab.cli.experience import print_metrics

        print_metrics(schedule.metrics(), [], schedule.scenario, details=True)
    elif format_ == "perfetto":
        write_output(schedule.to_perfetto(), out)
    elif format_ in ("text", "svg", "tikz"):
        options = {} if lanes is None else {"lanes": lanes}
        drawn = getattr(schedule, f"to_{format_}")(start=start, until=until, **options)
        write_output(folded(drawn) if format_ == "text" and out is None else drawn, out)
    elif format_ == "csv":
        write_output(schedule.to_csv(), out)
    elif format_ == "records":
        write_output(schedule.to_records(), out)
    else:
        write_output(schedule.header["scenario"], out)
    return 0
