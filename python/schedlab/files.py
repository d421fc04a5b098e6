"""Files that are whole or absent: a reader never sees a result that is half written."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from schedlab.errors import BadInput

__all__ = ["read_bytes", "write_whole", "writing_whole"]


def make_folder(folder: Path) -> None:
    """Makes it and those above it, if they are not there; `BadInput` where that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{folder}: cannot be made: {error.strerror}") from error


@contextmanager
def writing_whole(path: Path | str, mode: str = "w") -> Iterator[IO[Any]]:
    """Opens a temporary file beside `path`, which takes its place when the block ends without an exception."""
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise BadInput(f"{path}: cannot be written: {error.strerror}") from error
    part = Path(name)
    try:
        with os.fdopen(handle, mode, encoding=None if "b" in mode else "utf-8") as stream:
            yield stream
        part.chmod(0o666 & ~_umask())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_whole(path: Path | str, content: str | bytes) -> None:
    """Writes `content` to `path`, whole or not at all."""
    with writing_whole(path, "wb" if isinstance(content, bytes) else "w") as stream:
        stream.write(content)


def read_bytes(path: Path | str) -> bytes:
    """The content of `path`; a file that cannot be read is bad input."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
