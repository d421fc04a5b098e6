"""Run a study: plan the units, skip what is stored, evaluate the rest, join all of it in the grid's order.

Nothing is lost or doubled by kill -9, because a part is either absent or whole (written aside, then renamed),
and because the final file is joined from exactly the planned parts. Nothing depends on the number of workers,
because a unit's content depends on the unit alone and the join follows the plan, not the order of completion.
Units that measure time are evaluated one after the other, in this process; what they are worth is theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from schedlab.files import make_folder
from schedlab.store import PartStore, StoreBusy, exclusive, write_table
from schedlab.studies.errors import StudyError, StudyInterrupted
from schedlab.studies.executor import Executor, SerialExecutor
from schedlab.studies.identity import identity, provenance
from schedlab.studies.study import Study, Unit
from schedlab.studies.worker import Work

RESULTS = "results.parquet"


@dataclass(frozen=True)
class RunReport:
    """What a run did."""

    study: str
    results: Path
    rows: int
    sets: int
    units: int
    reused: int


def run_study(
    study: Study,
    path: Path,
    directory: Path,
    *,
    sets: int | None = None,
    full: bool = False,
    seed: int = 1,
    executor: Executor | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> RunReport:
    """Run ``study`` (defined in the file ``path``) into ``directory`` and return where the results are.

    ``on_progress(done, total)`` is told the number of sets, at the start and after each unit.
    """
    count = number_of_sets(study, sets, full)
    study = study.at_size(full)
    units = study.units(count, seed)
    shared = directory.parent / study.family if study.family else directory
    make_folder(directory)
    make_folder(shared)
    try:
        with exclusive(shared):
            store = PartStore(shared / "parts" / identity(study, path, seed))
            todo = [unit for unit in units if not store.has(*_part_name(unit))]
            if todo:
                worker = SerialExecutor() if study.alone or executor is None else executor
                with study.session():
                    _evaluate(Work(path), units, todo, store, worker, on_progress)
            table = _join(units, store)
            write_table(directory / RESULTS, table, provenance(study, path, seed, count))
    except StoreBusy as error:
        what = f"study of the family {study.family}" if study.family else "run of this study"
        raise StudyError(f"{shared}: another {what} is under way (process {error})") from error
    return RunReport(study.name, directory / RESULTS, table.num_rows, count, len(units), len(units) - len(todo))


def number_of_sets(study: Study, sets: int | None, full: bool) -> int:
    """How many sets a point has: as given, the full size, or the default; a fixed study has its own."""
    if sets is not None and sets < 1:
        raise StudyError(f"--sets is {sets}, it must be at least 1")
    if sets is not None and full:
        raise StudyError("--sets and --full exclude each other")
    if study.fixed_sets:
        return study.sets
    return sets if sets is not None else study.full_sets if full else study.sets


def _evaluate(
    work: Work,
    units: list[Unit],
    todo: list[Unit],
    store: PartStore,
    executor: Executor,
    on_progress: Callable[[int, int], None],
) -> None:
    total = sum(len(unit.sets) for unit in units)
    done = total - sum(len(unit.sets) for unit in todo)
    on_progress(done, total)
    try:
        with closing(executor.run(work, todo)) as results:
            for unit, part in results:
                store.put(*_part_name(unit), part)
                done += len(unit.sets)
                on_progress(done, total)
    except KeyboardInterrupt:
        raise StudyInterrupted(f"stopped with {done} of {total} sets stored; the same command resumes there") from None


def _join(units: list[Unit], store: PartStore) -> pa.Table:
    tables = []
    for unit in units:
        table = store.get(*_part_name(unit))
        stored = sorted(set(table.column("set").to_pylist()))
        if stored != list(unit.sets):
            raise StudyError(f"{store.path(*_part_name(unit))}: holds other sets than {unit}; delete it and run again")
        tables.append(table)
    return pa.concat_tables(tables, promote_options="permissive").combine_chunks()


def _part_name(unit: Unit) -> tuple[str, str]:
    return unit.point.key, f"{unit.first:06d}-{unit.stop:06d}"
