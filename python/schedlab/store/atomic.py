"""Files that are whole or absent, and directories that one process at a time writes."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_ASIDE = ".unfinished"


class StoreBusy(Exception):
    """Another process holds the directory; the text is its process id."""


def write_atomically(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Writes beside the file, then renames: a reader, or a run after a kill, sees all of it or nothing.

    A durable file survives a power failure too, for the price of waiting for the disk.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Of its own: others may write the same file.
    aside = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}{_ASIDE}")
    try:
        with aside.open("wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        aside.replace(path)
    except BaseException:
        with suppress(OSError):
            aside.unlink(missing_ok=True)
        raise


@contextmanager
def exclusive(directory: Path) -> Iterator[None]:
    """Hold a directory. The lock is the kernel's, so it dies with the process that holds it."""
    with (directory / ".lock").open("a+", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise StoreBusy(file.read() or "unknown") from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield
