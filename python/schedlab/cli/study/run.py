"""`schedlab study run`: studies, or a random share of their units, in parallel; stopped runs are continued."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from schedlab.cli.shared.files import Command
from schedlab.cli.shared.options import json_option, print_answer, progress
from schedlab.cli.shared.statuses import BAD_INPUT, CANNOT_RUN, FAILED, INTERRUPTED
from schedlab.cli.study.chosen import chosen, confidence_option, out_option, set_option
from schedlab.cli.study.plot import plot_and_judge
from schedlab.cli.study.status import said_of_share
from schedlab.errors import CannotRun
from schedlab.outputs.studies import StudyShare
from schedlab.studies import RunReport, Study, StudyError, StudyInterrupted, run_study
from schedlab.studies.errors import ResultsKept
from schedlab.studies.executor import Executor, local_executor, number_of_workers
from schedlab.studies.runner import sample_study
from schedlab.studies.until_decided import run_until_decided

#: How many of the undecided things a line names.
TOLD = 5


@click.command("run", cls=Command)
@click.argument("names", nargs=-1, metavar="[NAME|FILE]...")
@click.option("--all", "every", is_flag=True, help="Run every study of the list.")
@click.option("--sets", type=int, help="Task sets per point, instead of the study's default.")
@click.option("--full", is_flag=True, help="Take as many task sets per point as the source has.")
@click.option(
    "--until-decided",
    is_flag=True,
    help="Grow to the sizes that the study plans, up to --sets, until its intervals are narrow enough.",
)
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
@click.option("--replace", is_flag=True, help="Replace results of more sets, which are kept otherwise.")
@click.option("--plot/--no-plot", "draw", default=True, help="Draw the plot at the end.")
@click.option(
    "--overheads",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Overheads to charge where a study's source does not print its own, as `schedlab measure` writes them.",
)
@confidence_option
@set_option
@out_option
@json_option
def run_command(
    names: tuple[str, ...],
    every: bool,
    sets: int | None,
    full: bool,
    until_decided: bool,
    share: float | None,
    workers: int,
    cluster: str | None,
    store: str | None,
    seed: int,
    replace: bool,
    draw: bool,
    overheads: Path | None,
    confidence: float | None,
    settings: dict[str, str],
    out: Path,
    as_json: bool,
) -> int | None:
    """Run studies, or continue where they were stopped or killed.

    The result does not depend on the number of workers, nor on whether the run was interrupted. Studies that measure
    time run one unit at a time, and no two runs of them give the same numbers. Those that run real threads end with
    exit status 3 where this machine does not allow that (`schedlab doctor`).

    `--set processors=8` runs a study with another value of one of its parameters. The results go into a folder of their
    own, titles and figures say what differs, and the paper's claims are not judged by them.
    """
    if until_decided and (full or share is not None):
        raise click.UsageError("--until-decided plans the sizes itself: leave out --full and --share")
    answers: list[dict[str, Any]] = []
    shares: list[StudyShare] = []
    asked: dict[str, Any] = {
        "sets": sets, "full": full, "seed": seed, "store": store,
        "executor": _executor(cluster, workers), "shared": cluster is not None or store is not None,
    }  # fmt: skip
    statuses: set[int] = set()
    for study, path in chosen(names, every, settings):
        directory = out / study.folder
        # With --all, studies that take no overheads run without.
        if overheads is not None and (study.takes_overheads or not every):
            study = study.with_overheads(overheads)
        try:
            with progress(study.name) as tell:
                options = {**asked, "on_progress": lambda done, total, tell=tell: tell(done / total)}
                if share is not None:
                    shares.append(sample_study(study, path, directory, share, **options))
                    continue
                run = _until_decided if until_decided else run_study
                report = run(study, path, directory, replace=replace, **options)
        except StudyInterrupted as stopped:
            click.echo(f"schedlab: {study.name}: {stopped}:\n  {_this_command()}", err=True)
            return INTERRUPTED
        except (CannotRun, StudyError) as reason:
            # With --all, the other studies are run none the less.
            if not every:
                raise
            is_kept = isinstance(reason, ResultsKept)
            click.echo(f"schedlab: {study.name}: {'kept' if is_kept else 'not run'}: {reason}", err=True)
            # If better results are there, nothing went wrong.
            statuses |= set() if is_kept else {reason.exit_status}
            continue
        if report.replaced:
            click.echo(f"schedlab: {study.name}: {report.replaced} were replaced", err=True)
        drawn = plot_and_judge(study, directory, confidence, quiet=as_json) if draw else {}
        answers.append({**_report(report), **drawn})
        if not as_json:
            reused = f", {report.reused} of {report.units} units already stored" if report.reused else ""
            click.echo(f"{study.name}: {report.rows} rows{reused}: {report.results}")
    if as_json:
        print_answer("study run", studies=answers, shares=[asdict(one) for one in shares])
    else:
        for one in shares:
            click.echo(f"{one.study}: {said_of_share(one)}")
    return next((status for status in (FAILED, BAD_INPUT, CANNOT_RUN) if status in statuses), None)


def _until_decided(study: Study, path: Path, directory: Path, **options: Any) -> RunReport:
    """Runs a study at its planned sizes; says after each, on the error output, what is undecided."""

    def tell(sets: int, undecided: list[str]) -> None:
        few = "; ".join(undecided[:TOLD]) + ("; ..." if len(undecided) > TOLD else "")
        said = f"{len(undecided)} undecided: {few}" if undecided else "decided"
        click.echo(f"schedlab: {study.name}: {sets} sets of a point: {said}", err=True)

    del options["full"]
    return run_until_decided(study, path, directory, most=options.pop("sets"), on_look=tell, **options)


def _executor(cluster: str | None, workers: int) -> Executor:
    """Returns the executor of units: processes of this machine, or a cluster."""
    if cluster is None:
        return local_executor(workers)
    # Clusters need an extra that may not be installed.
    from schedlab.studies.cluster import ClusterExecutor

    return ClusterExecutor(cluster, number_of_workers(workers))


def _report(report: RunReport) -> dict[str, Any]:
    plain = asdict(report) | {"results": str(report.results)}
    del plain["replaced"]
    return plain


def _this_command() -> str:
    program = os.path.basename(sys.argv[0]) or "schedlab"  # noqa: PTH119
    return shlex.join([program, *sys.argv[1:]])
