"""`schedlab study`: list, run and plot studies; each is one file, the paper's or the user's own."""

from __future__ import annotations

import click

from schedlab.cli.shared.options import json_option, print_answer
from schedlab.cli.study.gallery import gallery_command
from schedlab.cli.study.plot import plot_command
from schedlab.cli.study.run import run_command
from schedlab.cli.study.show import described, show_command
from schedlab.cli.study.status import status_command
from schedlab.studies import list_studies


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
        print_answer("study list", studies=[described(study, path) for study, path in studies])
        return
    width = max((len(study.name) for study, _ in studies), default=0)
    for study, _ in studies:
        names = ", ".join(one.name for one in study.settable)
        click.echo(f"{study.name:<{width}}  {study.title}{f' [--set {names}]' if names else ''}")


for one in (show_command, run_command, plot_command, gallery_command, status_command):
    command.add_command(one)
