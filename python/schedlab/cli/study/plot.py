"""`schedlab study plot`: draw what is stored, and judge the source's claims by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from schedlab.base.files import write_whole
from schedlab.cli.shared.files import Command
from schedlab.cli.shared.options import json_option, print_answer
from schedlab.cli.study.chosen import chosen, confidence_option, out_option, set_option
from schedlab.show.plots import Look, drawn_as, headed
from schedlab.show.plots.intervals import at_confidence
from schedlab.studies import Study, read_results
from schedlab.studies.claims import told


@click.command("plot", cls=Command)
@click.argument("names", nargs=-1, metavar="[NAME|FILE]...")
@click.option("--all", "every", is_flag=True, help="Plot every study of the list.")
@click.option(
    "--fonts",
    type=click.Choice(["plain", "latex", "times"]),
    default="plain",
    show_default=True,
    help="Letters of the figures: those of LaTeX's papers, or of Times. LaTeX itself is not needed.",
)
@click.option("--greys", is_flag=True, help="Draw in greys, without colours.")
@confidence_option
@set_option
@out_option
@json_option
def plot_command(
    names: tuple[str, ...],
    every: bool,
    fonts: str,
    greys: bool,
    confidence: float | None,
    settings: dict[str, str],
    out: Path,
    as_json: bool,
) -> None:
    """Draw stored results and judge the source's claims by them; runs nothing."""
    answers = []
    with drawn_as(Look(fonts, greys)):
        for study, _ in chosen(names, every, settings):
            judged = plot_and_judge(study, out / study.folder, confidence, quiet=as_json)
            answers.append({"study": study.name, **judged})
    if as_json:
        print_answer("study plot", studies=answers)


def plot_and_judge(study: Study, directory: Path, confidence: float | None, *, quiet: bool) -> dict[str, Any]:
    """Draws, judges, stores the judgement beside the plot, and prints all of it unless quiet.

    Intervals are drawn with `confidence`, if it is given; claims are judged by the study's own. With other parameters
    than the source's, figures are headed by these, and no claim is judged.
    """
    results = read_results(directory)
    heading = f"{study.name}, but {study.changes}" if study.changes else ""
    with headed(heading), at_confidence(confidence) as chosen:
        plots = [str(path) for path in study.plot(results, directory)] if study.plot else []
    if confidence is not None and not chosen.was_used:
        click.echo(f"schedlab: {study.name}: --confidence changes nothing: no such interval is drawn", err=True)
    claims, not_judged = [], ""
    if study.claims and study.changes:
        not_judged = f"they are about the study's own parameters, and here is {study.changes}"
    elif study.claims:
        claims = list(study.claims(results))
    if claims:
        write_whole(directory / "claims.txt", told(claims))
    if not quiet:
        click.echo(told(claims), nl=False)
        if not_judged:
            click.echo(f"{study.name}: claims not judged: {not_judged}")
        for path in plots:
            click.echo(f"{study.name}: {path}")
    return {"plots": plots, "claims": [claim.as_dict() for claim in claims], "not_judged": not_judged}
