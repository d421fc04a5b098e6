"""`schedlab study`: list, run and plot studies; each is one file, the paper's or the user's own."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from schedlab.cli.options import json_option, print_answer
from schedlab.cli.study_gallery import gallery_command
from schedlab.cli.study_status import said, status_command
from schedlab.errors import CannotRun
from schedlab.files import write_whole
from schedlab.studies import (
    Claim,
    RunReport,
    Study,
    StudyError,
    StudyInterrupted,
    find_study,
    list_studies,
    read_results,
    run_study,
)
from schedlab.studies.executor import Executor, local_executor, number_of_workers
from schedlab.studies.runner import sample_study
from schedlab.studies.status import Status, study_status

CANNOT_RUN, INTERRUPTED = 3, 130
DEFAULT_OUT = Path("out/studies")

_out = click.option(
    "--out",
    "-o",
    type=click.Path(file_okay=False, path_type=Path),
    default=DEFAULT_OUT,
    show_default=True,
    help="Folder of the results: each study has its own folder in it.",
)


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


@command.command("run")
@click.argument("names", nargs=-1, metavar="[NAME|FILE]...")
@click.option("--all", "every", is_flag=True, help="Run every study of the list.")
@click.option("--sets", type=int, help="Task sets per point, instead of the study's default.")
@click.option("--full", is_flag=True, help="As many task sets per point as the study has for its source.")
@click.option(
    "--share",
    type=float,
    help="Evaluate this random share of the units alone (0.01 is one in a hundred), and say how long all would take.",
)
@click.option("--workers", type=int, default=0, show_default="one per processor", help="Number of worker processes.")
@click.option(
    "--cluster",
    metavar="tcp://HOST:PORT|local",
    help="Run units on the workers of this Dask scheduler; local starts one here, with --workers workers.",
)
@click.option(
    "--store",
    metavar="URL",
    help="Keep parts and results in a store of objects, such as s3://BUCKET/FOLDER, which clients may share.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of all random task sets.")
@click.option("--plot/--no-plot", "draw", default=True, help="Draw the plot at the end.")
@click.option(
    "--overheads",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Overheads to charge where a study's source does not print its own, as `schedlab measure` writes them.",
)
@_out
@json_option
def run_command(
    names: tuple[str, ...],
    every: bool,
    sets: int | None,
    full: bool,
    share: float | None,
    workers: int,
    cluster: str | None,
    store: str | None,
    seed: int,
    draw: bool,
    overheads: Path | None,
    out: Path,
    as_json: bool,
) -> int | None:
    """Run studies, or continue where they were stopped or killed.

    The result does not depend on the number of workers, nor on whether the run was interrupted. Studies that measure
    time run one unit at a time, and no two runs of them give the same numbers. Those that run real threads end with
    exit status 3 where this machine does not allow that (`schedlab doctor`).
    """
    answers: list[dict[str, Any]] = []
    statuses: list[Status] = []
    asked: dict[str, Any] = {
        "sets": sets, "full": full, "seed": seed, "store": store,
        "executor": _executor(cluster, workers), "shared": cluster is not None,
    }  # fmt: skip
    refused = False
    for study, path in _chosen(names, every):
        directory = out / study.name
        # Of all studies, those that take no overheads run without.
        if overheads is not None and (study.takes_overheads or not every):
            study = study.with_overheads(overheads)
        try:
            with _progress(study.name) as on_progress:
                options = {**asked, "on_progress": on_progress}
                if share is not None:
                    sample_study(study, path, directory, share, **options)
                    statuses.append(study_status(study, path, directory))
                    continue
                report = run_study(study, path, directory, **options)
        except StudyInterrupted as stopped:
            click.echo(f"schedlab: {study.name}: {stopped}:\n  {_this_command()}", err=True)
            return INTERRUPTED
        except CannotRun as reason:
            # Of all studies, the others are wanted none the less.
            if not every:
                raise
            click.echo(f"schedlab: {study.name}: not run: {reason}", err=True)
            refused = True
            continue
        answers.append({**_report(report), **(_plot(study, directory, quiet=as_json) if draw else {})})
        if not as_json:
            reused = f", {report.reused} of {report.units} units already stored" if report.reused else ""
            click.echo(f"{study.name}: {report.rows} rows{reused}: {report.results}")
    for status in statuses:
        click.echo(f"{status.study}: {said(status)}", err=as_json)
    if as_json:
        print_answer("study run", studies=answers)
    return CANNOT_RUN if refused else None


@command.command("plot")
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
@_out
@json_option
def plot_command(names: tuple[str, ...], every: bool, fonts: str, greys: bool, out: Path, as_json: bool) -> None:
    """Draw stored results and judge the source's claims by them; runs nothing."""
    from schedlab.plots import Look, drawn_as

    answers = []
    with drawn_as(Look(fonts, greys)):
        for study, _ in _chosen(names, every):
            answers.append({"study": study.name, **_plot(study, out / study.name, quiet=as_json)})
    if as_json:
        print_answer("study plot", studies=answers)


command.add_command(gallery_command)
command.add_command(status_command)


def _executor(cluster: str | None, workers: int) -> Executor:
    """Who evaluates units: processes of this machine, or a cluster."""
    if cluster is None:
        return local_executor(workers)
    from schedlab.studies.cluster import ClusterExecutor

    return ClusterExecutor(cluster, number_of_workers(workers))


def _chosen(names: tuple[str, ...], every: bool) -> list[tuple[Study, Path]]:
    if every and names:
        raise StudyError("--all and names of studies exclude each other")
    if not every and not names:
        raise StudyError("name a study, or give --all; 'schedlab study list' shows them")
    return list_studies() if every else [find_study(name) for name in names]


def _plot(study: Study, directory: Path, *, quiet: bool) -> dict[str, Any]:
    """Draws, judges, stores the judgement beside the plot, and says all of it unless quiet."""
    results = read_results(directory)
    plots = [str(path) for path in study.plot(results, directory)] if study.plot else []
    claims = list(study.claims(results)) if study.claims else []
    if claims:
        write_whole(directory / "claims.txt", _claims_text(claims))
    if not quiet:
        click.echo(_claims_text(claims), nl=False)
        for path in plots:
            click.echo(f"{study.name}: {path}")
    return {"plots": plots, "claims": [claim.as_dict() for claim in claims]}


def _claims_text(claims: list[Claim]) -> str:
    return "".join(f"{claim.answer}: {claim.text}\n    {claim.because}\n" for claim in claims)


def _report(report: RunReport) -> dict[str, Any]:
    return {
        "study": report.study,
        "results": str(report.results),
        "rows": report.rows,
        "sets": report.sets,
        "units": report.units,
        "reused": report.reused,
    }


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


@contextmanager
def _progress(name: str) -> Iterator[Any]:
    """A bar with an estimate on standard error; nothing where that is not a terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("sets"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task(name, total=None)
        yield lambda done, total: progress.update(bar, completed=done, total=total)


def _this_command() -> str:
    program = os.path.basename(sys.argv[0]) or "schedlab"  # noqa: PTH119
    return shlex.join([program, *sys.argv[1:]])
