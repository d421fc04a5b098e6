"""`schedlab study show`: what a study asks, its grid, and the parameters that `--set` changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from schedlab.base.user_code import loaded
from schedlab.cli.shared.files import Command
from schedlab.cli.shared.options import json_option, print_answer
from schedlab.cli.study.chosen import out_option
from schedlab.studies import Claim, Study, find_study, read_results
from schedlab.studies.answers import ANSWERS
from schedlab.studies.claims import of_source, told
from schedlab.studies.plan import RESULTS


@click.command("show", cls=Command)
@click.argument("name", metavar="NAME|FILE")
@out_option
@json_option
def show_command(name: str, out: Path, as_json: bool) -> None:
    """Say what a study asks, which of its parameters `--set` changes, and what its stored results say; runs nothing.

    Each sentence of the source has its answer, what would refute it, and its parts.
    """
    study, path = find_study(name)
    claims = _claims(study, out / study.folder)
    about, axes = (loaded(path).__doc__ or "").strip(), _axes(study)
    if as_json:
        print_answer("study show", **described(study, path), about=about, grid=axes,
                     claims=[claim.as_dict() for claim in claims])  # fmt: skip
        return
    facts = {"source": study.source, "file": str(path), "sets": f"{study.sets} a point", "grid": _grid(study, axes)}
    click.echo(f"{study.name}: {study.title}")
    for what, value in facts.items():
        if value:
            click.echo(f"  {what}: {value}")
    if about:
        click.echo(f"\n{about}")
    _show_parameters(study)
    if claims:
        answers = [claim.answer for claim in of_source(claims)]
        counted = ", ".join(f"{answers.count(one)} {one}" for one in ANSWERS if one in answers)
        click.echo(f"\nsentences of the source, by the results in {out / study.folder}: {counted}\n")
        click.echo(told(claims), nl=False)


def _claims(study: Study, directory: Path) -> list[Claim]:
    """Returns the claims as stored results judge them; none without results."""
    if not study.claims or not (directory / RESULTS).is_file():
        return []
    return list(study.claims(read_results(directory)))


def _show_parameters(study: Study) -> None:
    if not study.settable:
        click.echo(f"\nno parameters, so that --set changes nothing of it: {_why_none(study)}")
        return
    whose = "source's" if study.source else "study's own"
    click.echo(f"\nparameters (--set NAME=VALUE); the default is the {whose}:\n")
    for one in study.settable:
        # A narrow terminal would cut the columns of a table, and what is allowed is to be read whole.
        click.echo(f"  {one.name}: {one.about}")
        click.echo(f"    default {one.shown(one.default)}; allowed: {one.allowed}")


def _why_none(study: Study) -> str:
    """Returns the reason why a study has no parameters."""
    if not study.source:
        return "its file declares none"
    if study.alone:
        return "it measures this machine"
    return "it redraws an example as the paper states it"


def described(study: Study, path: Path) -> dict[str, Any]:
    """Returns what JSON says of a study."""
    return {
        "name": study.name,
        "title": study.title,
        "source": study.source,
        "points": len(study.points),
        "sets": study.sets,
        "full_sets": study.sets if study.fixed_sets else study.full_sets,
        "file": str(path),
        "parameters": [
            {
                "name": one.name,
                "default": list(one.default) if isinstance(one.default, tuple) else one.default,
                "unit": one.unit,
                "about": one.about,
                "allowed": one.allowed,
            }
            for one in study.settable
        ],
    }


def _axes(study: Study) -> dict[str, list[Any]]:
    """Returns the values of each parameter of the points."""
    found: dict[str, dict[Any, None]] = {}
    for point in study.points:
        for name, value in point.parameters.items():
            found.setdefault(name, {})[value] = None
    return {name: list(values) for name, values in found.items()}


def _grid(study: Study, axes: dict[str, list[Any]]) -> str:
    """Returns the grid in a line: the axes with few of their values, and the number of points."""
    names = [
        f"{name} {', '.join(map(str, values))}" if len(values) <= 4 else f"{name} {values[0]}, ... {values[-1]}"
        for name, values in axes.items()
    ]
    return f"{'; '.join(names)}: {len(study.points)} points"
