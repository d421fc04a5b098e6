"""The progress of stored studies, and the time that is left: from the parts alone, nothing is run."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

from schedlab.errors import CannotRun
from schedlab.outputs.studies import StudyShare, StudyState
from schedlab.store.locks import is_held
from schedlab.store.parts import PartStore
from schedlab.studies.errors import Damaged
from schedlab.studies.identity import build_hash, code_hash
from schedlab.studies.plan import SHARE, Plan, make_plan, read_note
from schedlab.studies.share import extrapolated, sampled
from schedlab.studies.stored import stored_provenance
from schedlab.studies.study import Study, Unit

NOT_RUN, DONE, BEGUN, RUNNING, OUTDATED = "not run", "done", "begun", "running", "outdated"
#: Number of units, chosen by chance, from which on they represent points of which no unit is known. If a fiftieth of
#: all units are dear ones, this many units miss all of those once in eight times.
MANY = 100
DAMAGED, UNKNOWN = "damaged", "unknown"


def study_status(study: Study, path: Path, directory: Path) -> StudyState:
    """Returns the state of the last run of a study into a folder, and of the last random share of its units."""
    try:
        return dataclasses.replace(_status(study, path, directory), share=_share(study, path, directory))
    except Damaged as error:
        return StudyState(study.name, DAMAGED, reason=str(error))
    except CannotRun as error:
        # The parts are in a store that does not answer.
        return StudyState(study.name, UNKNOWN, reason=str(error))


def _status(study: Study, path: Path, directory: Path) -> StudyState:
    note = read_note(directory)
    if note is None:
        return StudyState(study.name, NOT_RUN)
    plan = make_plan(study, path, directory, None if note.full else note.sets, note.full, note.seed, note.store)
    units = plan.units()
    is_done = note.seconds is not None and stored_provenance(directory) is not None
    # If parts were deleted after the end, all of them had been there.
    known = {} if is_done else _known(plan, note.identity, units)
    count = len(units) if is_done else len(known)
    spent, left = (note.seconds, 0.0) if is_done else (sum(known.values()), time_left(units, known, not study.alone))
    if (note.code, note.build) != (code_hash(path), build_hash()):
        state = OUTDATED
    else:
        state = RUNNING if is_held(plan.shared) else DONE if is_done else BEGUN
    return StudyState(study.name, state, count, len(units), note.sets, note.full, spent, left)


def _share(study: Study, path: Path, directory: Path) -> StudyShare | None:
    """Returns the last share: of the units that it chose, those that are stored."""
    note = read_note(directory, SHARE)
    if note is None or note.share is None:
        return None
    plan = make_plan(study, path, directory, None if note.full else note.sets, note.full, note.seed, note.store)
    by_chance = plan.by_chance()
    known = _known(plan, note.identity, by_chance[: note.share])
    # If parts were deleted, nothing is known any more.
    return sampled(study.name, note.sets, note.full, list(known.values()), len(by_chance)) if known else None


def _known(plan: Plan, identity: str, units: Sequence[Unit]) -> dict[str, float]:
    """Returns the seconds that each stored unit took, by its name."""
    parts = PartStore(plan.place(identity))
    return {unit.name: parts.seconds(unit.name) for unit in units if parts.has(unit.name)}


def time_left(units: Sequence[Unit], known: Mapping[str, float], by_chance: bool) -> float | None:
    """Returns the seconds that the missing units take; None where that may be wrong by more than a factor of 2.

    A unit takes as long for each set as the known ones of its point do. Points of which no unit is known could take any
    time. They are taken for the mean of the others if those are many, were chosen by chance, and differ so little that
    the interval of 95% is within the factor.
    """
    by_point: dict[str, list[float]] = defaultdict(list)
    for unit in units:
        if unit.name in known:
            by_point[unit.point.key].append(known[unit.name] / len(unit.sets))
    missing = [unit for unit in units if unit.name not in known]
    if not by_point:
        return None
    usual = fmean(seconds for some in by_point.values() for seconds in some)
    means = {key: fmean(seconds) for key, seconds in by_point.items()}
    left = sum(means.get(unit.point.key, usual) * len(unit.sets) for unit in missing)
    if all(unit.point.key in by_point for unit in missing):
        return left
    if not by_chance or len(known) < MANY:
        return None
    spent = sum(known.values())
    _, low, high = extrapolated(list(known.values()), len(units))
    is_near = low is not None and high is not None and left / 2 <= low - spent and high - spent <= 2 * left
    return left if is_near else None
