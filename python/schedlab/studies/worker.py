"""Evaluation of units: the only function that an executor has to be able to call."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from schedlab.errors import BadInput, CannotRun
from schedlab.store.parts import Part, make_parts
from schedlab.studies.batches import ENOUGH
from schedlab.studies.catalog import load_study
from schedlab.studies.errors import StudyCodeFailed, StudyError
from schedlab.studies.study import Columns, Study, Unit


@dataclass(frozen=True)
class Work:
    """A picklable function from units to the parts that hold their rows.

    It ends after a second (`ENOUGH`), with at least one unit: units that it left are not in the parts. A unit's seconds
    are those of processors, which other programs change little; if time is measured, those of a clock.
    """

    study_path: Path

    def __call__(self, units: Iterable[Unit]) -> list[Part]:
        """Evaluates units and encodes their rows."""
        study, finished = load_study(self.study_path), []
        # Arrow imports pandas for the first array of a process, which should not count as a unit's time.
        pa.array([0])
        first = time.perf_counter()
        clock = time.perf_counter if study.alone else processor_time
        for unit in units:
            begun = clock()
            table = evaluate(study, unit)
            finished.append((unit.name, table, round(clock() - begun, 6)))
            if time.perf_counter() - first >= ENOUGH:
                break
        return make_parts(finished)


def processor_time() -> float:
    """Returns the seconds of processors of this process and of those that it called and waited for."""
    called = os.times()
    return time.process_time() + called.children_user + called.children_system


def evaluate(study: Study, unit: Unit) -> pa.Table:
    """Returns the rows of a unit: the point's parameters, the set's index, then the study's own columns."""
    columns = _columns(study, unit)
    sets = list(columns.pop("set", unit.sets))
    _check(study, unit, columns, sets)
    arrays: dict[str, object] = {name: [value] * len(sets) for name, value in unit.parameters.items()}
    arrays["set"] = pa.array(sets, pa.int64())
    return pa.table({**arrays, **{name: list(values) for name, values in columns.items()}})


def _columns(study: Study, unit: Unit) -> dict[str, Sequence[Any]]:
    """Calls the study's code; an exception of it is raised with the point and with that code's own traceback."""
    try:
        return dict(study.columns(unit))
    except CannotRun:
        raise
    except BadInput as error:
        raise StudyError(f"study {study.name!r}, {unit}: {error}") from error
    except Exception as error:
        # The first two frames are this function and the study's method.
        frames = traceback.TracebackException.from_exception(error)
        frames.stack = traceback.StackSummary.from_list(frames.stack[2:])
        told = "".join(frames.format()).rstrip()
        raise StudyCodeFailed(f"study {study.name!r}, {unit}: its code raised {type(error).__name__}\n{told}") from None


def _check(study: Study, unit: Unit, columns: Columns, sets: list[int]) -> None:
    for name, values in columns.items():
        if name in unit.parameters:
            raise StudyError(f"study {study.name!r}: column {name!r} has the name of a parameter")
        if len(values) != len(sets):
            raise StudyError(f"study {study.name!r}, {unit}: column {name!r} has {len(values)} rows, not {len(sets)}")
    if sorted(set(sets)) != list(unit.sets):
        raise StudyError(f"study {study.name!r}, {unit}: the rows' sets are not those of the unit")
