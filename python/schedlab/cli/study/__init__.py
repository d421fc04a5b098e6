"""`schedlab study`: list, run and plot studies; each is one file, the paper's or the user's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from schedlab.cli.shared.options import json_option, print_answer
from schedlab.cli.study.gallery import gallery_command
from schedlab.cli.study.plot import plot_command
from schedlab.cli.study.run import run_command
from schedlab.cli.study.status import status_command
from schedlab.studies import Study, list_studies


@click.group(name="study")
def command() -> None:
    """List, run and plot studies: a paper's figure, or a grid of your own.

    A study is one file: a grid of points, how to evaluate a task set, a plot, and the source's claims.
    Name one of the list, or give the path of your own file (*.py).
    """


@command.command("list")
@json_option
def list_command(as_json: bool) -> None:
    """The studies that come with schedlab."""
    studies = list_studies()
    if as_json:
        print_answer("study list", studies=[_describe(study, path) for study, path in studies])
        return
    width = max((len(study.name) for study, _ in studies), default=0)
    for study, _ in studies:
        click.echo(f"{study.name:<{width}}  {study.title}")


for one in (run_command, plot_command, gallery_command, status_command):
    command.add_command(one)


def _describe(study: Study, path: Path) -> dict[str, Any]:
    return {
        "name": study.name,
        "title": study.title,
        "source": study.source,
        "points": len(study.points),
        "sets": study.sets,
        "full_sets": study.sets if study.fixed_sets else study.full_sets,
        "file": str(path),
    }
