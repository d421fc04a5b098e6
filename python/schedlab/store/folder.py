"""A folder as a place for parts."""

from __future__ import annotations

from pathlib import Path

from schedlab.base.files import write_whole


class Folder:
    """See ``FileStore``. It need not be there before the first file is written."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        return str(self.path)

    def list(self) -> list[str]:
        """See ``FileStore``."""
        return sorted(file.relative_to(self.path).as_posix() for file in self.path.rglob("*.parquet"))

    def read(self, name: str) -> bytes:
        """See ``FileStore``."""
        return (self.path / name).read_bytes()

    def write(self, name: str, content: bytes) -> None:
        """See ``FileStore``. Whole after kill -9; what a power failure cuts short is noticed where it is read."""
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, content)
