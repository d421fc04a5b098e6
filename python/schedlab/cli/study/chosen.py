"""The studies that a command is about, and the folder of their results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from schedlab.studies import Study, StudyError, find_study, list_studies

out_option = click.option(
    "--out",
    "-o",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("out/studies"),
    show_default=True,
    help="Folder of the results: each study has its own folder in it.",
)


set_option = click.option(
    "--set",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    callback=lambda context, option, given: _settings(given),
    help="Another value of a parameter of the study, in place of the paper's; repeatable. `schedlab study show NAME` "
    "lists them.",
)


confidence_option = click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="SHARE",
    help="Draw intervals that hold the true value in this share of all cases, such as 0.95, instead of the study's "
    "own (0.99). Claims are judged by the study's own.",
)


def _settings(given: tuple[str, ...]) -> dict[str, str]:
    """Returns the texts of values by the names of parameters."""
    settings: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise StudyError(f"--set {text}: allowed: NAME=VALUE, such as --set processors=8")
        if name in settings:
            raise StudyError(f"--set {name} is there twice")
        settings[name] = value
    return settings


def chosen(names: tuple[str, ...], every: bool, settings: Mapping[str, str] = {}) -> list[tuple[Study, Path]]:
    """Returns the named studies with these settings, or all; raises `StudyError` for both, neither, or bad settings."""
    if every and names:
        raise StudyError("--all and names of studies exclude each other")
    if not every and not names:
        raise StudyError("name a study, or give --all; 'schedlab study list' shows them")
    if every and settings:
        raise StudyError("--set and --all exclude each other: name the studies whose parameters are to change")
    if every:
        return list_studies()
    return [(study.with_settings(settings), path) for study, path in map(find_study, names)]
