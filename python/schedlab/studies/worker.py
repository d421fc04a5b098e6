"""Evaluate one unit, wherever that happens: this function is all that an executor has to be able to call."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from schedlab.store import table_to_bytes
from schedlab.studies.catalog import load_study
from schedlab.studies.errors import StudyError
from schedlab.studies.study import Columns, Study, Unit


@dataclass(frozen=True)
class Work:
    """A picklable function from a unit to the bytes of its part."""

    study_path: Path

    def __call__(self, unit: Unit) -> bytes:
        """Evaluate the unit and encode its rows."""
        return table_to_bytes(evaluate(load_study(self.study_path), unit))


def evaluate(study: Study, unit: Unit) -> pa.Table:
    """The rows of a unit: the point's parameters, the set's index, then the study's own columns."""
    columns = dict(study.columns(unit))
    sets = list(columns.pop("set", unit.sets))
    _check(study, unit, columns, sets)
    arrays: dict[str, object] = {name: [value] * len(sets) for name, value in unit.parameters.items()}
    arrays["set"] = pa.array(sets, pa.int64())
    return pa.table({**arrays, **{name: list(values) for name, values in columns.items()}})


def _check(study: Study, unit: Unit, columns: Columns, sets: list[int]) -> None:
    for name, values in columns.items():
        if name in unit.parameters:
            raise StudyError(f"study {study.name!r}: column {name!r} has the name of a parameter")
        if len(values) != len(sets):
            raise StudyError(f"study {study.name!r}, {unit}: column {name!r} has {len(values)} rows, not {len(sets)}")
    if sorted(set(sets)) != list(unit.sets):
        raise StudyError(f"study {study.name!r}, {unit}: the rows' sets are not those of the unit")
