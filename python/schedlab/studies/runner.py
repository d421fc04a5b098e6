"""Runs of studies: plan the units, skip those that are stored, evaluate the rest, and join all in the grid's order.

Nothing is lost or doubled by kill -9. A part is either absent or whole (written aside, then renamed), and the final
file is joined from exactly the planned units. Nothing depends on the number of workers: a unit's content depends on the
unit alone, and the join follows the plan alone. So several clients may share a store: a client that finishes a unit
second stores the same rows once more. Units that measure time are evaluated one after the other, in this process.
"""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from schedlab.base.files import make_folder
from schedlab.outputs.studies import StudyShare
from schedlab.store.locks import StoreBusy, exclusive, sharing
from schedlab.store.parquet import write_table
from schedlab.store.parts import PartStore
from schedlab.studies.errors import Damaged, ResultsKept, StudyError, StudyInterrupted, first_line
from schedlab.studies.executor import Executor, SerialExecutor
from schedlab.studies.identity import provenance
from schedlab.studies.plan import RESULTS, Note, Plan, make_plan, remote
from schedlab.studies.share import sampled
from schedlab.studies.stored import stored_provenance
from schedlab.studies.study import Study, Unit
from schedlab.studies.worker import Work

#: Seconds until a client that shares a store looks again for parts of the others.
LOOK_AGAIN = 2.0

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class RunReport:
    """The outcome of a run."""

    study: str
    results: Path
    rows: int
    sets: int
    units: int
    reused: int
    #: The parameters that differ from the study's own, in words.
    changes: str
    #: The results of another size, seed or overheads that the run replaced, in words; empty if there were none.
    replaced: str = ""


def run_study(
    study: Study,
    path: Path,
    directory: Path,
    *,
    sets: int | None = None,
    full: bool = False,
    seed: int = 1,
    executor: Executor | None = None,
    store: str | None = None,
    shared: bool = False,
    replace: bool = False,
    on_progress: Progress = lambda done, total: None,
) -> RunReport:
    """Runs ``study`` (defined in the file ``path``) into ``directory``, and reports where the results are.

    Parts are kept in ``directory``, or in ``store``, the address of a store of objects, which then gets the results,
    too. A run locks its directory. If it is ``shared``, other shared runs may work on the same units there. Results of
    more sets are kept, and `ResultsKept` is raised, unless ``replace`` is set. ``on_progress(done, total)`` is called
    with the number of sets, at the start and after each part.
    """
    plan = make_plan(study, path, directory, sets, full, seed, store)
    units = plan.units()
    with _holding(plan, shared):
        replaced = _other_results(plan, replace)
        parts, reused = _evaluate_missing(plan, plan.note(), plan.in_turn(), executor, shared, on_progress)
        table = _join(units, parts)
        told = provenance(plan.study, path, seed, plan.sets)
        write_table(directory / RESULTS, table, told)
        if store is not None:
            remote(store, study.folder).write(RESULTS, (directory / RESULTS).read_bytes())
        dataclasses.replace(plan.note(), seconds=round(sum(parts.seconds(unit.name) for unit in units), 3)).write(
            directory
        )
    return RunReport(
        study.name, directory / RESULTS, table.num_rows, plan.sets, len(units), reused, study.changes, replaced
    )


def sample_study(
    study: Study,
    path: Path,
    directory: Path,
    share: float,
    *,
    sets: int | None = None,
    full: bool = False,
    seed: int = 1,
    executor: Executor | None = None,
    store: str | None = None,
    shared: bool = False,
    on_progress: Progress = lambda done, total: None,
) -> StudyShare:
    """Evaluates a random share of the units alone, at least one, and extrapolates the time of all.

    The units are stored: a run, or a larger share, does not evaluate them again. The note of the last run stays.
    """
    if not 0 < share <= 1:
        raise StudyError(f"--share is {share}, it must be above 0 and at most 1")
    plan = make_plan(study, path, directory, sets, full, seed, store)
    by_chance = plan.by_chance()
    units = by_chance[: max(1, round(share * len(by_chance)))]
    note = dataclasses.replace(plan.note(), share=len(units))
    with _holding(plan, shared):
        parts, _ = _evaluate_missing(plan, note, units, executor, shared, on_progress)
    return sampled(study.name, plan.sets, full, [parts.seconds(unit.name) for unit in units], len(by_chance))


