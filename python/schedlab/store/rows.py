"""Rows that come one after the other, into a file that is whole or absent: Arrow, Parquet or JSON lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from schedlab.base.files import writing_whole
from schedlab.core.columns import schema_of
from schedlab.errors import BadInput

#: The endings that such a file may have.
ENDINGS = (".arrow", ".parquet", ".jsonl")

#: Number of rows that are written together, so that the bytes depend on the rows alone.
_TOGETHER = 4096


def expect_ending(path: Path) -> str:
    """Returns the ending of a file for rows; raises `BadInput` if it is another one."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise BadInput(f"-o {path}: a file of rows does not end like this; allowed: {', '.join(ENDINGS)}")
    return ending


def json_line(row: Mapping[str, object]) -> str:
    """Returns a row as a line of JSON."""
    return json.dumps(row, separators=(",", ":")) + "\n"


@contextmanager
def writing_rows(path: Path, row: type) -> Iterator[Callable[[Mapping[str, Any]], object]]:
    """Yields a function that takes rows of the type `row`; the ending of `path` determines the format."""
    ending = expect_ending(path)
    if ending == ".jsonl":
        with writing_whole(path) as stream:
            yield lambda one: stream.write(json_line(one))
        return
    schema = schema_of(row)
    waiting: list[Mapping[str, Any]] = []

    def flush() -> None:
        writer.write_table(pa.Table.from_pylist(waiting, schema=schema))
        waiting.clear()

    def take(one: Mapping[str, Any]) -> None:
        waiting.append(one)
        if len(waiting) == _TOGETHER:
            flush()

    with writing_whole(path, "wb") as stream, _writer(ending, stream, schema) as writer:
        yield take
        if waiting:
            flush()


def _writer(ending: str, stream: Any, schema: pa.Schema) -> Any:
    if ending == ".parquet":
        # Pinned as in `table_to_bytes`.
        return pq.ParquetWriter(stream, schema, compression="zstd", version="2.6")
    return pa.ipc.new_file(stream, schema)
