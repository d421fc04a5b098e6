"""The studies that a command is about, and the folder of their results."""

from __future__ import annotations

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


def chosen(names: tuple[str, ...], every: bool) -> list[tuple[Study, Path]]:
    """Returns the named studies, or all of them; raises `StudyError` for both or neither."""
    if every and names:
        raise StudyError("--all and names of studies exclude each other")
    if not every and not names:
        raise StudyError("name a study, or give --all; 'schedlab study list' shows them")
    return list_studies() if every else [find_study(name) for name in names]
