"""Locks of directories, which one process holds or several share. Testing a lock does not take it.

The locks are the kernel's (open file description locks), so they end with the process that holds them. Whether one is
held can be tested without taking it: a process that begins meanwhile never finds it taken by a process that only tests.
"""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, Any

_FILE = ".lock"

#: `struct flock`: kind, base of the offset, first byte, number of bytes (0: all), process; padded as C does.
_FLOCK = "@hhqqi0q"


class StoreBusy(Exception):
    """Another process holds the directory; the text is its process id."""


def exclusive(directory: Path) -> AbstractContextManager[None]:
    """Holds a directory while the block runs; raises `StoreBusy` if a process holds or shares it."""
    return _locked(directory, fcntl.F_WRLCK)


def sharing(directory: Path) -> AbstractContextManager[None]:
    """Shares a directory with others that share it while the block runs; raises `StoreBusy` if a process holds it."""
    return _locked(directory, fcntl.F_RDLCK)


def is_held(directory: Path) -> bool:
    """True if a process holds or shares the directory."""
    try:
        file = (directory / _FILE).open("rb")
    except FileNotFoundError:
        return False
    with file:
        # The kernel reports a lock that would conflict with an exclusive one.
        found = fcntl.fcntl(file, fcntl.F_OFD_GETLK, _flock(fcntl.F_WRLCK))
    return int(struct.unpack(_FLOCK, found)[0]) != fcntl.F_UNLCK


@contextmanager
def _locked(directory: Path, kind: int) -> Iterator[None]:
    with (directory / _FILE).open("a+", encoding="ascii") as file:
        try:
            fcntl.fcntl(file, fcntl.F_OFD_SETLK, _flock(kind))
        except BlockingIOError:
            raise StoreBusy(_holder(file)) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def _holder(file: IO[Any]) -> str:
    """Returns the process id that was written last, by the holder or by one of those that share the file."""
    file.seek(0)
    return str(file.read()) or "unknown"


def _flock(kind: int) -> bytes:
    return struct.pack(_FLOCK, kind, os.SEEK_SET, 0, 0, 0)
