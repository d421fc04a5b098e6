"""Parts: files of the finished pieces of a run. A part that exists is whole; a piece has the same rows in each part."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Protocol

import pyarrow as pa

from schedlab.store.parquet import bytes_to_metadata, bytes_to_table, table_to_bytes

_KEY = b"schedlab-pieces"


@dataclass(frozen=True)
class Piece:
    """A piece of work: its name, its number of rows, and the seconds that it took, usually of a processor."""

    name: str
    rows: int
    seconds: float


@dataclass(frozen=True)
class Part:
    """Finished pieces, and the file that holds their rows one after the other."""

    pieces: tuple[Piece, ...]
    content: bytes

    @property
    def file(self) -> str:
        """Name of the file, which follows from the pieces: workers that finish the same pieces write the same file."""
        names = json.dumps([piece.name for piece in self.pieces])
        digest = hashlib.blake2b(names.encode(), digest_size=16).hexdigest()
        return f"{digest[:2]}/{digest}.parquet"


def make_parts(finished: Sequence[tuple[str, pa.Table, float]]) -> list[Part]:
    """Makes parts of pieces, each given as its name, its rows and its seconds.

    Pieces with other columns or types begin another part, because one file holds only one type of rows.
    """
    groups: list[list[tuple[str, pa.Table, float]]] = []
    for one in finished:
        if groups and groups[-1][-1][1].schema.equals(one[1].schema):
            groups[-1].append(one)
        else:
            groups.append([one])
    parts = []
    for group in groups:
        pieces = tuple(Piece(name, table.num_rows, seconds) for name, table, seconds in group)
        told = json.dumps([asdict(piece) for piece in pieces])
        table = pa.concat_tables([table for _, table, _ in group]).replace_schema_metadata({_KEY: told.encode()})
        parts.append(Part(pieces, table_to_bytes(table)))
    return parts


class FileStore(Protocol):
    """A place where files are kept: a folder, or a store of objects elsewhere."""

    def list(self) -> list[str]:
        """Lists the names of all Parquet files, in order."""
        ...

    def read(self, name: str) -> bytes:
        """Returns the content of a file; raises `OSError` if it cannot be read."""
        ...

    def write(self, name: str, content: bytes) -> None:
        """Writes a file, whole or not at all."""
        ...


class PartStore:
    """The parts at a place, which others may write to as well."""

    def __init__(self, place: FileStore) -> None:
        self.place = place
        self._pieces: dict[str, tuple[Piece, str, int]] = {}
        self._tables: dict[str, pa.Table] = {}
        self._seen: set[str] = set()
        self.refresh()

    def refresh(self) -> None:
        """Looks for parts that others stored. A file that a dying disk cut short counts as absent."""
        for name in self.place.list():
            if name in self._seen:
                continue
            try:
                # The metadata is at a file's end: a file that was cut short has none.
                stored = bytes_to_metadata(self.place.read(name))[_KEY]
                pieces = [Piece(**piece) for piece in json.loads(stored)]
            except (OSError, pa.ArrowException, KeyError, TypeError, ValueError):
                continue
            self._add(name, pieces)

    def has(self, piece: str) -> bool:
        """True if the piece is stored, as of the last `refresh`."""
        return piece in self._pieces

    def put(self, part: Part) -> None:
        """Stores a part."""
        self.place.write(part.file, part.content)
        self._add(part.file, part.pieces)

    def get(self, piece: str) -> pa.Table:
        """Returns a piece's rows; raises `OSError` or `ArrowException` if its file is damaged beyond its metadata."""
        found, file, first = self._pieces[piece]
        if file not in self._tables:
            self._tables[file] = bytes_to_table(self.place.read(file)).replace_schema_metadata(None)
        return self._tables[file].slice(first, found.rows)

    def where(self, piece: str) -> str:
        """Returns the file that holds a piece."""
        return f"{self.place}/{self._pieces[piece][1]}"

    def seconds(self, piece: str) -> float:
        """Returns how many seconds the piece took."""
        return self._pieces[piece][0].seconds

    def _add(self, file: str, pieces: Sequence[Piece]) -> None:
        self._seen.add(file)
        first = 0
        for piece in pieces:
            self._pieces.setdefault(piece.name, (piece, file, first))
            first += piece.rows
