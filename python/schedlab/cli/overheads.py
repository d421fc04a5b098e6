"""`schedlab overheads`: SchedCAT's tables of overheads as an overheads file."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from schedlab import _native
from schedlab.base.files import read_bytes
from schedlab.cli.shared.files import Command, FileOf
from schedlab.cli.shared.options import FILE, ignore_option, json_option, print_answer, write_output


@click.command("overheads", cls=Command)
@click.argument("tables", nargs=-1, required=True, type=FILE, metavar="FILE.csv...")
@click.option(
    "--out", "-o", type=FileOf(".toml"), metavar="FILE.toml", help="The file to write to; else standard output."
)
@ignore_option
@json_option
def command(tables: tuple[Path, ...], out: Path | None, ignore: list[str] | None, as_json: bool) -> int:
    """Turn SchedCAT's tables of overheads (by TASK-COUNT, and cache delays by WSS in KiB) into an overheads file.

    A file's name says which statistic its values are, as in `oh_host=a_scheduler=G-EDF_stat=avg.csv`: `avg`, or the
    largest. Tables of both can be given. Columns that nothing is charged for are refused; `--ignore overheads` lets
    them pass, and they are named on standard error.
    """
    text, lost = _native.import_overheads([(str(path), read_bytes(path)) for path in tables], ignore or [])
    for line in lost:
        print(f"schedlab: left out of {line}", file=sys.stderr)
    if as_json:
        print_answer("overheads", toml=text, lost=lost)
    if out is not None or not as_json:
        write_output(text, out)
    return 0
