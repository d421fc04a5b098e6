"""`schedlab study gallery`: the site of all figures and claims, from stored results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from schedlab.cli.shared.options import json_option, print_answer, table
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
    # The site needs jinja2, which is slow to import; the other commands of studies do not.
    from schedlab.gallery import write_gallery

    index, counts = write_gallery(results, out)
    if as_json:
        print_answer("study gallery", page=str(index), papers=counts)
        return
    _print(counts)
    click.echo(str(index))


def _print(counts: list[PaperClaims]) -> None:
    """Prints the sentences by paper and answer, and how many figures are shown."""
    columns = {
        "holds here": "holds", "does not": "does_not_hold",
        "indistinguishable": "indistinguishable", "not evaluated": "not_evaluated", "shown": "shown",
        "not run": "not_run", "damaged": "damaged", "missing": "missing",
    }  # fmt: skip
    rows = table("", "paper", *columns)
    for one in counts:
        numbers: Mapping[str, Any] = one
        rows.row(one["paper"], *(str(numbers[name]) for name in columns.values()))
    rows.print()
