"""Lines of a file, or of a sender who may wait for an answer before the next one."""

from __future__ import annotations

import os
import select
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from schedlab import _native
from schedlab.errors import BadInput

#: Number of bytes that are read at once.
PIECE = 1 << 16


class ComingLines(Iterator[str]):
    """The lines of `path` (`-`: standard input), as they come. Bytes that are no UTF-8 are left to the reader."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_input = str(path) == "-"
        self._descriptor: int | None = None
        self._lines: deque[bytes] = deque()
        #: Pieces of a line whose end has not come yet.
        self._begun: list[bytes] = []
        self._is_begun = False
        self._has_ended = False

    def is_there(self) -> bool:
        """True if the next line, or the end, can be read without waiting; reads what is there."""
        while not self._lines and not self._has_ended:
            if not self._has_bytes(0):
                return False
            self._read()
        return True

    def __next__(self) -> str:
        while not self._lines:
            if self._has_ended:
                raise StopIteration
            self._has_bytes(None)
            self._read()
        return self._lines.popleft().decode(errors="surrogateescape")

    def _has_bytes(self, patience: float | None) -> bool:
        return bool(select.select([self._opened()], [], [], patience)[0])

    def _opened(self) -> int:
        if self._descriptor is None:
            try:
                self._descriptor = sys.stdin.fileno() if self._is_input else os.open(self._path, os.O_RDONLY)
            except OSError as error:
                raise BadInput(f"{self._path}: cannot be read: {error.strerror}") from error
        return self._descriptor

    def _read(self) -> None:
        """Reads the bytes that are there, or the end."""
        try:
            piece = os.read(self._opened(), PIECE)
        except OSError as error:
            raise BadInput(f"{self._path}: cannot be read: {error.strerror}") from error
        if not self._is_begun:
            self._is_begun = True
            _native.refuse_foreign("<stdin>" if self._is_input else str(self._path), piece, "batch")
        if not piece:
            self._has_ended = True
            self._close()
            if last := b"".join(self._begun):
                self._lines.append(last)
            return
        *whole, rest = piece.split(b"\n")
        for line in whole:
            self._lines.append(b"".join([*self._begun, line, b"\n"]))
            self._begun = []
        self._begun.append(rest)

    def _close(self) -> None:
        if self._descriptor is not None and not self._is_input:
            os.close(self._descriptor)
        self._descriptor = None

    def __del__(self) -> None:
        self._close()
