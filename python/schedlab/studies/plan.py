"""What a run consists of: its units, and where their parts are kept. And what is noted of it beside its results."""

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

#: In a study's folder: the rows of the last run, and what is noted of it.
RESULTS, NOTE = "results.parquet", "run.json"

#: What is noted of a random share of the units, which leaves the last run as it was.
SHARE = "share.json"


@dataclass(frozen=True)
class Note:
    """What was asked of a run, for `schedlab study status`; the seconds that its units took, once all are stored.

    Of a random share of the units: how many units that is.
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

    def write(self, directory: Path) -> None:
        """Notes it in the folder of the results."""
        write_whole(directory / (NOTE if self.share is None else SHARE), json.dumps(asdict(self), indent=1) + "\n")


def read_note(directory: Path, file: str = NOTE) -> Note | None:
    """What was noted of the last run into a folder; None if there was none, `Damaged` if it cannot be read."""
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
    """A study at a size, and where it is run."""

    study: Study
    path: Path
    directory: Path
    sets: int
    full: bool
    seed: int
    store: str | None

    @property
    def shared(self) -> Path:
        """The folder that a run holds: that of the family, whose parts are common, or the study's own."""
        return self.directory.parent / self.study.family if self.study.family else self.directory

    def units(self) -> list[Unit]:
        """The work, in the order of the rows."""
        return self.study.units(self.sets, self.seed)

    def by_chance(self) -> list[Unit]:
        """The work in a random order, always the same: so a larger share has the units of a smaller one."""
        return sorted(self.units(), key=lambda unit: derive_seed("share", unit.name))

    def in_turn(self) -> list[Unit]:
        """The work in the order in which a run evaluates it.

        Each point's first unit comes before any point's second, in a random order. So the units that are done tell how
        long the others take: in a grid, the last points are mostly the dearest. Studies that need the machine alone
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
        """What is noted when the run begins."""
        return Note(
            self.study.name, str(self.path), self.sets, self.full, self.seed,
            identity(self.study, self.path, self.seed), code_hash(self.path), build_hash(), self.store,
        )  # fmt: skip

    def place(self, identity: str) -> FileStore:
        """Where the parts of an identity are kept."""
        if self.store is None:
            return Folder(self.shared / "parts" / identity)
        return remote(self.store, f"{self.study.family or self.study.name}/parts/{identity}")


def remote(store: str, below: str) -> FileStore:
    """A place in a store of objects."""
    # Only a store elsewhere needs fsspec, an extra that may not be installed.
    from schedlab.store.remote import Remote

    return Remote(store, below)


def make_plan(
    study: Study, path: Path, directory: Path, sets: int | None, full: bool, seed: int, store: str | None
) -> Plan:
    """The plan of a run; refuses sizes that are none.

    A point has as many sets as are given, the full size, or the default; a fixed study has its own.
    """
    if sets is not None and sets < 1:
        raise StudyError(f"--sets is {sets}, it must be at least 1")
    if sets is not None and full:
        raise StudyError("--sets and --full exclude each other")
    if sets is None or study.fixed_sets:
        sets = study.full_sets if full and not study.fixed_sets else study.sets
    return Plan(study.at_size(full), path, directory, sets, full, seed, store)
