"""Studies as the gallery shows them: stored results, and what follows from them. Nothing is run."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schedlab.base.defaults import NO_OVERHEADS
from schedlab.base.durations import long_duration
from schedlab.base.files import make_folder
from schedlab.studies.catalog import list_studies
from schedlab.studies.claims import Claim
from schedlab.studies.errors import Damaged
from schedlab.studies.identity import build_hash, code_hash
from schedlab.studies.plan import RESULTS, Note, read_note
from schedlab.studies.real import RealStudy, place
from schedlab.studies.results import Results
from schedlab.studies.status import study_status
from schedlab.studies.stored import read_results
from schedlab.studies.study import Study


@dataclass(frozen=True)
class Exhibit:
    """A study and its stored results, None if there are none, with claims and the files that were drawn.

    ``reason`` is why nothing can be shown: nothing is stored, or the stored results do not fit the study any more.
    Beside results, it is why nothing is known of their run.
    """

    study: Study
    path: Path
    results: Results | None
    claims: tuple[Claim, ...] = ()
    files: tuple[Path, ...] = ()
    note: Note | None = None
    reason: str = ""
    is_damaged: bool = False

    @property
    def command(self) -> str:
        """The command line that makes these results; without results, that of a usual run."""
        words = ["schedlab", "study", "run", self.study.name]
        if self.results is not None:
            told = self.results.provenance
            words += [] if self.study.fixed_sets else _size(self.study, told)
            words += ["--seed", str(told["seed"])] if told["seed"] != 1 else []
            words += ["--overheads", "FILE"] if told.get("overheads") else []
        return shlex.join(words)

    def facts(self) -> dict[str, str]:
        """Returns where the numbers come from, by name."""
        assert self.results is not None, "asked only where there are results"
        told = self.results.provenance
        machine = told["machine"]
        return {
            "schedlab": f"{told['version']}, build {told['build'][:8] if 'build' in told else 'unknown'}",
            "seed": str(told["seed"]),
            "size": _extent(self.study, told),
            "rows": f"{self.results.table.num_rows:,}",
            "time": self.reason or _time(self.note),
            "overheads": _overheads(self.study, told),
            "machine": place(self.results)
            if isinstance(self.study, RealStudy)
            else f"{machine['processors']} processors, {machine['architecture']}; the results do not depend on it",
            "code": told["code"][:12],
        }

    @property
    def has_overheads(self) -> bool:
        """True if there are results, for a file of overheads."""
        return self.results is not None and bool(self.results.provenance["overheads"])

    @property
    def other_make(self) -> str:
        """A sentence if another build, or another state of the study's file, made the results; else empty."""
        if self.results is None:
            return ""
        told = self.results.provenance
        if told["code"] != code_hash(self.path):
            return "An earlier state of the study's file made these results."
        if told.get("build", self.note.build if self.note else None) != build_hash():
            return f"Another build of schedlab made these results; this page is by build {build_hash()[:8]}."
        return ""


def collect(folder: Path, draw_into: Path | None = None) -> dict[str, Exhibit]:
    """Returns every registered study by name, with what is stored of it in the folder of results.

    Figures are drawn into ``draw_into``, in a folder of the paper's name with one for each study; not at all if it is
    None.
    """
    return {study.name: _exhibit(study, path, folder / study.name, draw_into) for study, path in list_studies()}


def _exhibit(study: Study, path: Path, directory: Path, draw_into: Path | None) -> Exhibit:
    if not (directory / RESULTS).is_file():
        return Exhibit(study, path, None, reason=_not_run(study, path, directory))
    try:
        results = read_results(directory)
    except Damaged as error:
        return Exhibit(study, path, None, reason=f"Damaged: {error}", is_damaged=True)
    try:
        claims = study.claims(results) if study.claims else ()
        files: Sequence[Path] = ()
        if study.plot and draw_into is not None:
            own = draw_into / path.parent.name / study.name
            make_folder(own)
            files = study.plot(results, own)
    except Exception as error:
        # The study's own code failed on results that an earlier state of it may have stored.
        if results.provenance["code"] == code_hash(path):
            raise
        reason = (
            f"Not shown: an earlier state of the study's file stored its results ({type(error).__name__}): run it again"
        )
        return Exhibit(study, path, None, reason=reason)
    try:
        note, damage = read_note(directory), ""
    except Damaged as error:
        note, damage = None, str(error)
    return Exhibit(study, path, results, tuple(claims), tuple(files), note, damage)


def _not_run(study: Study, path: Path, directory: Path) -> str:
    """Says how much is stored of a study without results."""
    status = study_status(study, path, directory)
    if status.stored:
        return f"Not run to its end: {status.stored:,} of {status.units:,} units are stored"
    if (share := status.share) is not None:
        return f"Not run: a random share of {share.stored:,} of {share.units:,} units is stored"
    return "Not run: nothing is stored"


def _overheads(study: Study, told: Mapping[str, Any]) -> str:
    """Says which overheads were charged: those of a file, or profiles, by what they are charged for."""
    if told["overheads"]:
        return f'"{told["overheads"]}", from a file'
    if isinstance(study, RealStudy):
        return "those of real threads on this machine"
    charged = told.get("parameters", {}).get("overheads", study.parameters.get("overheads", NO_OVERHEADS))
    return ", ".join(f"{what}: {name}" for what, name in charged.items()) if isinstance(charged, dict) else str(charged)


def _time(note: Note | None) -> str:
    """Says how long the units took, one after the other."""
    return "not stored" if note is None or note.seconds is None else f"{long_duration(note.seconds)} of one worker"


def _extent(study: Study, told: dict[str, Any]) -> str:
    """Says how large the run was."""
    size = f"{_counted(len(told['points']), 'point')} of {_counted(told['sets'], 'set')}"
    full = told["sets"] == study.full_sets and len(told["points"]) == len(study.full_points or study.points)
    return f"{size}, the full size" if full and not study.fixed_sets else size


def _size(study: Study, told: dict[str, Any]) -> list[str]:
    """Returns the options that give a run its size."""
    if study.full_points and len(told["points"]) != len(study.points):
        return ["--full"]
    if told["sets"] == study.sets:
        return []
    return ["--full"] if told["sets"] == study.full_sets else ["--sets", str(told["sets"])]


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