def _other_results(plan: Plan, replace: bool) -> str:
    """Describes the results that the run replaces if they answer something else; raises if they have more sets."""
    try:
        told = stored_provenance(plan.directory)
    except Damaged:
        return ""
    if told is None:
        return ""
    now = provenance(plan.study, plan.path, plan.seed, plan.sets)
    if all(told.get(what) == now[what] for what in ("sets", "points", "seed", "overheads")):
        return ""
    stored = f"results of {_size(told)}"
    if _sets_in_all(told) > _sets_in_all(now) and not replace:
        raise ResultsKept(
            f"{plan.directory / RESULTS} has {stored}, more than {_size(now)}: "
            "give --replace, or another folder (--out)"
        )
    return stored


def _sets_in_all(told: Mapping[str, Any]) -> int:
    return int(told["sets"]) * len(told["points"])


def _size(told: Mapping[str, Any]) -> str:
    overheads = f', overheads "{told["overheads"]}"' if told["overheads"] else ""
    return f"{len(told['points'])} points of {told['sets']} sets, seed {told['seed']}{overheads}"


@contextmanager
def _holding(plan: Plan, shared: bool) -> Iterator[None]:
    """Makes the folders and locks them; a shared run shares the lock with others."""
    make_folder(plan.directory)
    make_folder(plan.shared)
    hold = sharing if shared and not plan.study.alone else exclusive
    try:
        with hold(plan.shared):
            yield
    except StoreBusy as error:
        family = plan.study.family
        what = f"study of the family {family}" if family else "run of this study"
        raise StudyError(f"{plan.shared}: another {what} is under way (process {error})") from error


def _evaluate_missing(
    plan: Plan, note: Note, units: Sequence[Unit], executor: Executor | None, shared: bool, on_progress: Progress
) -> tuple[PartStore, int]:
    """Evaluates the units that are not stored; returns the store, and the number of those that were."""
    note.write(plan.directory)
    parts = PartStore(plan.place(note.identity))
    todo = [unit for unit in units if not parts.has(unit.name)]
    if todo:
        chosen = SerialExecutor() if plan.study.alone or executor is None else executor
        with plan.study.session():
            _evaluate(Work(plan.path), units, todo, parts, chosen, shared, on_progress)
    return parts, len(units) - len(todo)


def _evaluate(
    work: Work,
    units: Sequence[Unit],
    todo: list[Unit],
    parts: PartStore,
    executor: Executor,
    shared: bool,
    on_progress: Progress,
) -> None:
    total = sum(len(unit.sets) for unit in units)
    left = {unit.name: len(unit.sets) for unit in todo}

    def missing() -> Iterator[Unit]:
        """Yields units that are still not stored when they are to be begun."""
        # Clients that share the work begin at different units.
        first = os.getpid() * 2_654_435_761 % len(todo) if shared else 0
        looked = time.monotonic()
        for unit in [*todo[first:], *todo[:first]]:
            if shared and time.monotonic() - looked > LOOK_AGAIN:
                parts.refresh()
                looked = time.monotonic()
            if parts.has(unit.name):
                left.pop(unit.name, None)
            else:
                yield unit

    on_progress(total - sum(left.values()), total)
    try:
        with closing(executor.run(work, missing())) as results:
            for part in results:
                parts.put(part)
                for piece in part.pieces:
                    left.pop(piece.name, None)
                on_progress(total - sum(left.values()), total)
    except KeyboardInterrupt:
        done = total - sum(left.values())
        raise StudyInterrupted(f"stopped with {done} of {total} sets stored; the same command resumes there") from None


def _join(units: Sequence[Unit], parts: PartStore) -> pa.Table:
    tables = []
    for unit in units:
        try:
            table = parts.get(unit.name)
        except (OSError, pa.ArrowException) as error:
            raise Damaged(
                f"{parts.where(unit.name)}: cannot be read ({first_line(error)}); delete it and run again"
            ) from error
        stored = sorted(set(table.column("set").to_pylist()))
        if stored != list(unit.sets):
            raise StudyError(f"the parts hold other sets than {unit}; delete them and run again")
        tables.append(table)
    return pa.concat_tables(tables, promote_options="permissive").combine_chunks()
