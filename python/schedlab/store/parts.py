"""Parts: the finished pieces of a run, one file each."""

from __future__ import annotations

import hashlib
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa

from schedlab.store.atomic import write_atomically
from schedlab.store.parquet import bytes_to_table

_LONGEST = 120


class PartStore:
    """A folder of parts, each named by its group and its name in it. A part that is there is whole."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, group: str, name: str) -> Path:
        """Where a part is kept. What a file name cannot hold is escaped; what it could not fit is hashed."""
        folder = quote(group, safe="=,+ ")
        if len(folder) > _LONGEST or folder.startswith("."):
            folder = folder[:_LONGEST].lstrip(".") + "~" + hashlib.blake2b(group.encode(), digest_size=8).hexdigest()
        return self.folder / folder / f"{name}.parquet"

    def has(self, group: str, name: str) -> bool:
        """Whether the part is stored and readable. A file that a dying disk cut short is evaluated again."""
        try:
            self.get(group, name)
        except (OSError, pa.ArrowException):
            return False
        return True

    def put(self, group: str, name: str, content: bytes) -> None:
        """Store a part."""
        # Whole after kill -9; after a power failure `has` notices a part that is not.
        write_atomically(self.path(group, name), content, durable=False)

    def get(self, group: str, name: str) -> pa.Table:
        """Read a part."""
        return bytes_to_table(self.path(group, name).read_bytes())
