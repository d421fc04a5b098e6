"""`schedlab study status`: how far stored studies are, and how long what is left takes."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path

import click

from schedlab.base.durations import long_duration
from schedlab.cli.shared.files import Command
from schedlab.cli.shared.options import json_option, print_answer
from schedlab.cli.study.chosen import chosen, out_option, set_option
from schedlab.outputs.studies import StudyShare, StudyState
from schedlab.studies import StudyError
from schedlab.studies.status import NOT_RUN, study_status


@click.command("status", cls=Command)
@click.argument("names", nargs=-1, metavar="[NAME|FILE]...")
@set_option
@out_option
@json_option
def status_command(names: tuple[str, ...], settings: dict[str, str], out: Path, as_json: bool) -> None:
    """Say how far studies are, and how long what is left takes; runs nothing.

    Without names, of all studies of the list. Times are of one worker, and divided by this machine's processors.
    """
    if settings and not names:
        raise StudyError("--set without a name; allowed: names of the studies whose parameters are to change")
    asked = chosen(names, not names, settings)
    found = [study_status(study, path, out / study.folder) for study, path in asked]
    if as_json:
        print_answer("study status", studies=[asdict(one) for one in found])
        return
    width = max(len(one.study) for one in found)
    for one in found:
        click.echo(f"{one.study:<{width}}  {said(one)}")
        if one.share is not None:
            click.echo(f"{'':<{width}}  {said_of_share(one.share)}")
    lefts = [one.left for one in found if one.left]
    if len(lefts) > 1:
        click.echo(f"{'all':<{width}}  {_left(sum(lefts))}")


def said(one: StudyState) -> str:
    """Returns a status in words."""
    if one.state == NOT_RUN:
        return one.state
    if one.reason:
        return f"{one.state}: {one.reason}"
    size = f"{one.sets} sets a point{', the full size' if one.full else ''}"
    parts = [one.state, size, f"{one.stored} of {one.units} units"]
    if one.spent is not None:
        parts.append(
            f"{long_duration(one.spent)} so far" if one.stored < one.units else f"took {long_duration(one.spent)}"
        )
    if one.stored < one.units:
        parts.append(_left(one.left) if one.left is not None else "time left unknown")
    return ", ".join(parts)


def said_of_share(one: StudyShare) -> str:
    """Returns, in words, the result of a random share of the units."""
    size = f"{one.sets} sets a point{', the full size' if one.full else ''}"
    took = f"random share: {one.stored:,} of {one.units:,} units of {size}, took {long_duration(one.spent)}"
    if one.total is None or one.stored == one.units:
        return took
    interval = (
        "" if one.low is None or one.high is None else f" (95%: {long_duration(one.low)} to {long_duration(one.high)})"
    )
    return f"{took}; all take about {long_duration(one.total)}{interval}, {_here(one.total)}"


def _here(seconds: float) -> str:
    processors = len(os.sched_getaffinity(0))
    return f"{long_duration(seconds / processors)} on {processors} processors"


def _left(seconds: float) -> str:
    return f"about {long_duration(seconds)} left, {_here(seconds)}"
