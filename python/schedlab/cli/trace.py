"""`schedlab trace`: metrics, pictures and exports of one trace."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from schedlab.cli.shared.experience import print_metrics
from schedlab.cli.shared.files import Command
from schedlab.cli.shared.options import FILE, json_option, print_answer, read_trace, write_output, write_pieces
from schedlab.cli.shared.pictures import DRAWINGS, ENDINGS, by_ending, drawn, lanes_option, window_options
from schedlab.errors import BadInput

FORMATS = ("summary", "records", *DRAWINGS, "csv", "perfetto", "scenario")

#: Formats that are written while the trace is read.
EXPORTS = ("csv", "perfetto")


@click.command("trace", cls=Command)
@click.argument("trace", type=FILE)
@click.option("--format", "format_", type=click.Choice(FORMATS), help="What to make; if not given, a summary.")
@click.option("--out", "-o", type=FILE, help="Write here, as the ending says: .svg, .png, .pdf, .tex, .txt, .csv.")
@window_options
@lanes_option
@json_option
def command(
    trace: Path,
    format_: str | None,
    out: Path | None,
    lanes: str | None,
    as_json: bool,
    **shown: Any,
) -> int:
    """Show TRACE: a summary, its records, a drawn schedule, or an export.

    `perfetto` is for ui.perfetto.dev, `csv` for spreadsheets, `svg`, `pdf` and `tikz` for papers, `scenario` is the
    scenario that the trace came from. Pictures show the first hyperperiod or the first 100 jobs; --from, --until,
    --jobs and --around show another part, of the records too. `schedlab view` shows all of it.
    """
    schedule = read_trace(trace, quiet=format_ not in (None, "summary"))
    if as_json:
        print_answer("trace", header=schedule.header, **schedule.metrics().to_dict())
        return 0
    chosen = by_ending(format_, out)
    if out is not None and chosen in (None, "summary"):
        raise BadInput(f"{out}: its ending does not say what to make; use --format, or end it in {', '.join(ENDINGS)}")
    if chosen in DRAWINGS:
        write_output(drawn(schedule, chosen, out, lanes=lanes, **shown), out)
    elif lanes is not None:
        raise BadInput("--lanes is for a drawing; use it with --format svg, or --out a.svg")
    elif chosen == "records":
        write_pieces(partial(schedule.export, chosen, **shown), out, text=True)
    elif given := [name for name, value in shown.items() if value is not None]:
        raise BadInput(
            f"--{given[0].replace('start', 'from')} is for drawings and records; "
            "use it with --format text or records, or --out a.svg"
        )
    elif chosen in (None, "summary"):
        print_metrics(schedule.metrics(), [], schedule.scenario, details=True)
    elif chosen in EXPORTS:
        write_pieces(partial(schedule.export, chosen), out, text=chosen != "perfetto")
    else:
        write_output(schedule.header["scenario"], out)
    return 0
