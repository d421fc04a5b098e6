"""Plans of runs: the units, the place of their parts, and the note of a run beside its results."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from typing import get_type_hints

from schedlab.base.files import write_whole
from schedlab.store.folder import Folder
from schedlab.store.parts import FileStore
from schedlab.studies.errors import Damaged, StudyError
from schedlab.studies.identity import build_hash, code_hash, identity
from schedlab.studies.seeds import derive_seed
from schedlab.studies.study import Study, Unit

#: Files in a study's folder: the rows of the last run, and its note.
RESULTS, NOTE = "results.parquet", "run.json"

#: File with the note of a random share of the units, which leaves the last run as it was.
SHARE = "share.json"


@dataclass(frozen=True)
class Note:
    """The request of a run, for `schedlab study status`, and the seconds that its units took, once all are stored.

    For a random share of the units, also the number of these.
    """

    study: str
    file: str
    sets: int
    full: bool
    seed: int
    identity: str
    code: str
    build: str
    store: str | None
    seconds: float | None = None
    share: int | None = None
    #: The parameters that differ from the study's own, in words.
    changes: str = ""

    def write(self, directory: Path) -> None:
        """Writes the note into the folder of the results."""
        write_whole(directory / (NOTE if self.share is None else SHARE), json.dumps(asdict(self), indent=1) + "\n")


def read_note(directory: Path, file: str = NOTE) -> Note | None:
    """Reads the note of the last run into a folder; None if there was none. Raises `Damaged` if it cannot be read."""
    path = directory / file
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise _damaged(path, f"cannot be read ({error})") from error
    known = {field.name: field.type for field in fields(Note)}
    needed = {field.name for field in fields(Note) if field.default is MISSING}
    if not isinstance(told, dict):
        raise _damaged(path, "holds no object")
    if wrong := sorted((told.keys() - known.keys()) | (needed - told.keys())):
        raise _damaged(path, f"has other keys than this version writes: {', '.join(wrong)}")
    hints = get_type_hints(Note)
    for name, value in told.items():
        if not isinstance(value, hints[name]) or (hints[name] is int and isinstance(value, bool)):
            raise _damaged(path, f"{name} is {value!r}, allowed: {known[name]}")
    return Note(**told)


def _damaged(path: Path, why: str) -> Damaged:
    return Damaged(f"{path}: {why}; run the study again, which writes it anew and keeps what is stored")


@dataclass(frozen=True)
class Plan:
    """A study at a size, and the folder of its run."""

    study: Study
    path: Path
    directory: Path
    sets: int
    full: bool
    seed: int
    store: str | None

    @property
    def shared(self) -> Path:
        """The folder that a run locks: that of the family, whose parts are common, or the study's own."""
        return self.directory.parent / self.study.family if self.study.family else self.directory

    def units(self) -> list[Unit]:
        """Returns the units in the order of the rows."""
        return self.study.units(self.sets, self.seed)

    def by_chance(self) -> list[Unit]:
        """Returns the units in a random order, always the same, so that a larger share contains a smaller one."""
        return sorted(self.units(), key=lambda unit: derive_seed("share", unit.name))

    def in_turn(self) -> list[Unit]:
        """Returns the units in the order in which a run evaluates them.

        Each point's first unit comes before any point's second, in a random order. So the finished units indicate how
        long the others take: in a grid, the last points are most often the dearest. Studies that need the machine alone
        keep the order of the rows.
        """
        if self.study.alone:
            return self.units()
        rounds = Counter[str]()
        by_round: list[tuple[int, Unit]] = []
        for unit in self.by_chance():
            by_round.append((rounds[unit.point.key], unit))
            rounds[unit.point.key] += 1
        return [unit for _, unit in sorted(by_round, key=lambda entry: entry[0])]

    def note(self) -> Note:
        """Returns the note that is written when the run begins."""
        return Note(
            self.study.name, str(self.path), self.sets, self.full, self.seed,
            identity(self.study, self.path, self.seed), code_hash(self.path), build_hash(), self.store,
            changes=self.study.changes,
        )  # fmt: skip

    def place(self, identity: str) -> FileStore:
        """Returns the place where the parts of an identity are kept."""
        if self.store is None:
            return Folder(self.shared / "parts" / identity)
        return remote(self.store, f"{self.study.family or self.study.name}/parts/{identity}")


def remote(store: str, below: str) -> FileStore:
    """Returns a place in a store of objects."""
    # Only a store of objects needs fsspec, an extra that may not be installed.
    from schedlab.store.remote import Remote

    return Remote(store, below)


def make_plan(
    study: Study, path: Path, directory: Path, sets: int | None, full: bool, seed: int, store: str | None
) -> Plan:
    """Makes the plan of a run; raises `StudyError` for sizes that are not allowed.

    A point has `sets` sets, the full size, or the default; a fixed study has its own size.
    """
    if sets is not None and sets < 1:
        raise StudyError(f"--sets is {sets}, it must be at least 1")
    if sets is not None and full:
        raise StudyError("--sets and --full exclude each other")
    if sets is None or study.fixed_sets:
        sets = study.full_sets if full and not study.fixed_sets else study.sets
    return Plan(study.at_size(full), path, directory, sets, full, seed, store)
