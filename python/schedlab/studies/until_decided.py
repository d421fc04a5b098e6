"""Runs that grow until their results decide what a study asks, at the sizes that it planned (`Looks`).

Every size is an ordinary run that finds what the one before has stored. So the results depend on the seed alone, not on
the number of workers or on interruptions.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from schedlab.studies.errors import StudyError
from schedlab.studies.runner import RunReport, run_study
from schedlab.studies.stored import read_results
from schedlab.studies.study import Study

#: Called after each size with the number of sets of a point and what is undecided.
OnLook = Callable[[int, list[str]], None]


def run_until_decided(
    study: Study, path: Path, directory: Path, *, most: int | None = None, on_look: OnLook, **options: Any
) -> RunReport:
    """Runs a study at each size of its `looks`, of at most `most` sets, until nothing is undecided.

    Returns the report of the last run. `options` are those of `run_study` but for `sets` and `full`. Raises
    `StudyError` for a study without looks, and what `run_study` raises.
    """
    if study.looks is None or study.undecided is None:
        raise StudyError(f"study {study.name!r} does not say when its results decide: give --sets instead")
    for sets in study.looks.up_to(most):
        report = run_study(study, path, directory, sets=sets, **options)
        undecided = list(study.undecided(read_results(directory)))
        on_look(sets, undecided)
        if not undecided:
            break
    return report
