"""A folder as a place for parts."""

from __future__ import annotations

from pathlib import Path

from schedlab.base.files import write_whole


class Folder:
    """A ``FileStore`` in a folder, which need not be there before the first file is written."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        return str(self.path)

    def list(self) -> list[str]:
        """Lists the names of all Parquet files below the folder, in order."""
        return sorted(file.relative_to(self.path).as_posix() for file in self.path.rglob("*.parquet"))

    def read(self, name: str) -> bytes:
        """Reads a file; raises `OSError` if that fails."""
        return (self.path / name).read_bytes()

    def write(self, name: str, content: bytes) -> None:
        """Writes a file, whole even after kill -9. A file that a power failure cut short is noticed when it is read."""
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, content)
