"""`schedlab crosscheck`: schedlab's results beside another tool's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from schedlab.base.files import writing_whole
from schedlab.cli.shared.files import Command, FileOf
from schedlab.cli.shared.options import FILE, json_option, names, print_answer, progress, table
from schedlab.cli.shared.screen import Styled
from schedlab.crosscheck import Crosscheck


@click.command("crosscheck", cls=Command)
@click.argument("files", type=FILE, nargs=-1, required=True, metavar="FILE.jsonl[.gz]...")
@click.option(
    "--emit", type=FileOf(".jsonl"), help='Write {"id", "results"} per record, with our own values under the same keys.'
)
@click.option("--id", "ids", metavar="ID[,ID...]", help="Only these records.")
@click.option("--tests", metavar="NAME[,NAME...]", help="Only these tests, such as edf_qpa or srt.da_x.")
@click.option(
    "--first", type=click.IntRange(min=0), default=5, show_default=True, help="Disagreements to list per test."
)
@json_option
def command(
    files: tuple[Path, ...], emit: Path | None, ids: str | None, tests: str | None, first: int, as_json: bool
) -> int:
    """Compute what the records of each FILE hold and compare it key by key.

    The format is described in docs/crosscheck.md. Keys that schedlab does not compute are counted as
    skipped, disagreements that docs/peers.md proves to be the other tool's as theirs. Exit status 1 if anything
    else disagrees.
    """
    chosen_ids, chosen_tests = names(ids), names(tests)
    run = Crosscheck(ids=chosen_ids, tests=chosen_tests)
    with progress("cross-checking", quiet=as_json) as report:
        if emit is None:
            for _ in run.over(files, report):
                pass
        else:
            with writing_whole(emit) as stream:
                for record in run.over(files, report):
                    stream.write(json.dumps(record, separators=(",", ":")) + "\n")
    if as_json:
        print_answer("crosscheck", **run.summary(first))
    else:
        _print(run, first)
    return int(run.disagreements > 0)


def _print(run: Any, first: int) -> None:
    rows = table("cross-check", "family", "test", "agree", "disagree", "theirs", "skipped")
    for row in run.summary(first)["tests"]:
        colour = "red" if row["disagree"] else "green" if row["agree"] else "dim"
        rows.row(
            row["family"],
            Styled(row["test"], colour),
            *(str(row[column]) for column in ("agree", "disagree", "theirs", "skipped")),
        )
    rows.print()
    for found in run.first_disagreements(first):
        click.echo(f"{found.id} {found.test}: theirs {found.theirs}, ours {found.ours}{found.note}")
        click.echo(f"  replay: {found.replay}")
