"""Stored results: a run's file, read back. Nothing here runs an experiment."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from schedlab.store.parquet import read_provenance, read_table
from schedlab.studies.errors import Damaged, StudyError, first_line
from schedlab.studies.identity import FACTS, FORMAT
from schedlab.studies.plan import RESULTS
from schedlab.studies.results import Results


def read_results(directory: Path) -> Results:
    """Reads the stored results of a run; raises `Damaged` if the file cannot be read."""
    path = directory / RESULTS
    if not path.is_file():
        raise StudyError(f"{path}: no results; run the study first")
    with _damage(path):
        table, provenance = read_table(path)
    return Results(table, _of_this_format(path, provenance))


def stored_provenance(directory: Path) -> dict[str, Any] | None:
    """Returns the provenance of the results in a folder; None without any. Raises `Damaged` if they are not whole."""
    path = directory / RESULTS
    if not path.is_file():
        return None
    with _damage(path):
        provenance = read_provenance(path)
    return _of_this_format(path, provenance)


def _of_this_format(path: Path, provenance: dict[str, Any]) -> dict[str, Any]:
    if provenance.get("format") != FORMAT or not provenance.keys() >= FACTS:
        raise Damaged(f"{path}: says nothing of where its rows come from, as this version writes it; {_ANEW}")
    return provenance


@contextmanager
def _damage(path: Path) -> Iterator[None]:
    """Raises `Damaged` with advice if a file of results cannot be read while the block runs."""
    try:
        yield
    except (OSError, pa.ArrowException, ValueError) as error:
        raise Damaged(f"{path}: cannot be read, perhaps it was cut short ({first_line(error)}); {_ANEW}") from error


_ANEW = "run the study again, which writes it anew and keeps what is stored in parts"
