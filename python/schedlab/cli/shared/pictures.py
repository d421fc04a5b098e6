"""Options for the part of a schedule that is shown, and the format by the ending of a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from schedlab.cli.shared.screen import width
from schedlab.cli.shared.what_if import stacked
from schedlab.show.pictures import picture

#: Kinds of drawings, as text or as a file.
DRAWINGS = ("text", "svg", "tikz", "png", "pdf")

#: The format by the ending of a file.
ENDINGS = {".svg": "svg", ".png": "png", ".pdf": "pdf", ".tex": "tikz", ".txt": "text", ".csv": "csv"}


#: Options for the part of a schedule that is shown.
window_options = stacked(
    click.option("--from", "start", metavar="TIME", help='Show what happens from here on, such as "10 ms".'),
    click.option("--until", metavar="TIME", help="Show what happens up to this time."),
    click.option("--around", metavar="JOB", help='Show a job: "T2J0", "control 3", or a task: its worst job.'),
    click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Show this many jobs."),
)

lanes_option = click.option(
    "--lanes", type=click.Choice(["processors", "tasks"]), help="Draw a lane for each of these."
)


def by_ending(given: str | None, out: Path | None) -> str | None:
    """Returns the format: the ending of a picture's file decides, because it is opened by that; else `given`."""
    ending = None if out is None else ENDINGS.get(out.suffix.lower())
    return ending if given is None or (given in DRAWINGS and ending in DRAWINGS) else given


def drawn(schedule: Any, kind: str, out: Path | None, **shown: Any) -> str | bytes:
    """Draws a picture; text for a terminal fits it, and text that goes elsewhere is never folded."""
    return picture(schedule, kind, width=width() if out is None and sys.stdout.isatty() else None, **shown)
