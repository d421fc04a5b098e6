"""Files that are whole or absent."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

_ASIDE = ".unfinished"


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
