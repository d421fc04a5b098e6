"""`schedlab study gallery`: the site of all figures and claims, from stored results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from schedlab.cli.options import json_option, print_answer
from schedlab.outputs.studies import PaperClaims

_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command("gallery")
@click.option(
    "--out",
    "-o",
    type=_FOLDER,
    default=Path("out/gallery"),
    show_default=True,
    help="Folder of the site; its index.html is the first page.",
)
@click.option(
    "--results",
    type=_FOLDER,
    default=Path("out/studies"),
    show_default=True,
    help="Folder in which `schedlab study run` stored results.",
)
@json_option
def gallery_command(out: Path, results: Path, as_json: bool) -> None:
    """Build a site of every figure and table of the papers, with their claims; runs nothing.

    What is not stored is shown as not run, and what no study redraws as missing.
    """
    from schedlab.gallery import write_gallery

    index, counts = write_gallery(results, out)
    if as_json:
        print_answer("study gallery", page=str(index), papers=counts)
        return
    click.echo(_table(counts), nl=False)
    click.echo(str(index))


def _table(counts: list[PaperClaims]) -> str:
    """The claims by paper, and how many figures are shown."""
    head = ("paper", "holds here", "does not", "not evaluated", "shown", "not run", "damaged", "missing")
    rows: list[tuple[str, ...]] = [head]
    for one in counts:
        numbers = (one["holds"], one["does_not_hold"], one["not_evaluated"])
        items = (one["shown"], one["not_run"], one["damaged"], one["missing"])
        rows.append((one["paper"], *map(str, numbers), *map(str, items)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(_line(row, widths) + "\n" for row in rows)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    name, *numbers = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
    return "  ".join([name.strip().ljust(widths[0]), *numbers])
