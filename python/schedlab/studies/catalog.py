"""Discovery of studies: the ``studies`` folder, and any file that the user names."""

from __future__ import annotations

import re
from pathlib import Path

from schedlab.base.user_code import loaded
from schedlab.errors import no_such
from schedlab.studies.errors import StudyError
from schedlab.studies.study import Study

_PACKAGE = Path(__file__).resolve().parents[1]


def study_folders() -> list[Path]:
    """Returns the folders searched by name: a checkout's before the copy inside an installed package."""
    candidates = [_PACKAGE.parents[1] / "studies", _PACKAGE / "_studies"]
    return [folder for folder in candidates if folder.is_dir()]


def study_files() -> list[Path]:
    """Returns every study file of the first folder that exists; a leading underscore marks shared helpers."""
    for folder in study_folders():
        return sorted(path for path in folder.glob("*/*.py") if not path.name.startswith("_"))
    return []


def load_study(path: Path) -> Study:
    """Returns the value ``study`` of a file, which may import its neighbours (``from . import _grid``)."""
    path = path.resolve()
    if not path.is_file():
        raise StudyError(f"{path}: no such study file")
    module = loaded(path)
    study = getattr(module, "study", None)
    if not isinstance(study, Study):
        raise StudyError(f"{path}: defines no value 'study' of type schedlab.studies.Study")
    return study


def list_studies() -> list[tuple[Study, Path]]:
    """Returns all studies that can be found by name, in the order of their names."""
    found = [(load_study(path), path) for path in study_files()]
    names: dict[str, Path] = {}
    for study, path in found:
        if study.name in names:
            raise StudyError(f"two studies are named {study.name!r}: {names[study.name]} and {path}")
        names[study.name] = path
    return sorted(found, key=lambda pair: _natural(pair[0].name))


def find_study(name_or_path: str) -> tuple[Study, Path]:
    """Returns a study by its name, or by the path of its file; raises `StudyError` if there is none."""
    if name_or_path.endswith(".py"):
        path = Path(name_or_path)
        return load_study(path), path.resolve()
    studies = list_studies()
    for study, path in studies:
        if study.name == name_or_path:
            return study, path
    unknown = no_such("study", name_or_path, (study.name for study, _ in studies))
    raise StudyError(f"{unknown}; or the path of a file (*.py)")


def _natural(name: str) -> list[int | str]:
    """Returns a key that sorts fig9 before fig10."""
    return [int(piece) if piece.isdecimal() else piece for piece in re.split(r"(\d+)", name)]
