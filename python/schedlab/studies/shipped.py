"""Work that travels: a study's files, which a worker on another machine need not have, and the version that made it."""

from __future__ import annotations

import hashlib
import platform
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from schedlab.errors import CannotRun
from schedlab.store.parts import Part
from schedlab.studies.identity import build_hash, helpers, schedlab_version
from schedlab.studies.study import Unit
from schedlab.studies.worker import Work


@dataclass(frozen=True)
class Version:
    """The versions that a worker must have in common with its client."""

    schedlab: str
    build: str
    python: str

    def expect(self, found: Version, where: str) -> None:
        """Raises `CannotRun` if a worker has another version."""
        if self != found:
            raise CannotRun(
                f"{where} has {found}, this client {self}; "
                "results would depend on who evaluates: install the same on both"
            )

    def __str__(self) -> str:
        return f"schedlab {self.schedlab} (build {self.build[:8]}) under Python {self.python}"


def own_version() -> Version:
    """Returns the version of this process."""
    return Version(schedlab_version(), build_hash(), ".".join(platform.python_version_tuple()[:2]))


@dataclass(frozen=True)
class ShippedWork:
    """A `Work` with the texts of the study's file, the first, and of its helpers."""

    files: tuple[tuple[str, bytes], ...]
    version: Version

    @classmethod
    def of(cls, work: Work) -> ShippedWork:
        """Makes shipped work of `work`, ready to travel."""
        paths = [work.study_path, *helpers(work.study_path)]
        return cls(tuple((path.name, path.read_bytes()) for path in paths), own_version())

    @property
    def digest(self) -> str:
        """A hash of the files' content."""
        digest = hashlib.sha256()
        for name, content in self.files:
            digest.update(
                len(name).to_bytes(8, "little") + name.encode() + len(content).to_bytes(8, "little") + content
            )
        return digest.hexdigest()[:24]

    def __call__(self, units: Iterable[Unit]) -> list[Part]:
        """Evaluates units as `Work` does, from files that are written once for all units of a study."""
        self.version.expect(own_version(), f"the worker on {platform.node()}")
        return Work(_unpacked(self.files))(units)


@cache
def _unpacked(files: tuple[tuple[str, bytes], ...]) -> Path:
    """Writes the files into a folder of this process alone, where no other user can put files; returns the study's."""
    folder = tempfile.TemporaryDirectory(prefix="schedlab-study-")
    _FOLDERS.append(folder)
    for name, content in files:
        (Path(folder.name) / name).write_bytes(content)
    return Path(folder.name) / files[0][0]


#: Temporary folders, which are removed when the process ends.
_FOLDERS: list[tempfile.TemporaryDirectory[str]] = []
